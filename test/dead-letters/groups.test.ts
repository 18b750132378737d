import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { MOST_EXAMINED } from '../../src/delivery/dead-letters/store.ts';
import { runBatch } from '../../src/delivery/replays/batches.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Group = { count: number; counts: number[]; lastId: string; firstFailedAt: string; lastFailedAt: string } & Record<
  string,
  unknown
>;
type Groups = { groups: Group[]; from?: string; until?: string; examined: number; isExact: boolean };
type Failure = { errorClass?: string; errorStatus?: number; status?: string; reason?: string };

let posthorn: TestPosthorn;
let channelId: string;
let environmentId: string;
let first: string;
let second: string;
const LONG_AGO = Date.parse('2026-01-01T00:00:00Z');

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
beforeEach(async () => {
  await posthorn.deps.pool.query('TRUNCATE dead_letters, deliveries, messages, bulk_replays CASCADE');
  ({ id: channelId } = await createChannel(posthorn));
  const wanted = { channelId, webhookUrl: 'https://example.com/in' };
  first = (await createSubscription(posthorn, wanted)).id;
  second = (await createSubscription(posthorn, wanted)).id;
  ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
});

/** Deliveries of new messages to a subscription that were given up: one each second from `since` on. */
async function give(subscriptionId: string, count: number, failure: Failure = {}, since = LONG_AGO): Promise<void> {
  const { errorClass = null, errorStatus = null, status = 'open', reason = 'exhausted' } = failure;
  const ids = Array.from({ length: count }, (_, at) =>
    posthorn.deps.newId('deadLetter', new Date(since + (at + 1) * 1_000)),
  );
  await posthorn.deps.pool.query(
    `WITH message AS (
       INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, 'order.created', '{}', now() FROM generate_series(1, $3) RETURNING id
     ), delivery AS (
       INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, max_retries,
         initial_delay, max_delay, backoff_multiplier)
       SELECT posthorn_id('dlv'), $1, $2, id, $4, 'order.created', 'failed', 0, 0, 0, 1 FROM message RETURNING id, message_id
     ), numbered AS (
       SELECT *, row_number() OVER () AS number FROM delivery
     )
     INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round, event_type, status,
       reason, error_class, error_status, attempts, failed_at)
     SELECT ($9::text[])[number], $1, $2, message_id, $4, id, 1, 'order.created', $5, $6, $7, $8, 1, now() FROM numbered`,
    [environmentId, channelId, count, subscriptionId, status, reason, errorClass, errorStatus, ids],
  );
}

const groups = async (query = ''): Promise<Groups> => {
  const { status, body } = await posthorn.request<Groups>('GET', `/v1/dlq/groups${query}`);
  expect(status).toBe(200);
  return body;
};
const bare = ({ groups: all }: Groups): object[] =>
  all.map(({ kind, subscriptionId, reason, errorClass, errorStatus, count }) => ({
    kind,
    subscriptionId,
    reason,
    errorClass,
    errorStatus,
    count,
  }));

test('open dead letters are counted by what they have in common, the largest group first', async () => {
  expect(await groups()).toEqual({ groups: [], examined: 0, isExact: true });
  await give(first, 2, { errorClass: 'status', errorStatus: 503 });
  await give(first, 1, { errorClass: 'status', errorStatus: 500 });
  await give(second, 3, { errorClass: 'connect' });
  await give(second, 4, { errorClass: 'connect', reason: 'circuit' });
  await give(second, 9, { errorClass: 'connect', status: 'replayed' });
  const found = await groups();
  expect([found.examined, found.isExact]).toEqual([10, true]);
  const of = (subscriptionId: string, fields: object): object => ({ kind: 'delivery', subscriptionId, ...fields });
  expect(bare(found)).toEqual([
    of(second, { reason: 'circuit', errorClass: 'connect', count: 4 }),
    of(second, { reason: 'exhausted', errorClass: 'connect', count: 3 }),
    of(first, { reason: 'exhausted', errorClass: 'status', errorStatus: 503, count: 2 }),
    of(first, { reason: 'exhausted', errorClass: 'status', errorStatus: 500, count: 1 }),
  ]);
  const [largest] = found.groups;
  expect([largest?.firstFailedAt, largest?.lastFailedAt]).toEqual(
    [1, 4].map((seconds) => new Date(LONG_AGO + seconds * 1_000).toISOString()),
  );
  // Their times, from the first of all to the last, in 24 steps: three seconds between them.
  expect([found.from, found.until]).toEqual(
    [1, 4].map((seconds) => new Date(LONG_AGO + seconds * 1_000).toISOString()),
  );
  expect(largest?.counts).toEqual(Array.from({ length: 24 }, (_, step) => (step % 8 === 0 || step === 23 ? 1 : 0)));
  expect(found.groups.map(({ count, counts }) => [count, counts.reduce((sum, each) => sum + each, 0)])).toEqual(
    found.groups.map(({ count }) => [count, count]),
  );
  const { body: last } = await posthorn.request('GET', `/v1/dlq/${largest?.lastId}`);
  expect(last).toMatchObject({ failedAt: largest?.lastFailedAt, reason: 'circuit' });
});

