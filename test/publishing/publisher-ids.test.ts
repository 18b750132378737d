import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannel, createSubscription, type PageJson } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { make } from '../support/make/seed.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { type SecondApi, startSecondApi } from '../support/service/two-apis.ts';
import { waitFor } from '../support/check/wait-for.ts';

type MessageJson = { id: string; payload: unknown; publishedAt: string; deliveryStatus: string };
type Accepted = { count: number; ids: string[]; status: string };
type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };

const message = { id: 'order-1', eventType: 'order.created', payload: { n: 1 }, metadata: { a: '1', b: '2' } };

let posthorn: TestPosthorn;
let second: SecondApi;
let channelId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  second = await startSecondApi(posthorn);
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
});
afterAll(async () => {
  await second.stop();
  await posthorn.stop();
});

const path = (): string => `/v1/channels/${channelId}/messages`;
const send = <T = MessageJson>(body: unknown): Promise<Answer<T>> => posthorn.request<T>('POST', path(), body);
const sendBatch = <T = Accepted>(messages: unknown): Promise<Answer<T>> =>
  posthorn.request<T>('POST', `${path()}/batch`, { messages });
const list = async (): Promise<MessageJson[]> =>
  (await posthorn.request<PageJson<MessageJson>>('GET', `${path()}?limit=100`)).body.data;

async function expectRefused(answering: () => Promise<Answer<Refusal>>, status: number, field: string): Promise<void> {
  const before = await tableContents(posthorn.deps.pool);
  const { status: answered, body } = await answering();
  expect([answered, body.error.details?.field]).toEqual([status, field]);
  expect(body.error.code).toBe(status === 409 ? 'CONFLICT' : 'INVALID_REQUEST');
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
}

test('a message published again under the same id is the first one, as it is now, and nothing is published anew', async () => {
  await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
  const first = await send(message);
  expect(first.status).toBe(202);
  expect(Object.keys(first.body)).not.toContain('publisherId');
  expect(first.body.id).toMatch(/^msg_/);
  await posthorn.deps.pool.query(`UPDATE deliveries SET status = 'delivered', due_at = NULL WHERE message_id = $1`, [
    first.body.id,
  ]);
  const before = await tableContents(posthorn.deps.pool);
  const again = await send({ ...message, metadata: { b: '2', a: '1' } });
  expect([again.status, again.body]).toEqual([202, { ...first.body, deliveryStatus: 'delivered' }]);
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  // Nothing is published, so nothing depends on the channel.
  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
  expect((await send(message)).body.id).toBe(first.body.id);
});

test('a batch publishes what is new in it and names the first message in the place of what is not', async () => {
  const { body: first } = await send(message);
  const batch = [{ ...message, id: 'order-0' }, message, { ...message, id: 'order-2' }, { ...message, id: undefined }];
  const answer = await sendBatch(batch);
  expect([answer.status, answer.body.count, answer.body.ids[1]]).toEqual([202, 4, first.id]);
  expect((await list()).map(({ id }) => id)).toEqual([...answer.body.ids.toReversed().toSpliced(2, 1), first.id]);
  const again = await sendBatch(batch.slice(0, 3));
  expect(again.body.ids).toEqual(answer.body.ids.slice(0, 3));
  expect(await list()).toHaveLength(4);
});

test.each([
  ['eventType', { eventType: 'order.changed' }],
  ['payload', { payload: { n: 2 } }],
  ['metadata', { metadata: { a: '1' } }],
  ['no metadata', { metadata: undefined }],
])('the same id with another %s is CONFLICT and publishes nothing, nor what stands beside it', async (_, change) => {
  await send(message);
  await expectRefused(() => send({ ...message, ...change }), 409, 'id');
  const batch = [
    { ...message, id: 'order-0' },
    { ...message, ...change },
  ];
  await expectRefused(() => sendBatch(batch), 409, 'messages[1].id');
});

