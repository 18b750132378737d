import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CATALOGUE } from '../../src/automations/inbound/providers/catalogue.ts';
import type { Provider } from '../../src/automations/inbound/providers/provider.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { github, inboundCalls } from '../support/make/inbound-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

type Sample = { isSignable: boolean; reason?: string; body?: string; headers?: Record<string, string> };
type Sent = { outcome: string; status: number; messageId?: string; reason?: string; detail?: string };
type Refused = { error: { code: string; details?: { field: string; reason: string } } };
type Logged = { reason: string; detail: string; userAgent?: string; eventId?: string };

/** Senders that sign the address sign this one. */
const PUBLIC_BASE_URL = 'https://hooks.example.com';
let posthorn: TestPosthorn;
let receiver: Receiver;
let calls: ReturnType<typeof inboundCalls>;
beforeAll(async () => {
  receiver = await startReceiver();
  posthorn = await startPosthorn({ withWorker: true, variables: { PUBLIC_BASE_URL } });
  calls = inboundCalls(posthorn);
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const sampleOf = async (id: string): Promise<Sample> =>
  (await posthorn.request<Sample>('GET', `/v1/webhooks/${id}/sample`)).body;
const send = async (id: string, given: object = {}): Promise<Sent> => {
  const { status, body } = await posthorn.request<Sent>('POST', `/v1/webhooks/${id}/sample`, given);
  if (status !== 200) throw new Error(`a sample was answered with ${status}: ${JSON.stringify(body)}`);
  return body;
};
const rotate = (id: string, secret: string, overlapHours = 0) =>
  posthorn.request('POST', `/v1/webhooks/${id}/secrets/rotate`, { secret, overlapHours });
const refusalsOf = async (id: string): Promise<Logged[]> =>
  (await posthorn.request<{ data: Logged[] }>('GET', `/v1/webhooks/${id}/refusals`)).body.data;

const KEEP_THEIR_KEY = ['discord', 'sendgrid', 'sns'];
const isStandard = (scheme: string): boolean => ['standard', 'svix', 'body'].includes(scheme);
const secretFor = (scheme: string, last: string): string =>
  isStandard(scheme) ? `whsec_${'A'.repeat(31)}${last}` : `secret-${last}`;

const OWN: readonly { name: string; scheme: Provider['scheme']; fields: object }[] = [
  { name: 'a program, signed in the body', scheme: 'body', fields: {} },
  { name: 'Standard Webhooks', scheme: 'standard', fields: {} },
  { name: 'a token', scheme: 'token', fields: { signature: { header: 'X-Token' } } },
  {
    name: 'an HMAC of address, time and id',
    scheme: 'hmac',
    fields: {
      signature: {
        header: 'X-S',
        prefix: 'v1=',
        timestampHeader: 'X-T',
        idHeader: 'X-I',
        template: '{url}{timestamp}{id}{body}',
      },
      eventId: { header: 'X-I' },
      eventType: { pointer: '/what/kind' },
    },
  },
];

describe.each([
  ...Object.values(CATALOGUE)
    .filter(({ name }) => !KEEP_THEIR_KEY.includes(name))
    .map(({ name, scheme }) => ({ name, scheme, fields: { provider: name } })),
  ...OWN,
])('$name', ({ scheme, fields }) => {
  test('has samples that are taken, before its secret is rotated and after, and become messages that say so', async () => {
    const secrets = [secretFor(scheme, 'A')];
    const { webhook, channelId } = await calls.makeWebhook({ ...fields, scheme, secrets });
    expect(await sampleOf(webhook.id)).toMatchObject({ isSignable: true, body: expect.any(String) });
    const first = await send(webhook.id);
    expect(first).toEqual({ outcome: 'received', status: 200, messageId: expect.stringMatching(/^msg_/) });
    expect((await rotate(webhook.id, secretFor(scheme, 'Q'))).status).toBe(200);
    const second = await send(webhook.id);
    expect(second.outcome).toBe('received');
    const messages = await calls.messagesIn(channelId);
    expect(messages.map(({ id }) => id)).toEqual([second.messageId, first.messageId]);
    const message = await calls.messageOf(first.messageId ?? '');
    expect(message.metadata).toMatchObject({ webhookId: webhook.id, sample: 'true' });
    expect(message.eventType).not.toBe('');
    expect(await refusalsOf(webhook.id)).toEqual([]);
  });
});

describe('a service that signs by a key of its own', () => {
  const discordKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const ecdsaKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' });

  test.each([
    ['discord', 'ed25519', discordKey.toString('hex'), 'scheme'],
    ['sendgrid', 'ecdsa', ecdsaKey.toString('base64'), 'scheme'],
    ['sns', 'sns', 'arn:aws:sns:eu-west-1:123456789012:orders', 'scheme'],
    [undefined, 'standard', `whpk_${discordKey.toString('base64')}`, 'secrets'],
  ])('(%s, %s) has no sample: it is refused, and nothing is written down', async (provider, scheme, secret, field) => {
    const sender = provider === undefined ? { scheme } : { provider, scheme };
    const { webhook, channelId } = await calls.makeWebhook({ ...sender, secrets: [secret] });
    const { isSignable, reason, ...rest } = await sampleOf(webhook.id);
    expect([isSignable, reason, rest]).toEqual([false, expect.stringMatching(/^cannot /), {}]);
    const { status, body } = await posthorn.request<Refused>('POST', `/v1/webhooks/${webhook.id}/sample`, {});
    expect([status, body.error.code, body.error.details]).toEqual([409, 'CONFLICT', { field, reason }]);
    expect([await calls.messagesIn(channelId), await refusalsOf(webhook.id)]).toEqual([[], []]);
  });

  test('and one beside it of Standard Webhooks that signs: that one does, though a public key is newer', async () => {
    const { webhook } = await calls.makeWebhook({ scheme: 'standard', secrets: [secretFor('standard', 'A')] });
    await rotate(webhook.id, `whpk_${discordKey.toString('base64')}`, 24);
    expect((await send(webhook.id)).outcome).toBe('received');
  });
});

describe('a sample of GitHub', () => {
  test('is delivered as it was written, digit for digit, with the type of its header', async () => {
    const { webhook, channelId } = await calls.makeWebhook();
    await calls.make('/v1/subscriptions', { channelId, webhookUrl: receiver.url });
    const body = '{"action":"opened",  "size": 12345678901234567890.10}';
    const { messageId = '' } = await send(webhook.id, { body, headers: { 'x-github-event': 'issues' } });
    expect(await calls.messageOf(messageId)).toMatchObject({ eventType: 'issues', metadata: { sample: 'true' } });
    const delivered = await waitFor('the delivery', () =>
      receiver.requests.find((request) => request.body.includes(messageId)),
    );
    expect(delivered.body).toContain(body);
  });

  test('with the id of an earlier request is that one again, and says so', async () => {
    const { webhook, channelId } = await calls.makeWebhook();
    const real = await calls.send(webhook.id, '{}', github('{}', 'd-1'));
    const sent = await send(webhook.id, { headers: { 'X-GitHub-Delivery': 'd-1' } });
    expect(sent).toEqual({ outcome: 'repeated', status: 200, messageId: real.body.messageId });
    expect(await calls.messagesIn(channelId)).toHaveLength(1);
  });

  test('that is a handshake is answered and becomes no message', async () => {
    const { webhook, channelId } = await calls.makeWebhook();
    const sent = await send(webhook.id, { headers: { 'X-GitHub-Event': 'ping' } });
    expect([sent, await calls.messagesIn(channelId)]).toEqual([{ outcome: 'handshake', status: 200 }, []]);
  });

  test('that cannot be read is refused as the same request of GitHub is, and marked in the log', async () => {
    const { webhook, channelId } = await calls.makeWebhook();
    const real = await calls.send<Refused>(webhook.id, 'no JSON', github('no JSON', 'd'));
    const sent = await send(webhook.id, { body: 'no JSON' });
    expect(sent).toMatchObject({ outcome: 'refused', status: real.status, reason: 'body_invalid' });
    const [logged, before] = await refusalsOf(webhook.id);
    expect(logged).toMatchObject({ reason: before?.reason, detail: before?.detail, userAgent: 'posthorn-sample' });
    expect([sent.detail, before?.userAgent === 'posthorn-sample']).toEqual([logged?.detail, false]);
    expect(await calls.messagesIn(channelId)).toEqual([]);
  });

  test('is no mark that a stranger can set', async () => {
    const { webhook } = await calls.makeWebhook();
    await calls.send<Refused>(webhook.id, '{}', { ...github('{}', 'd', 'wrong'), 'user-agent': 'posthorn-sample' });
    const [logged] = await refusalsOf(webhook.id);
    expect([logged?.reason, logged?.userAgent]).toEqual(['signature_wrong', undefined]);
  });

  test('does not fit the schema of its channel, and is told why', async () => {
    const schemas = { push: { type: 'object', required: ['ticket'] } };
    const { webhook } = await calls.makeWebhook({}, { schemas });
    const sent = await send(webhook.id);
    expect(sent).toMatchObject({ outcome: 'refused', status: 400, reason: 'payload_refused' });
    expect(sent.detail).toContain('ticket');
  });

  test.each<readonly [string, (of: { webhookId: string; channelId: string }) => Promise<unknown>, string]>([
    [
      'disabled',
      ({ webhookId }) => posthorn.request('PATCH', `/v1/webhooks/${webhookId}`, { status: 'disabled' }),
      'webhook_disabled',
    ],
    [
      'of an archived channel',
      ({ channelId }) => posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'archived' }),
      'channel_archived',
    ],
  ])('for a webhook that is %s is refused as a real request is', async (_, close, reason) => {
    const { webhook, channelId } = await calls.makeWebhook();
    await close({ webhookId: webhook.id, channelId });
    const real = await calls.send<Refused>(webhook.id, '{}', github('{}', 'd'));
    const sent = await send(webhook.id);
    expect(sent).toMatchObject({ outcome: 'refused', status: 409, reason });
    expect([real.status, (await refusalsOf(webhook.id)).map((row) => row.reason)]).toEqual([409, [reason, reason]]);
    expect(await calls.messagesIn(channelId)).toEqual([]);
  });

  test('for a paused channel is taken, and waits there', async () => {
    const { webhook, channelId } = await calls.makeWebhook();
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
    expect(await send(webhook.id)).toMatchObject({ outcome: 'received', messageId: expect.stringMatching(/^msg_/) });
  });
});

test('a body without an object, headers of another form and unknown fields are refused with their fields', async () => {
  const { webhook, channelId } = await calls.makeWebhook();
  const tooMany = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`X-${n}`, 'v']));
  for (const [given, field] of [
    [{ body: 7 }, 'body'],
    [{ headers: { 'X Y': 'v' } }, 'headers'],
    [{ headers: { X: 'a\nb' } }, 'headers.X'],
    [{ headers: tooMany }, 'headers'],
    [{ content: '' }, 'content'],
  ] as const) {
    const { status, body } = await posthorn.request<Refused>('POST', `/v1/webhooks/${webhook.id}/sample`, given);
    expect([given, status, body.error.details?.field]).toEqual([given, 400, expect.stringContaining(field)]);
  }
  expect(await calls.messagesIn(channelId)).toEqual([]);
});