test('the groups are those of a filter, and an invalid filter is refused', async () => {
  await give(first, 2, { errorClass: 'timeout' });
  await give(second, 3, { errorClass: 'timeout' }, LONG_AGO + 60_000);
  const counts = async (query: string): Promise<number[]> => (await groups(query)).groups.map(({ count }) => count);
  expect(await counts(`?subscriptionId=${first}`)).toEqual([2]);
  expect(await counts(`?channelId=${channelId}`)).toEqual([3, 2]);
  expect(await counts('?channelId=nothing')).toEqual([]);
  expect(await counts('?errorClass=timeout&kind=delivery&reason=exhausted')).toEqual([3, 2]);
  for (const none of [
    'errorClass=dns',
    'errorStatus=5xx',
    'reason=gone',
    'kind=run',
    'eventType=none',
    'messageId=msg_none',
  ])
    expect(await counts(`?${none}`)).toEqual([]);
  expect(await counts('?since=2026-01-01T00:00:30Z')).toEqual([3]);
  expect(await counts('?until=2026-01-01T00:00:02Z')).toEqual([1]);
  for (const [query, field] of [
    ['status=replayed', 'status'],
    ['limit=5', 'limit'],
    ['since=yesterday', 'since'],
  ]) {
    const { status, body } = await posthorn.request('GET', `/v1/dlq/groups?${query}`);
    expect([status, body]).toMatchObject([400, { error: { details: { field } } }]);
  }
});

test('a request reads the newest 10,000, and says so', async () => {
  await give(first, 5, { errorClass: 'dns' });
  await give(second, MOST_EXAMINED - 2, { errorClass: 'tls' }, LONG_AGO + 3_600_000);
  const found = await groups();
  expect([found.examined, found.isExact, found.groups.map(({ count }) => count)]).toEqual([
    MOST_EXAMINED,
    false,
    [MOST_EXAMINED - 2, 2],
  ]);
  await posthorn.deps.pool.query(
    'DELETE FROM dead_letters WHERE id IN (SELECT id FROM dead_letters ORDER BY id LIMIT 3)',
  );
  expect(await groups()).toMatchObject({ examined: MOST_EXAMINED, isExact: true });
});

test('a group is listed and replayed by its class and its status', async () => {
  await give(first, 2, { errorClass: 'status', errorStatus: 503 });
  await give(first, 1, { errorClass: 'status', errorStatus: 500 });
  await give(second, 3, { errorClass: 'status', errorStatus: 503 });
  await give(second, 4, { errorClass: 'connect' });
  const listed = async (query: string): Promise<number> =>
    (await posthorn.request<{ data: unknown[] }>('GET', `/v1/dlq?limit=100&${query}`)).body.data.length;
  expect(await listed('errorStatus=503')).toBe(5);
  expect(await listed('errorClass=status')).toBe(6);
  expect(await listed('errorStatus=5xx')).toBe(6);
  expect(await listed('errorStatus=5xx&status=open&kind=delivery&errorClass=status')).toBe(6);
  expect(await listed('errorStatus=4xx')).toBe(0);
  expect(await listed(`errorStatus=503&errorClass=status&subscriptionId=${first}&reason=exhausted&status=open`)).toBe(
    2,
  );
  expect(await listed('errorStatus=503&eventType=order.*')).toBe(5);
  expect(await listed('errorStatus=503&errorClass=connect')).toBe(0);
  const ask = (body: object) => posthorn.request<{ id: string; matched: number }>('POST', '/v1/dlq/replay', body);
  expect((await ask({ errorStatus: 503, dryRun: true })).body.matched).toBe(5);
  expect(await ask({ errorStatus: '503' })).toMatchObject({
    status: 400,
    body: { error: { details: { field: 'errorStatus' } } },
  });
  const filter = { errorClass: 'status', errorStatus: 503, subscriptionId: second };
  const { body: replay } = await ask(filter);
  expect(replay).toMatchObject({ matched: 3, filter });
  const run = { kind: 'replayDeadLetters', id: replay.id, carrier: 'x', now: new Date() } as const;
  expect(await runBatch(posthorn.deps, run)).toMatchObject({ isFinished: true, counts: { replayed: 3 } });
  expect(bare(await groups())).toMatchObject([{ count: 4 }, { count: 2 }, { count: 1 }]);
  expect((await posthorn.request('GET', `/v1/dlq/replay/${replay.id}`)).body).toMatchObject({ replayed: 3, filter });
});
