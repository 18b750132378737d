import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { findRuns } from '../../src/automations/runs/store.ts';
import { createDatabase, type Database, type DatabaseTransaction } from '../../src/platform/db/client.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { findCommitOrder } from '../../src/platform/db/sql/commit-order.ts';
import { queryAlong } from '../../src/platform/db/sql/walk.ts';
import { createTenants, type Tenants } from '../../src/platform/db/tenants.ts';
import { inTransaction } from '../../src/platform/db/transaction.ts';
import { selectRetryable } from '../../src/delivery/replays/delivery-store.ts';
import { type AttemptRecord, recordAttempts } from '../../src/delivery/record/statements/record.ts';
import { listDeliveries } from '../../src/delivery/record/store.ts';
import { createDueRows } from '../../src/delivery/queue/loop/claims/due-rows.ts';
import { BEGINNING, type StreamPosition } from '../../src/kernel/values/commit-position.ts';
import { COUNTED_CODES } from '../../src/kernel/words/outcomes.ts';
import { createNewId } from '../../src/platform/new-id.ts';
import { storePublications } from '../../src/delivery/record/statements/publish.ts';
import { withOutcomes } from '../../src/delivery/replays/outcome-store.ts';
import { lockDueOf } from '../../src/messaging/scheduling/due/due-store.ts';
import {
  countLeftOfChannel,
  MOST_LEFT_LOOKED_AT,
  countSubscriptions,
  countUnfinished,
  countWaiting,
  findChannelIds,
  findCounted,
  MOST_COUNTED,
  MOST_RUNS_LOOKED_AT,
} from '../../src/insight/stats/store.ts';
import {
  countOfChannel,
  countOfEnvironment,
  countOfSubscriptions,
  type DeliveryCounts,
  MOST_DELIVERIES_COUNTED,
} from '../../src/insight/stats/deliveries-store.ts';
import { spanOf } from '../../src/insight/stats/span.ts';
import { findPositionSince, findStreamStart, readBehind } from '../../src/messaging/streams/store.ts';
import { rowsRead } from '../support/check/rows-read.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription } from '../support/make/factories.ts';
import { holderOf } from '../support/make/holder.ts';
import { insertListed } from '../support/make/listed-rows.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { insertOverdue } from '../support/world/scheduled.ts';

