import { dearFilter, largestPayload } from '../../test/support/make/dear-filters.ts';
import { type HostileInput, listed, MEBIBYTE, post, times } from './input.ts';
import { JSON_TYPE } from './request.ts';

const LARGE = 5 * MEBIBYTE - 100;
const message = (payload: string): string => `{"eventType":"a","payload":${payload}}`;
const batchOf = (...messages: readonly string[]): string => `{"messages":[${messages.join(',')}]}`;

type Batch = Pick<HostileInput, 'name' | 'atOnce' | 'reached'> &
  Partial<Pick<HostileInput, 'parser'>> & { body: () => string; headers?: Record<string, string> };
/** The same batch to one channel. */
const batch = ({ body, headers = {}, ...input }: Batch): HostileInput => ({
  parser: 'JSON',
  who: 'a publishing key',
  async begin(attacker) {
    const path = `/v1/channels/${await attacker.channel()}/messages/batch`;
    const request = post(path, body(), { ...JSON_TYPE, ...headers });
    return () => attacker.sendKeyed(request);
  },
  ...input,
});

type Message = Pick<HostileInput, 'name' | 'parser' | 'atOnce' | 'reached'> & {
  channel?: object;
  subscriptions?: readonly object[];
  payload: () => unknown;
};
/** The same message to a channel with a schema, or with subscriptions whose filters refuse it. */
const published = ({ channel = {}, subscriptions = [], payload, ...input }: Message): HostileInput => ({
  ...input,
  who: 'an author',
  async begin(attacker) {
    const channelId = await attacker.channel(channel);
    for (const fields of subscriptions)
      await attacker.call('POST', '/v1/subscriptions', { channelId, webhookUrl: 'http://127.0.0.1:4999', ...fields });
    const request = post(`/v1/channels/${channelId}/messages`, { eventType: 'a', payload: payload() });
    return () => attacker.sendKeyed(request);
  },
});

/** 24 ms each to compile, though within every bound of a schema. */
const SLOW_PATTERNS = {
  properties: Object.fromEntries(times(290, (n) => [`p${n}`, { pattern: `[\\s\\S]*x[\\s\\S]{0,${700 + n}}y` }])),
};

/** Messages, the schemas of their channels and the filters of their subscriptions. */
export const PUBLISHING_INPUTS: readonly HostileInput[] = [
  batch({
    name: 'publish: 1.7 million messages',
    atOnce: 1,
    reached: '400 messages',
    body: () => `{"messages":[${listed('{}', 1_700_000)}]}`,
  }),
  batch({
    name: 'publish: 1.7 million messages, 20 at once',
    atOnce: 20,
    reached: '400 messages',
    body: () => `{"messages":[${listed('{}', 1_700_000)}]}`,
  }),
  batch({
    name: 'publish: 100 messages of 17,000 arrays',
    atOnce: 4,
    reached: '400 body',
    body: () => batchOf(...times(100, () => message(`{"a":[${listed('[]', 17_000)}]}`))),
  }),
  batch({
    name: 'publish: a payload of 600,000 objects',
    atOnce: 4,
    reached: '400 body',
    body: () => batchOf(message(`{"a":[${listed('{"a":1}', 600_000)}]}`)),
  }),
  batch({
    name: 'publish: a payload of 5 MiB of escapes',
    atOnce: 4,
    reached: '400 messages',
    body: () => batchOf(message(`{"a":"${'\\"'.repeat(LARGE / 2 - 100)}"}`)),
  }),
  batch({
    name: 'publish: a payload of 2.6 million levels',
    atOnce: 4,
    reached: '400',
    body: () => batchOf(message(`{"a":${'['.repeat(LARGE / 2 - 100)}${']'.repeat(LARGE / 2 - 100)}}`)),
  }),
  batch({
    name: 'publish: payloads of 10,000 members',
    atOnce: 4,
    reached: '400',
    body: () => batchOf(...times(40, () => message(`{${times(10_000, (n) => `"k${n}":1`).join(',')}}`))),
  }),
  batch({
    name: 'publish: numbers of 260,000 digits',
    atOnce: 4,
    reached: '',
    body: () => batchOf(...times(18, () => message(`{"a":${'9'.repeat(260_000)}}`))),
  }),
  batch({
    name: 'publish: valid batches of 5 MiB',
    atOnce: 2,
    reached: '202',
    body: () => batchOf(...times(20, () => message(`{"a":[${listed('[13.4,52.5]', 20_000)}]}`))),
  }),
  batch({
    name: 'publish: batches of 5 MiB under one idempotency key',
    parser: 'idempotency keys',
    atOnce: 2,
    reached: '',
    headers: { 'idempotency-key': 'hold-up' },
    body: () => batchOf(...times(20, () => message(`{"a":"${'x'.repeat(250_000)}"}`))),
  }),
  {
    name: 'publish: a new schema that compiles slowly',
    parser: 'schemas of channels',
    who: 'an author',
    atOnce: 4,
    reached: '400 schema',
    begin: (attacker) => () => attacker.sendKeyed(post('/v1/channels', { name: 'slow', schema: SLOW_PATTERNS })),
  },
  published({
    name: 'publish: a payload that a schema takes long to check',
    parser: 'schemas of channels',
    atOnce: 4,
    reached: '400 payload',
    channel: { schema: { properties: { a: { uniqueItems: true } } } },
    payload: () => ({ a: times(20_000, (n) => [n]) }),
  }),
  published({
    name: 'publish: the largest payload to 50 of the dearest filters',
    parser: 'filters',
    atOnce: 4,
    reached: '202',
    subscriptions: times(50, (n) => ({ filter: dearFilter(10 + n) })),
    payload: largestPayload,
  }),
  {
    name: 'publish: new filters that are refused for their cost',
    parser: 'filters',
    who: 'an author',
    atOnce: 4,
    reached: '400 filter',
    async begin(attacker) {
      const channelId = await attacker.channel();
      const nested = 'payload.a.exists(x, payload.b.exists(y, x < y)) || '.repeat(38);
      return (n) =>
        attacker.sendKeyed(
          post('/v1/subscriptions', {
            channelId,
            webhookUrl: 'http://127.0.0.1:4999',
            filter: `${nested}payload.c == ${n}`,
          }),
        );
    },
  },
];
