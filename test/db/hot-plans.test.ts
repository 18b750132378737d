import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createPool } from '../../src/db/connections/pool.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { type AttemptRecord, recordAttempts } from '../../src/deliveries/statements/record.ts';
import { createDueRows } from '../../src/dispatch/loop/claims/due-rows.ts';
import { lockDueOf } from '../../src/scheduling/due/due-store.ts';
import { storePublications } from '../../src/publishing/storing/store.ts';
import { findCommitOrder } from '../../src/db/sql/commit-order.ts';
import { findPositionSince, findStreamStart, readBehind } from '../../src/streams/store.ts';
import { createNewId } from '../../src/new-id.ts';
import { BEGINNING, type StreamPosition } from '../../src/kernel/values/commit-position.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { holderOf } from '../support/make/holder.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { insertOverdue } from '../support/world/scheduled.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { PATIENT } from '../support/service/patience.ts';

const newId = createNewId(Date.now);
const GROUP = 50;
let posthorn: TestPosthorn;
// One session, so that its prepared statements and its share of the statistics are those of the test.
let pool: Pool;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  pool = createPool(posthorn.database.url, { max: 1, ...PATIENT });
});
afterAll(async () => {
  await pool.end();
  await posthorn.stop();
});

const publish = async (environmentId: string, channelId: string, count: number): Promise<string[]> => {
  const messages = Array.from({ length: count }, () => ({
    id: newId('message'),
    eventType: 'a.b',
    payload: '{}',
    metadata: undefined,
    publishedAt: new Date(),
  }));
  const { taken } = await storePublications(pool, [{ environmentId, channelId, messages }], holderOf('inc_1', count));
  return taken.map(({ id }) => id);
};

const delivered = (deliveryId: string): AttemptRecord => ({
  attemptId: newId('attempt'),
  deliveryId,
  round: 1,
  number: 1,
  carrier: 'drain/inc_1/1',
  keepsCarrier: false,
  startedAt: new Date(),
  durationMs: 1,
  requestVersion: 1,
  status: 'delivered',
  dueAt: null,
  deadLetterReason: null,
  error: null,
  response: { status: 200, headers: {}, body: 'ok', latencyMs: 1 },
});

const readsOf = async (index: string): Promise<number> => {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ count: number }>(
    `SELECT idx_tup_read::int AS count FROM pg_stat_user_indexes WHERE indexrelname = $1`,
    [index],
  );
  return rows[0]?.count ?? Number.NaN;
};

// Old: with the statistics of a calm moment every group of results read all that a burst had brought: 1,000 deliveries a
// second instead of 5,000, and four seconds of delay for everybody.
test('recording reads what it records, however much is unfinished and however calm the statistics were', async () => {
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
  const { rows } = await pool.query<{ id: string }>('SELECT environment_id AS id FROM channels WHERE id = $1', [
    channelId,
  ]);
  const environmentId = rows[0]?.id ?? '';
  const record = (ids: readonly string[]): Promise<Set<string>> => recordAttempts(pool, ids.map(delivered));

  await record(await publish(environmentId, channelId, 2_000));
  await pool.query('ANALYZE');
  const ids = await publish(environmentId, channelId, 2_000);
  const before = await readsOf('deliveries_unfinished');
  // More often than the five times after which PostgreSQL keeps a generic plan.
  for (let start = 0; start < 10 * GROUP; start += GROUP) {
    expect((await record(ids.slice(start, start + GROUP))).size).toBe(GROUP);
  }

  expect((await readsOf('deliveries_unfinished')) - before).toBe(0);
});

// Old: each page of a backlog that the statistics did not know of gathered and sorted all of it.
test('a stream reads a page of a backlog, not the backlog, however calm the statistics were', async () => {
  const index = 'messages_channel_id_transaction_id_id_idx';
  const { id: channelId } = await createChannel(posthorn);
  const { rows } = await pool.query<{ id: string }>('SELECT environment_id AS id FROM channels WHERE id = $1', [
    channelId,
  ]);
  const environmentId = rows[0]?.id ?? '';
  // Channels of 80 scattered messages each: that is what the statistics expect of this one, too.
  await pool.query(
    `INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
     SELECT posthorn_id('msg'), $1, 'chn_' || n % 25, 'a', '{}', now() FROM generate_series(1, 2000) n`,
    [environmentId],
  );
  await pool.query('ANALYZE');
  await publish(environmentId, channelId, 5_000);
  // Transactions of other test files hold every stream of this server back until they end.
  await waitFor('older transactions to end', async () => {
    const read = await readBehind(pool, [{ channelId, ...BEGINNING }]);
    return read.rows.length > 0;
  });

  const before = await readsOf(index);
  let position: StreamPosition = BEGINNING;
  for (let page = 0; page < 10; page += 1) {
    const read = await readBehind(pool, [{ channelId, ...position }]);
    expect([read.rows.length, read.hasMore]).toEqual([100, true]);
    position = read.rows.at(-1) ?? position;
  }
  const start = await findStreamStart(pool, environmentId, channelId);
  expect(start?.last.id).not.toBe('');
  // Pages of 100 and the last message.
  expect((await readsOf(index)) - before).toBeLessThan(1_100);

  // Reads the minute behind the first message by this index or another one, whichever PostgreSQL thinks cheaper, and once.
  expect(await findPositionSince(pool, channelId, { since: new Date(0), bound: start?.bound ?? '' })).toBeDefined();
  expect((await readsOf(index)) - before).toBeLessThan(6_100);
});

