import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { CATALOGUE } from '../../src/inbound/providers/catalogue.ts';
import type { Provider } from '../../src/inbound/providers/provider.ts';
import { toIncoming } from '../../src/inbound/incoming.ts';
import type { Attacker } from './attacker.ts';
import { FORM_TYPE, type HostileInput, listed, MEBIBYTE, post, times } from './input.ts';
import { type HostileRequest, JSON_TYPE } from './request.ts';

/** The service is started with it (`PUBLIC_BASE_URL`): some senders sign the address. */
export const BASE_URL = 'http://localhost:3000';
const TOKEN = 'a-token-of-some-length';
const STANDARD_SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const discordKeys = generateKeyPairSync('ed25519');
const sendgridKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders';

const spki = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' });
const secretOf = ({ name, scheme }: Provider): string => {
  if (name === 'discord') return spki(discordKeys.publicKey).subarray(-32).toString('hex');
  if (name === 'sendgrid') return spki(sendgridKeys.publicKey).toString('base64');
  if (scheme === 'sns') return TOPIC;
  return ['standard', 'svix', 'body'].includes(scheme) ? STANDARD_SECRET : TOKEN;
};

async function webhook(attacker: Attacker, fields: object): Promise<string> {
  const channelId = await attacker.channel();
  const { id } = await attacker.call('POST', '/v1/webhooks', { name: 'in', channelId, ...fields });
  return `/v1/webhooks/${id}`;
}

/** A webhook for each of the 39 services: its path by the service. */
async function webhooks(attacker: Attacker): Promise<[Provider, string][]> {
  const made: [Provider, string][] = [];
  for (const provider of Object.values(CATALOGUE))
    made.push([provider, await webhook(attacker, { provider: provider.name, secrets: [secretOf(provider)] })]);
  return made;
}

/** The headers and the body of a request as the service signs it; undefined for Amazon SNS, whose key nobody else has. */
function signed(provider: Provider, path: string, content: HostileRequest): HostileRequest | undefined {
  const { headers, body = '' } = content;
  const now = new Date();
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const bytes = Buffer.from(body);
  if (provider.name === 'discord') {
    const signature = sign(null, Buffer.concat([Buffer.from(timestamp), bytes]), discordKeys.privateKey);
    const own = { 'x-signature-ed25519': signature.toString('hex'), 'x-signature-timestamp': timestamp };
    return { ...content, path, headers: { ...headers, ...own } };
  }
  if (provider.name === 'sendgrid') {
    const signature = sign('sha256', Buffer.concat([Buffer.from(timestamp), bytes]), sendgridKeys.privateKey);
    const name = 'x-twilio-email-event-webhook';
    const own = { [`${name}-signature`]: signature.toString('base64'), [`${name}-timestamp`]: timestamp };
    return { ...content, path, headers: { ...headers, ...own } };
  }
  const incoming = toIncoming(
    {
      target: path,
      bytes,
      header: (name) => (headers[name] === undefined ? [] : [headers[name]]),
      readJson: (json) => ({ text: json.toString(), value: JSON.parse(json.toString()) as unknown }),
      address: '127.0.0.1',
    },
    { baseUrl: BASE_URL, jsonField: provider.jsonField },
  );
  const made = provider.sign?.(incoming, { secret: secretOf(provider), now, id: crypto.randomUUID() });
  if (made === undefined) return undefined;
  return {
    ...content,
    path: path + (made.query ?? ''),
    headers: { ...headers, ...made.headers },
    body: made.body === undefined ? bytes : Buffer.from(made.body),
  };
}

