import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannel, createSubscription, type PageJson } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { make } from '../support/make/seed.ts';
import { tableContents } from '../support/check/table-contents.ts';

type Accepted = { count: number; ids: string[]; status: string };
type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };
type Message = { id: string; channelId: string; payload: unknown; deliveryStatus: string };

const message = { eventType: 'order.created', payload: { n: 1 } };
const MISSING = `chn_01m${'0'.repeat(23)}`;

let posthorn: TestPosthorn;
let one: string;
let other: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
beforeEach(async () => {
  one = (await createChannel(posthorn)).id;
  other = (await createChannel(posthorn)).id;
});
afterAll(() => posthorn.stop());

const list = async (channelId: string): Promise<Message[]> =>
  (await posthorn.request<PageJson<Message>>('GET', `/v1/channels/${channelId}/messages?limit=100`)).body.data;

describe.each(['/v1/messages/batch', '/v1/messages/transactional'])('POST %s', (path) => {
  const send = <T = Accepted>(messages: unknown, headers: Record<string, string> = {}): Promise<Answer<T>> =>
    posthorn.request<T>('POST', path, { messages }, { headers });

  /** Expects the refusal and every table as it was. */
  async function expectRefused(messages: unknown, status: number, code: string, field: string | undefined) {
    const before = await tableContents(posthorn.deps.pool);
    const { status: answered, body } = await send<Refusal>(messages);
    expect([answered, body.error.code, body.error.details?.field]).toEqual([status, code, field]);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  }

  test('publishes to every channel it names and answers with the ids in the order of the request', async () => {
    await createSubscription(posthorn, { channelId: one, webhookUrl: 'https://example.com/in' });
    const messages = [one, other, one, other, other].map((channelId, n) => ({ ...message, channelId, payload: { n } }));
    const answer = await send(messages);
    expect([answer.status, answer.body]).toEqual([202, { count: 5, ids: expect.any(Array), status: 'accepted' }]);
    const { ids } = answer.body;
    expect((await list(one)).map(({ id, payload, deliveryStatus }) => ({ id, payload, deliveryStatus }))).toEqual([
      { id: ids[2], payload: { n: 2 }, deliveryStatus: 'pending' },
      { id: ids[0], payload: { n: 0 }, deliveryStatus: 'pending' },
    ]);
    expect((await list(other)).map(({ id, deliveryStatus }) => [id, deliveryStatus])).toEqual([
      [ids[4], 'unrouted'],
      [ids[3], 'unrouted'],
      [ids[1], 'unrouted'],
    ]);
  });

  test('takes 100 messages to 100 channels, each digit as it came', async () => {
    const channelIds = await Promise.all(Array.from({ length: 100 }, async () => (await createChannel(posthorn)).id));
    const texts = channelIds.map((id) => `{"channelId":"${id}","eventType":"a","payload":{"n":1.10}}`);
    const answer = await posthorn.request<Accepted>('POST', path, `{"messages":[${texts.join(',')}]}`);
    expect([answer.status, new Set(answer.body.ids).size]).toEqual([202, 100]);
    const { rows } = await posthorn.deps.pool.query<{ channel: string; payload: string }>(
      'SELECT channel_id AS channel, payload FROM messages WHERE id = ANY($1) ORDER BY id',
      [answer.body.ids],
    );
    expect(rows).toEqual(channelIds.map((channel) => ({ channel, payload: '{"n":1.10}' })));
  });

  test.each([
    ['none', [], 'messages'],
    ['101', Array.from({ length: 101 }, () => ({ ...message, channelId: 'x' })), 'messages'],
    ['an object', {}, 'messages'],
    ['nothing', undefined, 'messages'],
  ])('refuses %s', async (_, messages, field) => {
    await expectRefused(messages, 400, 'INVALID_REQUEST', field);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no eventType', { eventType: undefined }, 'messages[3].eventType'],
    ['an eventType that is empty', { eventType: '' }, 'messages[3].eventType'],
    ['a payload that is no object', { payload: [] }, 'messages[3].payload'],
    ['a payload too large', { payload: { text: 'x'.repeat(262_144) } }, 'messages[3].payload'],
    ['metadata that is no text', { metadata: { a: 1 } }, 'messages[3].metadata.a'],
    ['no channelId', { channelId: undefined }, 'messages[3].channelId'],
    ['a channelId that is no text', { channelId: 7 }, 'messages[3].channelId'],
    ['a channelId that is missing', { channelId: MISSING }, 'messages[3].channelId'],
    ['a channelId that is none', { channelId: "' OR 1=1 --" }, 'messages[3].channelId'],
    ['an id that is empty', { id: '' }, 'messages[3].id'],
    ['an id with a space', { id: 'a b' }, 'messages[3].id'],
    ['an id beyond ASCII', { id: 'ä' }, 'messages[3].id'],
    ['an id too long', { id: 'x'.repeat(129) }, 'messages[3].id'],
    ['an id that is no text', { id: 1 }, 'messages[3].id'],
  ])('refuses all five when the fourth has %s', async (_, bad, field) => {
    await createSubscription(posthorn, { channelId: one, webhookUrl: 'https://example.com/in' });
    const good: unknown[] = [one, other, one, other, one].map((channelId) => ({ ...message, channelId }));
    await expectRefused(good.with(3, { ...message, channelId: other, ...bad }), 400, 'INVALID_REQUEST', field);
  });

  test.each(['paused', 'archived'])('is CONFLICT for all when one channel is %s', async (status) => {
    await createSubscription(posthorn, { channelId: one, webhookUrl: 'https://example.com/in' });
    await posthorn.request('PATCH', `/v1/channels/${other}`, { status });
    const messages = [one, one, other].map((channelId) => ({ ...message, channelId }));
    await expectRefused(messages, 409, 'CONFLICT', 'messages[2].channelId');
    await expectRefused(messages.slice(2), 409, 'CONFLICT', 'messages[0].channelId');
  });

  test("refuses a deleted channel, another environment's and the service's own", async () => {
    const deleted = await createChannel(posthorn);
    await posthorn.request('DELETE', `/v1/channels/${deleted.id}`);
    const foreign = await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'test' });
    const system = await posthorn.deps.db.channel.findFirstOrThrow({
      where: { kind: 'system', environment: { kind: 'live' } },
    });
    for (const [channelId, status, code] of [
      [deleted.id, 400, 'INVALID_REQUEST'],
      [foreign.id, 400, 'INVALID_REQUEST'],
      [system.id, 409, 'CONFLICT'],
    ] as const) {
      const messages = [one, channelId].map((id) => ({ ...message, channelId: id, id: 'order-1' }));
      await expectRefused(messages, status, code, 'messages[1].channelId');
    }
  });

  test('stores nothing in any channel when PostgreSQL refuses the last message', async () => {
    await createSubscription(posthorn, { channelId: one, webhookUrl: 'https://example.com/in' });
    const { pool } = posthorn.deps;
    await pool.query(`ALTER TABLE messages ADD CONSTRAINT no_bad_type CHECK (event_type <> 'bad')`);
    const before = await tableContents(pool);
    const messages = [one, other, one].map((channelId, n) => ({ ...message, channelId, id: `order-${n}` }));
    const answer = await send([...messages, { ...message, channelId: other, eventType: 'bad' }], {
      'idempotency-key': 'refused-by-postgres',
    });
    await pool.query('ALTER TABLE messages DROP CONSTRAINT no_bad_type');
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await tableContents(pool)).toEqual(before);
  });

  test('takes one publisher id once in each channel, and not twice in one', async () => {
    const twice = [one, other, one].map((channelId) => ({ ...message, channelId, id: 'order-1' }));
    await expectRefused(twice, 400, 'INVALID_REQUEST', 'messages[2].id');
    const answer = await send(twice.slice(0, 2));
    expect([answer.status, new Set(answer.body.ids).size]).toEqual([202, 2]);
    expect((await send(twice.slice(1))).body.ids).toEqual([answer.body.ids[1], answer.body.ids[0]]);
    expect([await list(one), await list(other)].map(({ length }) => length)).toEqual([1, 1]);
  });
});

