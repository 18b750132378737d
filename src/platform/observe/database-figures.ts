import { Gauge, Registry } from 'prom-client';
import type { Pool } from 'pg';
import { createPool } from '../db/connection.ts';
import {
  COUNT_BOUNDS,
  readBacklog,
  readOverdue,
  readRuns,
  readSessions,
  readTables,
  readTime,
  readWaiting,
  RETAINED,
  RUN_STATES,
  SESSION_STATES,
  STATES,
} from './figure-queries.ts';
import { type MetricValues, metricValuesOf } from './metrics-server.ts';

// However many scrapers there are and however often they scrape, PostgreSQL is read no more often than this.
const BACKLOG_EVERY_MS = 10_000;
// Reading the sizes of tables queries the file system, file by file.
const TABLES_EVERY_MS = 60_000;
// One index lookup per channel. A retention pass begins every 30 minutes.
const RETENTION_EVERY_MS = 300_000;
// A scrape usually times out after 10 s. Old values are better than none.
const STATEMENT_TIMEOUT_MS = 5_000;
export type DatabaseFigures = {
  /** As of the last reading, which is at most ten seconds old while PostgreSQL responds. */
  read(): Promise<MetricValues>;
  close(): Promise<void>;
};

/** The gauges that are read from PostgreSQL, in a registry of their own. */
export function createDatabaseGauges() {
  const registry = new Registry();
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    // Several pages may show the same database: the largest value is the newest of a growing one, and a sum would count it twice.
    new Gauge({ name, help, labelNames, registers: [registry], aggregator: 'max' });
  const up = gauge('posthorn_database_up', '1 if PostgreSQL answered the last query of these gauges, else 0.');
  const due = gauge(
    'posthorn_due_deliveries',
    `Due deliveries by state: first_attempt and retry wait for a worker, claimed belong to one, blocked wait for their subscription (paused, disabled, or its circuit breaker is open). Counting stops at ${COUNT_BOUNDS.perSubscription} for each subscription and ${COUNT_BOUNDS.inAll} in total.`,
    ['state'],
  );
  const age = gauge(
    'posthorn_oldest_due_delivery_age_seconds',
    'Time since the oldest due delivery became due, by the same states; 0 if there is none.',
    ['state'],
  );
  const scheduled = gauge(
    'posthorn_oldest_due_scheduled_message_age_seconds',
    'Time since the oldest overdue scheduled message was due; 0 if there is none.',
  );
  const runs = gauge(
    'posthorn_runs',
    `Unfinished workflow runs by state: pending wait for a worker, queued for their concurrency group, running have a worker, waiting are in a step that waits. Counting stops at ${COUNT_BOUNDS.inAll}.`,
    ['state'],
  );
  const runAge = gauge(
    'posthorn_oldest_due_run_age_seconds',
    'Time since the oldest workflow run waiting for a worker became due; 0 if there is none.',
  );
  const overdue = gauge(
    'posthorn_retention_overdue_seconds',
    'How far past its retention the oldest removable row is, by kind (messages, runs); 0 if there is none.',
    ['kind'],
  );
  const sessions = gauge(
    'posthorn_database_sessions',
    "PostgreSQL sessions of the service's user, of all its processes together, by state (active, waiting for a lock, idle, idle_in_transaction, other).",
    ['state'],
  );
  const bytes = gauge('posthorn_table_size_bytes', 'Size of a table with its indexes.', ['table']);
  const live = gauge('posthorn_table_live_rows', 'Live rows of a table, as estimated by PostgreSQL.', ['table']);
  const dead = gauge(
    'posthorn_table_dead_rows',
    'Dead rows that autovacuum has not removed yet, as estimated by PostgreSQL.',
    ['table'],
  );
  const inserted = gauge(
    'posthorn_table_inserted_rows',
    'Rows inserted since the statistics of PostgreSQL were last reset.',
    ['table'],
  );
  return { registry, up, due, age, scheduled, runs, runAge, overdue, sessions, bytes, live, dead, inserted };
}

/**
 * Reads metrics of the backlog, the tables, retention and connections from PostgreSQL. They have a connection of their own, so that a
 * scrape never uses one of the hot path, and no statement counts a large table. While PostgreSQL is unavailable, the values stay and
 * `posthorn_database_up` is 0; `onFailure` is called when that begins.
 */
export function createDatabaseFigures(databaseUrl: string, onFailure: (failure: unknown) => void): DatabaseFigures {
  const { registry, up, due, age, scheduled, runs, runAge, overdue, sessions, bytes, live, dead, inserted } =
    createDatabaseGauges();
  const pool: Pool = createPool(withTimeout(databaseUrl), { max: 1, connectWithinMs: 2_000 });
  let looking: Promise<void> | undefined;
  let isDown = false;
  let [backlogAt, tablesAt, retentionAt] = [
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];

  const lookAtBacklog = async (): Promise<void> => {
    const found = new Map((await readBacklog(pool)).map((row) => [row.state, row]));
    for (const state of STATES) {
      due.set({ state }, found.get(state)?.rows ?? 0);
      age.set({ state }, Math.max(0, found.get(state)?.age ?? 0));
    }
    scheduled.set(await readWaiting(pool));
    const ofRuns = new Map((await readRuns(pool)).map((row) => [row.state, row]));
    for (const state of RUN_STATES) runs.set({ state }, ofRuns.get(state)?.rows ?? 0);
    runAge.set(Math.max(0, ofRuns.get('pending')?.age ?? 0));
    const byState = new Map((await readSessions(pool)).map((row) => [row.state, row.sessions]));
    for (const state of SESSION_STATES) sessions.set({ state }, byState.get(state) ?? 0);
  };
  const lookAtTables = async (): Promise<void> => {
    for (const row of await readTables(pool)) {
      const table = row.name;
      bytes.set({ table }, row.bytes);
      live.set({ table }, row.live);
      dead.set({ table }, row.dead);
      inserted.set({ table }, row.inserted);
    }
  };
  const lookAtRetention = async (): Promise<void> => {
    const found = await readOverdue(pool, await readTime(pool));
    for (const kind of RETAINED) overdue.set({ kind }, found[kind]);
  };
  const look = async (): Promise<void> => {
    const now = performance.now();
    if (now - backlogAt < BACKLOG_EVERY_MS) return;
    backlogAt = now;
    try {
      await lookAtBacklog();
      if (now - tablesAt >= TABLES_EVERY_MS) {
        await lookAtTables();
        tablesAt = now;
      }
      if (now - retentionAt >= RETENTION_EVERY_MS) {
        // Set before the query, so that a slow one is not repeated every ten seconds.
        retentionAt = now;
        await lookAtRetention();
      }
      up.set(1);
      isDown = false;
    } catch (failure) {
      if (!isDown) onFailure(failure);
      isDown = true;
      up.set(0);
    }
  };

  return {
    async read() {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
      return metricValuesOf(registry);
    },
    close: () => pool.end(),
  };
}

function withTimeout(url: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  const ours = `-c statement_timeout=${STATEMENT_TIMEOUT_MS}`;
  address.searchParams.set('options', given === null ? ours : `${given} ${ours}`);
  return address.href;
}