describe('hot plans', () => {
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

  // Regression: with the statistics of a calm moment every group of results read all that a burst had brought: 1,000 deliveries a
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

  // Regression: each page of a backlog that the statistics did not know of gathered and sorted all of it.
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
        const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (ANALYZE, TIMING off) ${text}`, [
          ...values,
        ]);
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

  // Regression: each batch of a channel's turn sorted all that was due.
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

  // Regression: with a plan made for a list of this length each was compared with each, for hours.
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
});

describe('replay plans', () => {
  // Deliveries that there are, and those of the replay among them.
  const ROWS = 20_000;
  const OF_REPLAY = 200;
  // Each of the replay by an entry of its index and its row, twice where a filter looks at rows one by one; and a look into each index.
  const MOST_READ = 4 * OF_REPLAY + 100;
  const TABLES = ['deliveries', 'runs'];

  let posthorn: TestPosthorn;
  // One session, so that what it reads is counted when it says so.
  let db: Database;
  let environmentId: string;
  let channelId: string;
  let subscriptionId: string;
  let replayId: string;

  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
    ({ id: channelId } = await createChannel(posthorn));
    const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/' };
    subscriptionId = (await createSubscription(posthorn, target)).id;
    const other = (await createSubscription(posthorn, target)).id;
    ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
    const { pool, newId } = posthorn.deps;
    const insert = (status: string, count: number) =>
      insertListed(
        pool,
        { environmentId, channelId },
        { eventType: 'order.paid', status, count, to: [subscriptionId, other] },
      );
    // The statistics know of no replay, and of failures alone.
    await insert('failed', 40);
    await pool.query('ANALYZE');
    await insert('delivered', ROWS - 40);
    replayId = newId('bulkRetry');
    await pool.query(
      `UPDATE deliveries d SET replay_id = $2 FROM (SELECT id, row_number() OVER (ORDER BY status DESC, id) AS n FROM deliveries) AS numbered
     WHERE numbered.id = d.id AND d.environment_id = $1 AND n % ${ROWS / OF_REPLAY} = 1`,
      [environmentId, replayId],
    );
    // Entries of the rows before the update would count as read, once.
    await pool.query('VACUUM deliveries');
  });
  afterAll(async () => {
    await db.$disconnect();
    await posthorn.stop();
  });

  type Read = (transaction: DatabaseTransaction) => Promise<unknown>;

  test.each(['under row-level security', 'as the engine'])(
    'a page of the deliveries of a replay, and what has become of them, read those alone: %s',
    async (way) => {
      const tenants = createTenants({ db, pool: posthorn.database.pool });
      const { id: organisationId } = await posthorn.deps.db.organisation.findFirstOrThrow();
      const inTransaction = (read: Read): Promise<unknown> =>
        way === 'as the engine' ? db.$transaction(read) : tenants.within({ organisationId, environmentId }, read);
      const readsOf = (read: Read): Promise<number> => rowsRead(db, TABLES, () => inTransaction(read));
      const reads: [string, number][] = [];
      for (const status of [undefined, ['failed'], ['pending', 'retrying'], ['delivered']] as const)
        for (const own of [
          {},
          { channelId },
          { subscriptionId },
          { eventType: 'order.*' },
          { errorStatus: '5xx' },
          { held: 'true' as const },
          { minLatencyMs: 1_000 },
        ]) {
          const filter = { environmentId, replayId, ...own, status };
          const page = { limit: 20, after: undefined };
          const count = await readsOf((transaction) => listDeliveries(transaction, filter, page, new Date()));
          reads.push([JSON.stringify({ ...own, status }), count]);
        }
      let counted: object | undefined;
      const count = await readsOf(async (transaction) => {
        [counted] = await withOutcomes(transaction, environmentId, [{ id: replayId }], 10_000);
      });
      reads.push(['outcome', count]);
      expect(counted).toMatchObject({
        outcome: { succeeded: OF_REPLAY - 1, underWay: 0, failed: 1, isExact: true },
      });
      expect(reads.filter(([, each]) => !(each <= MOST_READ))).toEqual([]);
      expect(reads.some(([, each]) => each > 0)).toBe(true);
    },
  );
});

describe('retry plans', () => {
  const ROWS = 20_000;
  // Rows that a batch looks at first, of each of up to three walks, with their subscriptions; and a look into each index.
  const LOOKS = 200;
  const MOST_READ = 3 * 2 * LOOKS + 400;

  let posthorn: TestPosthorn;
  // One session, so that what it reads is counted when it says so.
  let db: Database;
  let environmentId: string;
  let channelId: string;
  let subscriptionId: string;

  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
    ({ id: channelId } = await createChannel(posthorn));
    const target = { channelId, webhookUrl: 'http://127.0.0.1:4000/' };
    subscriptionId = (await createSubscription(posthorn, target)).id;
    const other = (await createSubscription(posthorn, target)).id;
    ({ environmentId } = await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } }));
    const insert = (eventType: string, status: string, count: number) =>
      insertListed(
        posthorn.deps.pool,
        { environmentId, channelId },
        { eventType, status, count, to: [subscriptionId, other] },
      );
    // Statistics of a day on which nearly everything was of the types and states that are rare since.
    await insert('old.rare', 'failed', 40);
    await posthorn.deps.pool.query('ANALYZE');
    await insert('new.common', 'delivered', ROWS);
    await insert('new.common', 'pending', ROWS);
  });
  afterAll(async () => {
    await db.$disconnect();
    await posthorn.stop();
  });

  type List = (transaction: DatabaseTransaction) => Promise<unknown>;

  test.each(['under row-level security', 'as the engine'])(
    'a batch of a bulk retry reads what it looks at, by any filters together: %s',
    async (way) => {
      const tenants = createTenants({ db, pool: posthorn.database.pool });
      const { id: organisationId } = await posthorn.deps.db.organisation.findFirstOrThrow();
      const inTransaction = (list: List): Promise<unknown> =>
        way === 'as the engine' ? db.$transaction(list) : tenants.within({ organisationId, environmentId }, list);
      const newest = await db.delivery.findFirstOrThrow({ where: { environmentId }, orderBy: { id: 'desc' } });
      const reads: [string, number][] = [];
      for (const place of [{}, { channelId }, { subscriptionId }, { messageId: newest.messageId }])
        for (const filter of [
          {},
          ...(['pending', 'retrying', 'failed', 'delivered'] as const).map((status) => ({ status: [status] })),
          { status: ['retrying', 'failed'] as const },
          { status: ['pending', 'failed', 'delivered'] as const },
          { errorClass: 'tls' as const },
          { errorStatus: '5xx', eventType: 'new.*' },
          { minLatencyMs: 29_000 },
          { held: 'true' as const },
          { held: 'false' as const, status: ['delivered'] as const },
          { eventType: 'old.rare' },
          { eventType: 'none.*', status: ['delivered'] as const },
        ])
          for (const position of [undefined, 'dlv_0', 'dlv_z']) {
            const wanted = { environmentId, ...place, ...filter };
            const next = { position, looks: LOOKS, limit: 100, now: new Date() };
            const { text, values } = selectRetryable(wanted, next) ?? { text: 'SELECT 1', values: [] };
            const count = await rowsRead(db, ['deliveries', 'subscriptions', 'attempts', 'dead_letters'], () =>
              inTransaction((transaction) => queryAlong(transaction, text, { values })),
            );
            reads.push([JSON.stringify({ ...wanted, position }), count]);
          }
      expect(reads.filter(([, count]) => !(count <= MOST_READ))).toEqual([]);
      expect(reads.some(([, count]) => count > LOOKS)).toBe(true);
    },
  );
});

describe('run plans', () => {
  const ROWS = 20_000;
  /** Rows and index entries that a page may read. */
  const MOST_READ = 100;

  let posthorn: TestPosthorn;
  // One session, so that what it reads is counted when it says so.
  let db: Database;
  let tenants: Tenants;
  let place: { organisationId: string; environmentId: string };
  let workflowId: string;

  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
    tenants = createTenants({ db, pool: posthorn.database.pool });
    workflowId = await workflowCalls(posthorn).activate({ type: 'manual' }, [{ id: 'note', type: 'action' }]);
    const { environmentId } = await posthorn.deps.db.workflow.findUniqueOrThrow({ where: { id: workflowId } });
    const { id: organisationId } = await posthorn.deps.db.organisation.findFirstOrThrow();
    place = { organisationId, environmentId };
    // Statistics of a day on which no message began a run.
    await insert(40, 'NULL');
    await posthorn.deps.pool.query('ANALYZE runs');
    await insert(ROWS, `'msg_' || n`);
  });
  afterAll(async () => {
    await db.$disconnect();
    await posthorn.stop();
  });

  const insert = (count: number, messageId: string) =>
    posthorn.deps.pool.query(
      `INSERT INTO runs (id, environment_id, workflow_id, version, status, trigger_type, message_id)
     SELECT posthorn_id('run'), $1, $2, 1, 'completed', 'event', ${messageId} FROM generate_series(1, ${count}) n`,
      [place.environmentId, workflowId],
    );

  async function readSoFar(): Promise<number> {
    await db.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
    const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT (t.seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::float8 AS count
    FROM pg_stat_user_tables t WHERE t.relname = 'runs'`;
    return row?.count ?? Number.NaN;
  }

  // Regression: a list took one status, and for several PostgreSQL would go through all other runs, or sort those with them.
  test.each([
    ['of two statuses that nothing has', ['failed', 'paused'] as const, 0],
    ['of one that all have and one that none has', ['failed', 'completed'] as const, 21],
  ])('a page of runs %s reads a page, of all that there are', async (_, status, count) => {
    const before = await readSoFar();
    const runs = await tenants.within(place, (transaction) =>
      findRuns(
        transaction,
        { environmentId: place.environmentId, status, ids: {} },
        { limit: 20, after: undefined, hasOutputs: true },
      ),
    );
    expect(runs).toHaveLength(count);
    expect((await readSoFar()) - before).toBeLessThanOrEqual(MOST_READ);
  });

  test.each([
    ['the oldest', 'msg_1', 1],
    ['the newest', `msg_${ROWS}`, 1],
    ['no', 'msg_none', 0],
  ])('the runs of %s message are read alone, of all that there are', async (_, messageId, count) => {
    for (const status of [undefined, ['completed'], ['completed', 'failed']] as const) {
      const before = await readSoFar();
      const runs = await tenants.within(place, (transaction) =>
        findRuns(
          transaction,
          { environmentId: place.environmentId, messageId, status, ids: {} },
          { limit: 20, after: undefined, hasOutputs: true },
        ),
      );
      expect(runs.map(({ trigger }) => trigger.messageId)).toEqual(Array(count).fill(messageId));
      expect((await readSoFar()) - before).toBeLessThanOrEqual(MOST_READ);
    }
  });
});

