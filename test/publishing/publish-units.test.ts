import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createChannel } from '../support/make/factories.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { newIdempotencyKey } from '../support/service/two-apis.ts';

type MessageJson = { id: string };

let posthorn: TestPosthorn;
let channelId: string;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
beforeEach(async () => {
  channelId = (await createChannel(posthorn)).id;
});
afterAll(() => posthorn.stop());

const publish = (n: number, { id = `order-${n}`, to = channelId, key = newIdempotencyKey() } = {}) =>
  posthorn.request<MessageJson>(
    'POST',
    `/v1/channels/${to}/messages`,
    { id, eventType: 'order.created', payload: { n } },
    { headers: { 'idempotency-key': key } },
  );
const statusesOf = (answers: readonly Answer<unknown>[]): number[] => answers.map(({ status }) => status);
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
/** The stored messages of the channel: their numbers, and in how many transactions. */
const stored = async (): Promise<{ numbers: number[]; transactions: number }> => {
  const { rows } = await posthorn.deps.pool.query<{ n: number; transaction: string }>(
    `SELECT (payload::json ->> 'n')::int AS n, transaction_id::text AS transaction FROM messages WHERE channel_id = $1 ORDER BY 1`,
    [channelId],
  );
  return { numbers: rows.map(({ n }) => n), transactions: new Set(rows.map(({ transaction }) => transaction)).size };
};

test('publishes with keys and ids that come together share transactions, and each can be repeated', async () => {
  const keys = numbers(60).map(() => newIdempotencyKey());
  const first = await Promise.all(keys.map((key, n) => publish(n, { key })));
  expect(new Set(statusesOf(first))).toEqual(new Set([202]));
  const { transactions, ...rest } = await stored();
  expect(rest).toEqual({ numbers: numbers(60) });
  expect(transactions).toBeLessThan(60);
  const again = await Promise.all(keys.map((key, n) => publish(n, { key })));
  expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
  expect(await stored()).toEqual({ ...rest, transactions });
});

test('a refused unit of a group is refused alone: a paused channel, an id of another message', async () => {
  const paused = (await createChannel(posthorn)).id;
  await posthorn.request('PATCH', `/v1/channels/${paused}`, { status: 'paused' });
  await publish(1_000, { id: 'taken' });
  const answers = await Promise.all(
    numbers(60).map((n) => publish(n, n % 5 === 0 ? { to: paused } : n % 5 === 1 ? { id: 'taken' } : {})),
  );
  expect(statusesOf(answers)).toEqual(numbers(60).map((n) => (n % 5 < 2 ? 409 : 202)));
  expect((await stored()).numbers).toEqual([...numbers(60).filter((n) => n % 5 >= 2), 1_000]);
});

test('an id that another process is about to publish holds up whoever uses it, and nobody else', async () => {
  const connection = await posthorn.deps.pool.connect();
  try {
    await connection.query('BEGIN');
    await connection.query(
      `INSERT INTO publisher_ids (environment_id, channel_id, publisher_id, message_id, hash, expires_at)
       SELECT environment_id, id, 'held', 'msg_of_another', '', now() + interval '1 day' FROM channels WHERE id = $1`,
      [channelId],
    );
    let isHeld = true;
    const held = publish(1_000, { id: 'held' }).finally(() => {
      isHeld = false;
    });
    const others = await Promise.all(numbers(30).map((n) => publish(n)));
    expect(new Set(statusesOf(others))).toEqual(new Set([202]));
    // The unit gives up with 409 after five seconds: on a machine that stalled it may have done so already.
    if (!isHeld) expect((await held).status).toBe(409);
    await connection.query('ROLLBACK');
    if ((await held).status !== 202) expect((await publish(1_000, { id: 'held' })).status).toBe(202);
    expect((await stored()).numbers).toEqual([...numbers(30), 1_000]);
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
});
