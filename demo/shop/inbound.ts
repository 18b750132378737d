import { createHmac, randomUUID } from 'node:crypto';
import type { CreateWebhook, Posthorn, Webhook } from '../../client/src/index.ts';
import { loadPayloads } from '../payloads.ts';
import type { ChannelName } from './events.ts';

/** A request to an inbound webhook, before it is sent. */
type Request = { headers: Record<string, string>; body: string };

/** An inbound webhook of the shop, and the requests that its service would send. */
type Sender = {
  webhook: Omit<CreateWebhook, 'channelId'> & { name: string };
  channel: ChannelName;
  /** Valid requests, each with its own event id. */
  accepted(secret: string, count: number): Request[];
  /** Requests that are rejected, each for another reason. */
  rejected(secret: string): Request[];
};

const JSON_TYPE = { 'content-type': 'application/json' };
// A signature older than 300 s is refused.
const STALE_SECONDS = 3_600;

const hex = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');
const seconds = (): number => Math.floor(Date.now() / 1_000);

function signedByGithub(secret: string, event: string, body: string): Request {
  return {
    body,
    headers: {
      ...JSON_TYPE,
      'user-agent': 'GitHub-Hookshot/7c3ae0e',
      'x-github-event': event,
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${hex(secret, body)}`,
    },
  };
}

function signedByStripe(secret: string, body: string, time = seconds()): Request {
  const signature = `t=${time},v1=${hex(secret, `${time}.${body}`)}`;
  return { body, headers: { ...JSON_TYPE, 'user-agent': 'Stripe/1.0', 'stripe-signature': signature } };
}

const stripeEvent = (index: number): string =>
  JSON.stringify({
    id: `evt_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    object: 'event',
    type: ['charge.succeeded', 'charge.dispute.created', 'payout.paid'][index % 3],
    created: seconds(),
    livemode: false,
    data: { object: { id: `ch_${1_000 + index}`, amount: 1_990 + 350 * index, currency: 'eur', status: 'succeeded' } },
  });

const scanned = (index: number): string =>
  JSON.stringify({
    kind: 'scan.recorded',
    scanner: `S-${1 + (index % 4)}`,
    parcel: `FL${100_200_300 + index}`,
    gate: 'B2',
  });

const SENDERS: readonly Sender[] = [
  {
    webhook: { name: 'GitHub', provider: 'github', secrets: ['storefront-github-secret'] },
    channel: 'deployments',
    accepted: (secret, count) => {
      const known = loadPayloads().filter(({ eventType }) =>
        /^(push|issues|pull_request|release|deployment)\b/.test(eventType),
      );
      return known
        .slice(0, count)
        .map(({ eventType, text }) => signedByGithub(secret, eventType.split('.')[0] ?? 'push', text));
    },
    rejected: (secret) => [
      signedByGithub('a secret that was replaced', 'push', '{"ref":"refs/heads/main"}'),
      { headers: { ...JSON_TYPE, 'x-github-event': 'push' }, body: '{"ref":"refs/heads/main"}' },
      signedByGithub(secret, 'push', 'payload that is not JSON'),
    ],
  },
  {
    webhook: { name: 'Stripe', provider: 'stripe', secrets: ['whsec_storefrontStripeSecret'] },
    channel: 'billing',
    accepted: (secret, count) =>
      Array.from({ length: count }, (_, index) => signedByStripe(secret, stripeEvent(index))),
    rejected: (secret) => [
      signedByStripe(secret, stripeEvent(0), seconds() - STALE_SECONDS),
      signedByStripe('whsec_ofAnotherAccount', stripeEvent(1)),
    ],
  },
  {
    webhook: {
      name: 'Warehouse scanners',
      scheme: 'token',
      signature: { header: 'X-Scanner-Token' },
      eventType: { pointer: '/kind' },
      secrets: ['storefront-scanner-token'],
    },
    channel: 'shipments',
    accepted: (secret, count) =>
      Array.from({ length: count }, (_, index) => ({
        headers: { ...JSON_TYPE, 'x-scanner-token': secret },
        body: scanned(index),
      })),
    // The token is right and the event type is missing, so the service keeps the body, which can be accepted later.
    rejected: (secret) => [
      { headers: { ...JSON_TYPE, 'x-scanner-token': secret }, body: '{"scanner":"S-9","firmware":"2.1"}' },
    ],
  },
];

/** Creates the inbound webhooks that the channels do not have yet. Returns all of them, in the order of `SENDERS`. */
export async function setUpInbound(
  posthorn: Posthorn,
  channels: Readonly<Record<ChannelName, string>>,
): Promise<readonly Webhook[]> {
  const webhooks: Webhook[] = [];
  for (const { webhook, channel } of SENDERS) {
    const channelId = channels[channel];
    const known = (await posthorn.webhooks.list({ channelId }).all()).find(({ name }) => name === webhook.name);
    webhooks.push(known ?? (await posthorn.webhooks.create({ ...webhook, channelId })));
  }
  return webhooks;
}

/** Sends good requests to each webhook, the first of them twice, and bad ones. Returns how many were accepted and rejected. */
export async function sendInbound(
  { url, posthorn }: { url: string; posthorn: Posthorn },
  webhooks: readonly Webhook[],
  each: { accepted: number; rejected: number },
): Promise<{ accepted: number; rejected: number }> {
  const seen = { accepted: 0, rejected: 0 };
  for (const [index, webhook] of webhooks.entries()) {
    const sender = SENDERS[index];
    const secret = (await posthorn.webhooks.getSecrets(webhook.id)).secrets[0]?.secret;
    if (sender === undefined || secret === undefined) continue;
    const good = sender.accepted(secret, each.accepted);
    const requests = [...good, ...good.slice(0, 1), ...sender.rejected(secret).slice(0, each.rejected)];
    for (const { headers, body } of requests) {
      const { ok } = await fetch(`${url}/v1/webhooks/${webhook.id}`, { method: 'POST', headers, body });
      seen[ok ? 'accepted' : 'rejected'] += 1;
    }
  }
  return seen;
}