describe('stats plans', () => {
  const MINUTE = 60_000;
  const CHANNELS = 20;
  // Minutes of two days, and hours of the same: what is kept of a busy channel.
  const KEPT = 2 * 1_440;

  let posthorn: TestPosthorn;
  // One session, so that what it reads is counted when it says so.
  let db: Database;
  let environmentId: string;
  const ids: string[] = [];

  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
    for (let n = 0; n < CHANNELS; n += 1) ids.push((await createChannel(posthorn)).id);
    ({ environmentId } = await posthorn.deps.db.channel.findFirstOrThrow({ where: { id: ids[0] ?? '' } }));
    for (const channelId of ids)
      await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
    const { pool } = posthorn.deps;
    // Statistics of a time with little of it.
    await pool.query('ANALYZE stat_counts, subscriptions, channels');
    for (const code of [COUNTED_CODES.accepted, 200, 503])
      await pool.query(
        `INSERT INTO stat_counts (of_id, environment_id, minutes, at, code, latency_class, count)
       SELECT o.id, $2, 1, date_trunc('minute', now()) - make_interval(mins => n), $3, 63, 1
       FROM unnest($1::text[]) o (id), generate_series(0, $4::int - 1) n`,
        [ids, environmentId, code, KEPT],
      );
  });
  afterAll(async () => {
    await db.$disconnect();
    await posthorn.stop();
  });

  test('figures of a page of channels read the span alone, of all that is kept', async () => {
    const since = new Date(Date.now() - 60 * MINUTE);
    const span = { since, until: new Date(), stepMs: 5 * MINUTE, minutes: 1 };
    const code = COUNTED_CODES.accepted;
    const read = await rowsRead(db, ['stat_counts'], async () => {
      const counted = await findCounted(db, { environmentId, ofIds: ids, code }, span);
      const sum = counted.reduce((before, { count }) => before + count, 0);
      // A minute may begin while this is written.
      expect(sum).toBeGreaterThanOrEqual(CHANNELS * 59);
      expect(sum).toBeLessThanOrEqual(CHANNELS * 61);
    });
    expect(read).toBeGreaterThan(0);
    // All three codes of an hour at most, and each of its rows beside its entry of the index.
    expect(read).toBeLessThanOrEqual(CHANNELS * 61 * 6);
  });

  test('subscriptions of a page of channels are counted along an index, and no channel beyond its bound', async () => {
    const [busy = ''] = ids;
    const { pool } = posthorn.deps;
    const { rows } = await pool.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'subscriptions' AND column_name <> 'id'`,
    );
    const columns = rows.map(({ column_name }) => column_name).join(', ');
    await pool.query(
      `INSERT INTO subscriptions (id, ${columns})
     SELECT left(id, -5) || lpad(n::text, 5, '0'), ${columns} FROM subscriptions, generate_series(1, 20000) n WHERE channel_id = $1`,
      [busy],
    );
    const read = await rowsRead(db, ['subscriptions'], async () => {
      const counts = await countSubscriptions(db, environmentId, ids);
      expect(counts.get(busy)).toBe(1_001);
      expect([...counts.values()].filter((count) => count === 1)).toHaveLength(CHANNELS - 1);
    });
    expect(read).toBeLessThanOrEqual(2 * (1_001 + CHANNELS));
  });

  test('a page of channels is found by its ids or by its place', async () => {
    for (const named of [ids, undefined]) {
      const read = await rowsRead(db, ['channels'], async () => {
        expect((await findChannelIds(db, environmentId, named)).length).toBeGreaterThanOrEqual(CHANNELS);
      });
      expect(read).toBeLessThanOrEqual(300);
    }
  });
});

describe('waiting plans', () => {
  const SUBSCRIPTIONS = 100;
  const BACKLOG = 20_000;
  /** Rows, by whose they are and where they are in their life (docs/explanation/life-of-a-delivery.md). */
  const ROWS = [
    { of: 0, count: BACKLOG, isDue: true, carrier: 'NULL', holder: 'NULL', tries: 0 },
    { of: 1, count: BACKLOG, isDue: true, carrier: 'NULL', holder: 'NULL', tries: 1 },
    { of: 2, count: BACKLOG, isDue: true, carrier: `'delivery/' || n`, holder: 'NULL', tries: 1 },
    // Ended ones keep their carrier, and claimed ones are being tried.
    { of: 3, count: BACKLOG, isDue: false, carrier: `'delivery/' || n`, holder: 'NULL', tries: 1 },
    { of: 4, count: BACKLOG, isDue: true, carrier: 'NULL', holder: `'inc_1'`, tries: 0 },
    ...Array.from({ length: SUBSCRIPTIONS - 5 }, (_, n) => {
      return { of: n + 5, count: 1, isDue: true, carrier: 'NULL', holder: 'NULL', tries: n % 2 };
    }),
  ];

  let posthorn: TestPosthorn;
  // One session, so that what it reads is counted when it says so.
  let db: Database;
  let tenants: Tenants;
  let place: { organisationId: string; environmentId: string };
  let ids: string[];

  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    db = createDatabase(posthorn.database.url, { max: 1, ...PATIENT });
    tenants = createTenants({ db, pool: posthorn.database.pool });
    const { id: channelId } = await createChannel(posthorn);
    ids = [];
    for (let n = 0; n < SUBSCRIPTIONS; n += 1)
      ids.push((await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' })).id);
    const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const { id: organisationId } = await db.organisation.findFirstOrThrow();
    place = { organisationId, environmentId };
    // Statistics of a time with nothing of it.
    await posthorn.deps.pool.query('ANALYZE deliveries, runs');
    for (const { of, count, isDue, carrier, holder, tries } of ROWS)
      await posthorn.deps.pool.query(
        `INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, attempts, policy_attempts,
         due_at, holder, carrier, max_retries, initial_delay, max_delay, backoff_multiplier)
       SELECT posthorn_id('dlv'), $1, $2, posthorn_id('msg'), $3, 'a.b', $4, $5, $5::int, ${isDue ? "now() + n * interval '1 second'" : 'NULL'},
         ${holder}, ${carrier}, 3, 1000, 1000, 1 FROM generate_series(1, $6::int) n`,
        [environmentId, channelId, ids[of], isDue ? (tries === 0 ? 'pending' : 'retrying') : 'delivered', tries, count],
      );
  });
  afterAll(async () => {
    await db.$disconnect();
    await posthorn.stop();
  });

  test.each(['of a calm time', 'of this one'])(
    'waiting deliveries of a page of subscriptions are counted along their indexes, no backlog beyond its bound, with statistics %s',
    async (statistics) => {
      if (statistics === 'of this one') await posthorn.deps.pool.query('ANALYZE deliveries');
      const read = await rowsRead(db, ['deliveries'], async () => {
        const counts = await tenants.list(place, (transaction) => countWaiting(transaction, ids));
        expect(ids.map((id) => counts.get(id))).toEqual([
          ...Array.from({ length: 3 }, () => MOST_COUNTED + 1),
          0,
          0,
          ...Array.from({ length: SUBSCRIPTIONS - 5 }, () => 1),
        ]);
      });
      // Each counted row beside its entry of the index.
      expect(read).toBeLessThanOrEqual(2 * (3 * (MOST_COUNTED + 1) + SUBSCRIPTIONS));
    },
  );

  test.each(['of a calm time', 'of this one'])(
    'deliveries by their state are counted along their indexes, and no more of them than the bound, with statistics %s',
    async (statistics) => {
      if (statistics === 'of this one') await posthorn.deps.pool.query('VACUUM ANALYZE deliveries');
      const share = MOST_DELIVERIES_COUNTED / SUBSCRIPTIONS;
      const { environmentId } = place;
      const span = spanOf({}, new Date());
      const { channelId } = await db.subscription.findUniqueOrThrow({ where: { id: ids[0] ?? '' } });
      const sums: number[] = [];
      const read = async (count: (transaction: DatabaseTransaction) => Promise<DeliveryCounts[]>): Promise<number> =>
        rowsRead(db, ['deliveries'], async () => {
          const found = await tenants.list(place, count);
          const rows = found.flatMap(({ counted }) => counted);
          sums.push(rows.reduce((sum, row) => sum + row.count, 0));
        });
      const ofAll = await read(async (each) => [await countOfEnvironment(each, environmentId, span)]);
      const ofPage = await read(async (each) => {
        const counts = await countOfSubscriptions(each, { environmentId, subscriptionIds: ids }, span);
        return [...counts.values()];
      });
      const ofChannel = await read(async (each) => [await countOfChannel(each, { environmentId, channelId }, span)]);
      const [all, page, channel] = sums;
      expect([all, page]).toEqual([MOST_DELIVERIES_COUNTED, 5 * share + SUBSCRIPTIONS - 5]);
      // Those of a channel are all cut at the time at which the busiest of its subscriptions is.
      expect(channel).toBeLessThanOrEqual(5 * share + SUBSCRIPTIONS - 5);
      // The bound is found first, and then they are counted.
      expect(ofAll).toBeLessThanOrEqual(2 * MOST_DELIVERIES_COUNTED + SUBSCRIPTIONS);
      expect(ofPage).toBeLessThanOrEqual(5 * share + SUBSCRIPTIONS);
      expect(ofChannel).toBeLessThanOrEqual(2 * (5 * share + SUBSCRIPTIONS) + SUBSCRIPTIONS);
    },
  );

  test('deliveries of a channel are looked for among so many of the environment, and the answer says that there may be more', async () => {
    const { id: calm } = await createChannel(posthorn);
    const count = (channelId: string) =>
      tenants.list(place, (transaction) =>
        countLeftOfChannel(transaction, { environmentId: place.environmentId, channelId, status: 'pending' }),
      );
    const read = await rowsRead(db, ['deliveries'], async () => {
      expect(await count(calm)).toEqual({ count: 0, oldestId: null, isCut: true });
    });
    expect(read).toBeLessThanOrEqual(2 * MOST_LEFT_LOOKED_AT);
    const { channelId: busy } = await db.subscription.findUniqueOrThrow({ where: { id: ids[0] ?? '' } });
    expect(await count(busy)).toMatchObject({ count: MOST_LEFT_LOOKED_AT, isCut: true });
  });

  test.each(['of a calm time', 'of this one'])(
    'unfinished runs are counted to a bound, of the environment and of one workflow of it, with statistics %s',
    async (statistics) => {
      const { pool } = posthorn.deps;
      if (statistics === 'of this one') await pool.query('ANALYZE runs');
      else {
        const make = () => workflowCalls(posthorn).activate({ type: 'manual' }, [{ id: 'note', type: 'action' }]);
        const [busy, calm] = [await make(), await make()];
        for (const [workflowId, status, count] of [
          [calm, 'running', 3],
          [busy, 'waiting', BACKLOG],
          [busy, 'completed', BACKLOG],
          [calm, 'waiting', 2],
        ])
          await pool.query(
            `INSERT INTO runs (id, environment_id, workflow_id, version, status, trigger_type, finished_at)
           SELECT posthorn_id('run'), $1, $2, 1, $3, 'manual', CASE $3 WHEN 'completed' THEN now() END FROM generate_series(1, $4::int)`,
            [place.environmentId, workflowId, status, count],
          );
      }
      const { workflowId: calm } = await db.run.findFirstOrThrow({ where: { status: 'running' } });
      const counts: unknown[] = [];
      const ofAll = await rowsRead(db, ['runs'], async () => {
        counts.push(await tenants.list(place, (each) => countUnfinished(each, place.environmentId, undefined)));
      });
      const ofOne = await rowsRead(db, ['runs'], async () => {
        counts.push(await tenants.list(place, (each) => countUnfinished(each, place.environmentId, calm)));
      });
      expect(counts).toEqual([
        { count: MOST_COUNTED + 4, isMore: true },
        { count: 5, isMore: true },
      ]);
      expect(ofAll).toBeLessThanOrEqual(2 * (MOST_COUNTED + 4));
      expect(ofOne).toBeLessThanOrEqual(2 * (MOST_RUNS_LOOKED_AT + 4));
    },
  );
});