test('a payload is the same when its text is, digit for digit', async () => {
  const body = (n: string): string => `{"id":"order-1","eventType":"a","payload":{"n":${n}}}`;
  const first = await send(body('1.0'));
  expect((await send(body('1.0'))).body.id).toBe(first.body.id);
  await expectRefused(() => send(body('1')), 409, 'id');
});

test('two messages with one id in a batch are refused', async () => {
  await expectRefused(() => sendBatch([message, { ...message, id: 'order-2' }, message]), 400, 'messages[2].id');
});

test.each([
  ['empty', ''],
  ['longer than 128 characters', 'x'.repeat(129)],
  ['with a space', 'a b'],
  ['with a line feed', 'a\n'],
  ['beyond ASCII', 'é'],
  ['a number', 7],
])('an id that is %s is refused', async (_, id) => {
  await expectRefused(() => send({ ...message, id }), 400, 'id');
});

test('an id holds any 128 visible ASCII characters, for its own channel and environment', async () => {
  const id = String.fromCharCode(...Array.from({ length: 94 }, (_, n) => n + 33)).padEnd(128, '~');
  const first = await send({ ...message, id });
  expect((await send({ ...message, id })).body.id).toBe(first.body.id);
  const other = await createChannel(posthorn);
  const elsewhere = await posthorn.request<MessageJson>('POST', `/v1/channels/${other.id}/messages`, {
    ...message,
    id,
  });
  expect([elsewhere.status, elsewhere.body.id === first.body.id]).toEqual([202, false]);
  const before = await tableContents(posthorn.deps.pool);
  const foreign = await posthorn.request('POST', path(), { ...message, id }, { key: posthorn.keys.test });
  expect([foreign.status, JSON.stringify(foreign.body).includes(first.body.id)]).toEqual([404, false]);
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
});

describe('once the schema of the channel asks for more', () => {
  const tighten = async (): Promise<void> => {
    const schemas = { 'order.created': { type: 'object', required: ['amount'] } };
    const { status } = await posthorn.request('PATCH', `/v1/channels/${channelId}`, { schemas, schemaMode: 'enforce' });
    expect(status).toBe(200);
  };
  const fitting = { ...message, id: 'order-2', payload: { amount: 1 } };

  test('a message published again is the first one, whether this process knows the schema or not', async () => {
    const first = await send(message);
    await tighten();
    const unaware = await send(message);
    await send(fitting);
    const aware = await send(message);
    expect([unaware, aware].map(({ status, body }) => [status, body.id])).toEqual([
      [202, first.body.id],
      [202, first.body.id],
    ]);
    expect((await sendBatch([message, { ...fitting, id: 'order-3' }])).body.ids[0]).toBe(first.body.id);
    expect(await list()).toHaveLength(3);
  });

  test('one that is new does not fit, and its id stays free', async () => {
    await tighten();
    await expectRefused(() => send(message), 400, 'payload.amount');
    await expectRefused(() => sendBatch([fitting, message]), 400, 'messages[1].payload.amount');
    expect((await send({ ...message, payload: { amount: 2 } })).status).toBe(202);
  });

  test('another message under a known id is CONFLICT, before anything is said of its payload', async () => {
    await send(message);
    await tighten();
    await expectRefused(() => send({ ...message, payload: { n: 2 } }), 409, 'id');
    await expectRefused(
      () =>
        sendBatch([
          { ...message, id: 'order-9' },
          { ...message, payload: {} },
        ]),
      409,
      'messages[1].id',
    );
  });

  test('one that does not fit is refused alone: what shares its transaction is published', async () => {
    await tighten();
    const ids = Array.from({ length: 20 }, (_, n) => `order-${n}`);
    const answers = await Promise.all(
      ids.map((id, n) => send({ ...message, id, payload: n % 2 === 0 ? { amount: n } : { n } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(ids.map((_, n) => (n % 2 === 0 ? 202 : 400)));
    expect(await list()).toHaveLength(10);
  });
});

test('an id that was refused is free', async () => {
  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
  expect((await send(message)).status).toBe(409);
  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'active' });
  expect((await send({ ...message, payload: { n: 2 } })).status).toBe(202);
});

/**
 * Sends like a caller that is told to come again: a request that met another one under its id, on a machine that stalls in its
 * transaction for five seconds, is 409 with Retry-After. Every other refusal of an id has no Retry-After.
 */
const sendTo = (url: string, body: unknown): Promise<Response> =>
  waitFor('the id to be free', async () => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${posthorn.keys.live}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (response.status !== 409 || !response.headers.has('retry-after')) return response;
    await response.body?.cancel();
    return false;
  });

test('50 at once through two API instances are one message, and all get it', async () => {
  await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, n) => {
      const response = await sendTo((n % 2 === 0 ? posthorn.url : second.url) + path(), message);
      return [response.status, await response.text()];
    }),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.[0]).toBe(202);
  expect(await list()).toHaveLength(1);
  expect(await posthorn.deps.db.delivery.count({ where: { channelId } })).toBe(1);
});