test('both batch paths draw from one bucket of 10 a minute, the transactional one from its own, and their headers win', async () => {
  const { key } = await make(posthorn, posthorn.keys.live, '/v1/api-keys', { name: 'till', tier: 'pro' });
  const call = async (path: string, messages: unknown) => {
    const answer = await posthorn.request('POST', path, { messages }, { key: String(key) });
    return [answer.status, answer.headers.get('x-ratelimit-limit'), answer.headers.get('x-ratelimit-remaining')];
  };
  const across = [{ ...message, channelId: one }];
  for (let left = 9; left > 0; left -= 2) {
    expect(await call('/v1/messages/batch', across)).toEqual([202, '10', String(left)]);
    expect(await call(`/v1/channels/${one}/messages/batch`, [message])).toEqual([202, '10', String(left - 1)]);
  }
  for (const path of ['/v1/messages/batch', `/v1/channels/${one}/messages/batch`]) {
    expect(await call(path, across)).toEqual([429, '10', '0']);
  }
  for (let left = 9; left >= 0; left -= 1) {
    expect(await call('/v1/messages/transactional', across)).toEqual([202, '10', String(left)]);
  }
  expect(await call('/v1/messages/transactional', across)).toEqual([429, '10', '0']);
  expect(await call(`/v1/channels/${one}/messages`, [])).toEqual([400, '6000', expect.any(String)]);
});
