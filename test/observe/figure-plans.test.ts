import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import { createExplainingPool, type Executed } from '../../bench/plans.ts';
import {
  readBacklog,
  readOldestDue,
  readOverdue,
  readRuns,
  readSessions,
  readTables,
  readWaiting,
} from '../../src/platform/observe/figure-queries.ts';
import { createDatabaseFigures } from '../../src/platform/observe/database-figures.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { insertOrganisation } from '../support/make/organisation.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { createNewId } from '../../src/platform/new-id.ts';

// So many finished deliveries that PostgreSQL would rather walk an index than read them all.
const FINISHED = 20_000;
const WAITING = 5_000;
/** Tables that grow with the messages. Reading one from end to end would make a scrape dearer from day to day. */
const GROWING = ['messages', 'deliveries', 'attempts', 'dead_letters', 'scheduled_messages', 'runs', 'run_concurrency'];
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db, pool } = database;
  await insertOrganisation({ db, newId: createNewId(Date.now) });
  const connection = await pool.connect();
  try {
    await fill(connection);
  } finally {
    connection.release(true);
  }
  await pool.query('ANALYZE');
});
afterAll(() => database.drop());

async function fill(connection: PoolClient): Promise<void> {
  // As a dump is restored: rows of ten thousands of messages without the checks of each.
  await connection.query('SET session_replication_role = replica');
  await connection.query(`
    WITH environment AS (SELECT id FROM environments LIMIT 1), channel AS (
      INSERT INTO channels (id, environment_id, name, updated_at) SELECT 'chn_1', id, 'One', now() FROM environment RETURNING 1
    ) INSERT INTO subscriptions (id, environment_id, channel_id, name, webhook_url, event_types, max_retries, initial_delay,
        max_delay, backoff_multiplier, updated_at)
      SELECT 'sub_' || n, id, 'chn_1', 'S', 'https://receiver.example', ARRAY['*'], 3, 1000, 1000, 1, now()
      FROM environment CROSS JOIN generate_series(1, 100) AS n`);
  const deliveries = (count: number, from: number, dueAt: string, holder: string): Promise<unknown> =>
    connection.query(`
      INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, attempts,
        policy_attempts, due_at, holder, max_retries, initial_delay, max_delay, backoff_multiplier)
      SELECT 'dlv_' || n, (SELECT id FROM environments LIMIT 1), 'chn_1', 'msg_' || n, 'sub_' || (n % 100 + 1), 'e',
        'delivered', 1, n % 2, ${dueAt}, ${holder}, 3, 1000, 1000, 1
      FROM generate_series(${from}, ${from + count - 1}) AS n`);
  await deliveries(FINISHED, 1, 'NULL', 'NULL');
  await deliveries(100, FINISHED + 1, "now() - interval '30 s'", 'NULL');
  await deliveries(10, FINISHED + 101, "now() - interval '10 s'", "'inc_1'");
  // PostgreSQL reads an empty table from end to end, and is right.
  await connection.query(`
    INSERT INTO dead_letters (id, environment_id, kind, reason, channel_id, message_id, delivery_id, subscription_id, event_type,
      round, attempts, failed_at)
    SELECT 'dlq_' || n, (SELECT id FROM environments LIMIT 1), 'delivery', 'exhausted', 'chn_1', 'msg_' || n, 'dlv_' || n,
      'sub_' || (n % 100 + 1), 'e', 1, 1, now()
    FROM generate_series(1, ${FINISHED}) AS n`);
  // Ids that begin with 0 are older than any limit of retention.
  await connection.query(`
    INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
    SELECT 'msg_0' || n, (SELECT id FROM environments LIMIT 1), 'chn_1', 'e', '{}', now() - interval '31 days'
    FROM generate_series(1, ${FINISHED}) AS n`);
  await connection.query(`
    INSERT INTO scheduled_messages (id, environment_id, channel_id, event_type, payload, due_at, deliver_at)
    SELECT 'msg_' || n, (SELECT id FROM environments LIMIT 1), 'chn_1', 'e', '{}', now() + n * interval '1 s' - interval '20 s',
      now() FROM generate_series(1, ${WAITING}) AS n`);
  const runs = (
    state: string,
    count: number,
    columns: { due?: string; carrier?: string; ended?: string },
  ): Promise<unknown> =>
    connection.query(`
      INSERT INTO runs (id, environment_id, workflow_id, version, status, trigger_type, due_at, carrier, finished_at)
      SELECT 'run_${state}' || n, (SELECT id FROM environments LIMIT 1), 'wfl_1', 1, '${state}', 'event', ${columns.due ?? 'NULL'},
        ${columns.carrier ?? 'NULL'}, ${columns.ended ?? 'NULL'} FROM generate_series(1, ${count}) AS n`);
  await runs('completed', FINISHED, { carrier: "'run/1'", ended: 'now()' });
  await runs('pending', 7, { due: "now() - interval '30 s'" });
  await runs('running', 3, { carrier: "'run/1'" });
  await runs('waiting', 4, { carrier: "'run/1'" });
  await connection.query(`
    INSERT INTO run_concurrency (run_id, environment_id, gate, is_admitted)
    SELECT 'run_' || n, (SELECT id FROM environments LIMIT 1), 'wfl_1/', n > 5 FROM generate_series(1, ${FINISHED}) AS n`);
}