/** Bodies that are looked through to their end, though no signature fits. */
const JSON_BODY = post('', `{"z":[${listed('{}', MEBIBYTE / 3 - 40)}]}`);
const FORM_BODY = post('', `${'a=1&'.repeat(900)}b=${'+'.repeat(MEBIBYTE - 4_000)}`, FORM_TYPE);
/** Every header that a service puts its signature into, in a form that is good. */
const WRONG: Readonly<Record<string, string>> = {
  'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
  'x-hub-signature': `sha256=${'0'.repeat(64)}`,
  'x-twilio-signature': `${'A'.repeat(27)}=`,
  'webhook-id': 'a',
  'webhook-timestamp': '1764400000',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
  'svix-id': 'a',
  'svix-timestamp': '1764400000',
  'svix-signature': `v1,${'A'.repeat(43)}= `.repeat(200),
  'x-slack-signature': `v0=${'0'.repeat(64)}`,
  'x-slack-request-timestamp': '1764400000',
  'stripe-signature': `t=1764400000,${listed(`v1=${'0'.repeat(64)}`, 50)}`,
  'x-shopify-hmac-sha256': `${'A'.repeat(43)}=`,
  'x-signature-ed25519': '0'.repeat(128),
  'x-signature-timestamp': '1764400000',
};

/** Sends what each request of a list is for its service, in turn. */
const inTurn = (attacker: Attacker, requests: readonly HostileRequest[]) => (n: number) =>
  attacker.send(requests[n % requests.length] ?? JSON_BODY);

type Given = Pick<HostileInput, 'name' | 'reached'> &
  Partial<HostileInput> & { fields: object; request: HostileRequest };
/** To one webhook, with a request of its own each time. */
const toOne = ({ fields, request, ...input }: Given): HostileInput => ({
  parser: 'signatures of inbound webhooks',
  who: 'nobody',
  atOnce: 30,
  async begin(attacker) {
    const path = await webhook(attacker, fields);
    return () => attacker.send({ ...request, path });
  },
  ...input,
});

const byToken = { scheme: 'token', secrets: [TOKEN], signature: { header: 'X-Token' } };
const withToken = (body: string, type: Record<string, string> = JSON_TYPE): HostileRequest =>
  post('', body, { ...type, 'x-token': TOKEN });
const proven = { who: 'a signed sender', atOnce: 4 } as const;

const deepPointer = (n: number): string => `${'/a'.repeat(30)}/${n}`;
const DEEP = `${'{"a":'.repeat(30)}[${times(50, (n) => `${n}.10`).join(',')}]${'}'.repeat(29)},"more":[${'{},'.repeat(340_000)}0]}`;
const fieldsBy = (pointer: (n: number) => string): Record<string, string> =>
  Object.fromEntries(times(50, (n) => [`f${n}`, pointer(n)]));
const WORDS = JSON.stringify({ a: times(9_000, (n) => `${'w'.repeat(20)}${n}`), b: `${'w'.repeat(20)}x` });