test('the order of commits is read by its index, and without a look at locks while no transaction is in progress', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const planOf = async (): Promise<string> => {
    const lines: string[] = [];
    await findCommitOrder(async (text, values) => {
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, TIMING off) ${text}`, [...values]);
      lines.push(...rows.map((row) => row['QUERY PLAN']));
      return pool.query(text, [...values]).then(({ rows: found }) => found);
    }, channelId);
    return lines.join('\n');
  };
  // Transactions of other test files are in progress now and then.
  const calm = await waitFor(
    'no transaction to be in progress',
    async () => {
      const plan = await planOf();
      return /pg_lock_status.*never executed/.test(plan) && plan;
    },
    120_000,
  );
  expect(calm).toMatch(/Index Cond: \(\(channel_id = .*\) AND \(transaction_id < /);
  const writing = await posthorn.deps.pool.connect();
  try {
    await writing.query('BEGIN; SELECT pg_current_xact_id()');
    // In a snapshot a transaction is in progress once a younger one has ended.
    await posthorn.deps.pool.query('SELECT pg_current_xact_id()');
    expect(await planOf()).toMatch(/pg_lock_status.*actual rows/);
  } finally {
    writing.release(true);
  }
}, 150_000);

// Old: each batch of a channel's turn sorted all that was due.
test('publishing what is due reads its batch, not all that is due, however calm the statistics were', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { rows } = await pool.query<{ id: string }>('SELECT environment_id AS id FROM channels WHERE id = $1', [
    channelId,
  ]);
  await pool.query(
    `INSERT INTO scheduled_messages (id, environment_id, channel_id, event_type, payload, deliver_at, due_at)
     SELECT posthorn_id('msg'), $1, 'chn_' || n % 25, 'a', '{}', d.at, d.at
     FROM generate_series(1, 2000) n, (SELECT now() + interval '1 day' AS at) d`,
    [rows[0]?.id],
  );
  await pool.query('ANALYZE');
  await insertOverdue(posthorn, channelId, { agoMs: 60_000, count: 5_000 });

  const before = await readsOf('scheduled_messages_due');
  for (let batch = 0; batch < 10; batch += 1) {
    const turn = { count: 125, now: new Date() };
    expect(await inTransaction(pool, (connection) => lockDueOf(connection, [channelId], turn))).toHaveLength(125);
  }

  expect((await readsOf('scheduled_messages_due')) - before).toBe(0);
});

// Kept from planning a claim with the index by time, or with all of a lane, where statistics were made in a calm moment.
test('a claim reads what it takes of each turn, not the backlog, however calm the statistics were', async () => {
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  await pool.query('ANALYZE');
  await publish(environmentId, channelId, 5_000);
  await pool.query('UPDATE deliveries SET holder = NULL WHERE channel_id = $1', [channelId]);
  const due = createDueRows({ pool, incarnationId: 'inc_1' });
  await due.look();

  const before = [await readsOf('deliveries_first_tries'), await readsOf('deliveries_due')];
  let claimed = 0;
  for (let turn = 0; turn < 10; turn += 1) {
    due.expect();
    await due.look();
    claimed += (await due.claim('first', { count: 6, perSubscription: 2, except: [] })).length;
  }
  const after = [await readsOf('deliveries_first_tries'), await readsOf('deliveries_due')];

  expect(claimed).toBe(20);
  // Entries of rows that were claimed just before are read over; of the index by time each page is read once, and once more
  // by the trail.
  expect((after[0] ?? 0) - (before[0] ?? 0)).toBeLessThan(500);
  expect((after[1] ?? 0) - (before[1] ?? 0)).toBeLessThan(12_000);
});

// Old: with a plan made for a list of this length each was compared with each, for hours.
test('matches of filters are looked up in a hash table, however many they are', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const { environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } });
  await publish(environmentId, channelId, 1);
  // The statement that this session has just prepared.
  const list = `string_to_array(repeat('x,', 500000), ',')`;
  const explain = `EXPLAIN EXECUTE publish ('{m}', '{e}', '{c}', '{t}', '{p}', '{NULL}', '{now}', '{NULL}', NULL, '{NULL}', NULL, NULL, ${list}, ${list}, NULL, NULL, 1000)`;
  try {
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await pool.query(`SET plan_cache_mode = ${mode}`);
      const { rows } = await pool.query<{ 'QUERY PLAN': string }>(explain);
      const asked = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('filter IS NULL'));
      expect([mode, asked]).toEqual([mode, [expect.stringMatching(/filter IS NULL\) OR \(ANY \(.*hashed SubPlan/)]]);
    }
  } finally {
    await pool.query('RESET plan_cache_mode');
  }
});