test('batches with the same ids in opposite orders wait for each other without a deadlock', async () => {
  const { pool } = posthorn.deps;
  // Each id takes 20 ms, so that all of them are in the middle at once.
  await pool.query(`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(0.02); RETURN NEW; END $$;
    CREATE TRIGGER slowly BEFORE INSERT ON publisher_ids FOR EACH ROW EXECUTE FUNCTION slowly()`);
  const messages = Array.from({ length: 10 }, (_, n) => ({ ...message, id: `order-${n}` }));
  const answers = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const batch = n % 2 === 0 ? messages : messages.toReversed();
      const url = `${n % 3 === 0 ? posthorn.url : second.url}${path()}/batch`;
      const response = await sendTo(url, { messages: batch });
      const { ids = [] } = (await response.json()) as Partial<Accepted>;
      return { status: response.status, ids: n % 2 === 0 ? ids : ids.toReversed() };
    }),
  );
  await pool.query('DROP FUNCTION slowly() CASCADE');
  expect(answers).toEqual(answers.map(() => ({ status: 202, ids: answers[0]?.ids })));
  expect(await list()).toHaveLength(10);
});

test('after 24 hours an id is free for another message', async () => {
  const first = await send(message);
  await posthorn.deps.pool.query(
    `UPDATE publisher_ids SET expires_at = now() - interval '1 second' WHERE channel_id = $1`,
    [channelId],
  );
  const later = await send({ ...message, payload: { n: 2 } });
  expect([later.status, later.body.id === first.body.id]).toEqual([202, false]);
  expect((await send({ ...message, payload: { n: 2 } })).body.id).toBe(later.body.id);
  const { rows } = await posthorn.deps.pool.query<{ hours: number }>(
    `SELECT extract(epoch FROM expires_at - now())::float / 3600 AS hours FROM publisher_ids WHERE channel_id = $1`,
    [channelId],
  );
  expect(rows).toEqual([{ hours: expect.closeTo(24, 1) }]);
});

test('an id whose message is gone still stands for it', async () => {
  const first = await send(message);
  await posthorn.deps.db.message.delete({ where: { id: first.body.id } });
  const again = await send(message);
  expect([again.status, again.body]).toEqual([202, first.body]);
  expect(await list()).toEqual([]);
});

test('an id that is null is none', async () => {
  const { body: first } = await send({ ...message, id: null });
  const { body: second } = await send({ ...message, id: null });
  expect(first.id).toMatch(/^msg_/);
  expect(second.id).not.toBe(first.id);
});

test('a test message of a subscription has no such id', async () => {
  const { id } = await make(posthorn, posthorn.keys.live, '/v1/subscriptions', {
    channelId,
    webhookUrl: 'https://example.com/in',
  });
  await expectRefused(
    () => posthorn.request('POST', `/v1/subscriptions/${id}/test`, { id: 'x', payload: {} }),
    400,
    'id',
  );
});