/** Requests to inbound webhooks, before and after their signature is proven, and to inspectors. */
export const INBOUND_INPUTS: readonly HostileInput[] = [
  toOne({
    name: 'inbound, unsigned: a form of 20,000 equal fields',
    parser: 'forms of inbound webhooks',
    reached: '400 body',
    fields: {},
    request: post('', 'a&'.repeat(20_000), FORM_TYPE),
  }),
  toOne({
    name: 'inbound, unsigned: a form of 250,000 fields',
    parser: 'forms of inbound webhooks',
    reached: '400 body',
    fields: { provider: 'mailgun', secrets: [TOKEN] },
    request: post('', 'a=1&'.repeat(MEBIBYTE / 4), FORM_TYPE),
  }),
  toOne({
    name: 'inbound, unsigned: a form of 1 MiB of plus signs',
    parser: 'forms of inbound webhooks',
    reached: '400 signature',
    fields: { provider: 'twilio', secrets: [TOKEN] },
    request: { ...FORM_BODY, headers: { ...FORM_TYPE, 'x-twilio-signature': `${'A'.repeat(27)}=` } },
  }),
  toOne({
    name: 'inbound, unsigned: 1 MiB of {}',
    reached: '400 signature',
    fields: {},
    request: JSON_BODY,
  }),
  {
    name: 'inbound, wrongly signed: 1 MiB of JSON to each of 39 services',
    parser: 'signatures of inbound webhooks',
    who: 'nobody',
    atOnce: 30,
    reached: '40',
    async begin(attacker) {
      const made = await webhooks(attacker);
      return inTurn(
        attacker,
        made.map(([, path]) => ({ ...JSON_BODY, path, headers: { ...JSON_TYPE, ...WRONG } })),
      );
    },
  },
  {
    name: 'inbound, wrongly signed: a form of 1 MiB to each of 39 services',
    parser: 'signatures of inbound webhooks',
    who: 'nobody',
    atOnce: 30,
    reached: '40',
    async begin(attacker) {
      const made = await webhooks(attacker);
      return inTurn(
        attacker,
        made.map(([, path]) => ({ ...FORM_BODY, path, headers: { ...FORM_TYPE, ...WRONG } })),
      );
    },
  },
  {
    name: 'inbound, signed: 1 MiB of JSON to each of 38 services',
    parser: 'signatures of inbound webhooks',
    ...proven,
    reached: '',
    async begin(attacker) {
      const made = await webhooks(attacker);
      const requests = made.flatMap(([provider, path]) => signed(provider, path, JSON_BODY) ?? []);
      return inTurn(attacker, requests);
    },
  },
  toOne({
    ...proven,
    name: 'inbound, signed: a form of 20,000 equal fields',
    parser: 'forms of inbound webhooks',
    reached: '400 body',
    fields: byToken,
    request: withToken('a&'.repeat(20_000), FORM_TYPE),
  }),
  toOne({
    ...proven,
    name: 'inbound, signed: a form of 1,000 fields, 1 MiB',
    parser: 'forms of inbound webhooks',
    reached: '200',
    fields: byToken,
    request: withToken(`a=${'+'.repeat(MEBIBYTE - 8_000)}${'&a=%22'.repeat(999)}`, FORM_TYPE),
  }),
  toOne({
    ...proven,
    name: 'inbound, signed: 50 fields by pointers 30 deep',
    parser: 'mappings of inbound webhooks',
    reached: '200',
    fields: { ...byToken, payload: { fields: fieldsBy(deepPointer) } },
    request: withToken(DEEP),
  }),
  toOne({
    ...proven,
    name: 'inbound, signed: 50 fields that are all of the body',
    parser: 'mappings of inbound webhooks',
    reached: '400 payload',
    fields: { ...byToken, payload: { fields: fieldsBy(() => '') } },
    request: withToken(DEEP),
  }),
  toOne({
    ...proven,
    name: 'inbound, signed: an event type by a costly expression',
    parser: 'expressions of event types',
    reached: '200',
    fields: { ...byToken, eventType: { cel: 'payload.b in payload.a ? "a" : "b"' } },
    request: withToken(WORDS),
  }),
  {
    name: 'inspector: 1 MiB, checked by twenty secrets',
    parser: 'requests of inspectors',
    who: 'nobody',
    atOnce: 20,
    reached: '200',
    async begin(attacker) {
      const channelId = await attacker.channel();
      for (const count of times(5, (n) => n)) {
        const made = await attacker.call('POST', '/v1/subscriptions', {
          channelId,
          webhookUrl: `http://127.0.0.1:4999/${count}`,
        });
        for (const _ of times(3, (n) => n))
          await attacker.call('POST', `/v1/subscriptions/${made.id}/secret/rotate`, { overlapHours: 168 });
      }
      const sent = { eventType: 'a', payload: {} };
      const message = await attacker.call('POST', `/v1/channels/${channelId}/messages`, sent);
      const inspector = await attacker.call('POST', '/v1/inspectors', { name: 'hold-up' });
      const request = post(`/inspect/${inspector.id}`, 'x'.repeat(MEBIBYTE), {
        'webhook-id': message.id,
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': `v1,${'A'.repeat(43)}=`,
      });
      return () => attacker.send(request);
    },
  },
];