test('no query of the metrics reads a table from end to end that grows with the messages', async () => {
  const executed: Executed[] = [];
  const pool = createExplainingPool(database.url, (one) => executed.push(one));
  try {
    for (const read of [readBacklog, readOldestDue, readWaiting, readRuns, readTables, readSessions]) await read(pool);
    await readOverdue(pool, new Date());
  } finally {
    await pool.end();
  }
  expect(executed).toHaveLength(8);
  expect(executed.flatMap(({ scanned }) => scanned).filter((table) => GROWING.includes(table))).toEqual([]);
});

test('the figures count first tries, retries and claimed deliveries, with the age of the oldest', async () => {
  const found = new Map((await readBacklog(database.pool)).map(({ state, ...figures }) => [state, figures]));
  expect([...found].map(([state, { rows }]) => [state, rows])).toEqual(
    expect.arrayContaining([
      ['first_attempt', 50],
      ['retry', 50],
      ['claimed', 10],
    ]),
  );
  expect(found.get('first_attempt')?.age).toBeGreaterThanOrEqual(30);
  expect(found.get('claimed')?.age).toBeGreaterThanOrEqual(10);
  expect(await readWaiting(database.pool)).toBeGreaterThanOrEqual(19);
  const runs = new Map((await readRuns(database.pool)).map(({ state, ...figures }) => [state, figures]));
  expect(Object.fromEntries([...runs].map(([state, { rows }]) => [state, rows]))).toEqual({
    pending: 7,
    queued: 5,
    running: 3,
    waiting: 4,
  });
  expect(runs.get('pending')?.age).toBeGreaterThanOrEqual(30);
});

test('the oldest due delivery is one that the service should send: neither stopped nor behind an open circuit', async () => {
  const { pool } = database;
  const HOURS = 3_600;
  for (const attempts of [0, 1]) {
    await pool.query(
      `UPDATE deliveries SET due_at = now() - interval '10 hours' WHERE id = (
         SELECT max(id) FROM deliveries WHERE due_at IS NOT NULL AND holder IS NULL AND policy_attempts = $1)`,
      [attempts],
    );
    expect(await readOldestDue(pool)).toBeGreaterThanOrEqual(10 * HOURS);
    for (const [stop, go] of [
      ['circuit_opened_at = now()', 'circuit_opened_at = NULL'],
      [`status = 'paused'`, `status = 'active'`],
    ]) {
      await pool.query(`UPDATE subscriptions SET ${stop}`);
      // The claimed ones are left, which were due some seconds ago.
      const claimed = await readOldestDue(pool);
      expect([claimed > 0, claimed < 5 * HOURS]).toEqual([true, true]);
      await pool.query(`UPDATE subscriptions SET ${go}`);
    }
    await pool.query(
      `UPDATE deliveries SET due_at = now() - interval '30 s' WHERE due_at < now() - interval '5 hours'`,
    );
  }
});

test('connections are counted by state: one that waits for a lock, and one that is idle in a transaction', async () => {
  const [holder, waiter] = [await database.pool.connect(), await database.pool.connect()];
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT pg_advisory_xact_lock(1)');
    const locked = waiter.query('SELECT pg_advisory_xact_lock(1)');
    await waitFor('both states to be seen', async () => {
      const found = new Map((await readSessions(database.pool)).map(({ state, sessions }) => [state, sessions]));
      return found.get('waiting') === 1 && found.get('idle_in_transaction') === 1;
    });
    await holder.query('COMMIT');
    await locked;
    const states = (await readSessions(database.pool)).map(({ state }) => state);
    expect(states.filter((state) => state === 'waiting' || state === 'idle_in_transaction')).toEqual([]);
  } finally {
    holder.release();
    waiter.release();
  }
});

test('while PostgreSQL is away its figures stay, its gauge falls, and one line tells it', async () => {
  const failures: unknown[] = [];
  const away = createDatabaseFigures('postgresql://nobody@127.0.0.1:1/none', (failure) => failures.push(failure));
  const here = createDatabaseFigures(database.url, (failure) => failures.push(failure));
  try {
    const gauge = async (figures: typeof away): Promise<unknown> =>
      (await figures.read()).find(({ name }) => name === 'posthorn_database_up')?.values[0]?.value;
    expect(await gauge(here)).toBe(1);
    expect([await gauge(away), await gauge(away)]).toEqual([0, 0]);
    expect(failures).toHaveLength(1);
  } finally {
    await Promise.all([away.close(), here.close()]);
  }
});
