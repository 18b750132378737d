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

// Several scrapers, and scrapes every few seconds, read PostgreSQL this often at most.
const BACKLOG_EVERY_MS = 10_000;
// Sizes of tables are asked of the file system, file by file.
const TABLES_EVERY_MS = 60_000;
// One step into an index for each channel. A pass of retention begins every 30 minutes.
const RETENTION_EVERY_MS = 300_000;
// A scrape ends after 10 s as a rule. The last figures are better than none.
const STATEMENT_TIMEOUT_MS = 5_000;
export type DatabaseFigures = {
  /** As of the last look, which is ten seconds old at most while PostgreSQL answers. */
  read(): Promise<MetricValues>;
  close(): Promise<void>;
};

/**
 * Figures of the backlog, the tables, retention and connections, as PostgreSQL has them. They are read by a connection of their own, so
 * that a scrape never takes one of the hot path's, and no statement counts a large table. While PostgreSQL is away the figures stay and
 * `posthorn_database_up` is 0; `onFailure` is told when that begins.
 */
export function createDatabaseFigures(databaseUrl: string, onFailure: (failure: unknown) => void): DatabaseFigures {
  const registry = new Registry();
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    // Several pages show the same database; the largest is the newest of a growing thing, and a sum would count it twice.
    new Gauge({ name, help, labelNames, registers: [registry], aggregator: 'max' });
  const up = gauge('posthorn_database_up', '1 when PostgreSQL has answered the last look, else 0.');
  const due = gauge(
    'posthorn_due_deliveries',
    `Due deliveries by state: first_attempt and retry wait for a worker, claimed have one, blocked belong to a subscription that is paused, disabled or has an open circuit. Counting stops at ${COUNT_BOUNDS.perSubscription} for each subscription and ${COUNT_BOUNDS.inAll} in total.`,
    ['state'],
  );
  const age = gauge(
    'posthorn_oldest_due_delivery_age_seconds',
    'Time since the oldest of these was due; 0 without any.',
    ['state'],
  );
  const scheduled = gauge(
    'posthorn_oldest_due_scheduled_message_age_seconds',
    'Time since the oldest scheduled message that waits was due.',
  );
  const runs = gauge(
    'posthorn_runs',
    `Runs of workflows by state: pending wait for a worker, queued for their turn, running have a worker, waiting are in a step that waits. At least this many: ${COUNT_BOUNDS.inAll} are counted.`,
    ['state'],
  );
  const runAge = gauge(
    'posthorn_oldest_due_run_age_seconds',
    'Time since the oldest run that waits for a worker was due; 0 without any.',
  );
  const overdue = gauge(
    'posthorn_retention_overdue_seconds',
    'Time by which the oldest row that retention may remove is past its end, by kind (messages, runs); 0 without any.',
    ['kind'],
  );
  const sessions = gauge(
    'posthorn_database_sessions',
    'Connections of our user as PostgreSQL has them, of all roles together, by state: waiting are held up by a lock.',
    ['state'],
  );
  const bytes = gauge('posthorn_table_size_bytes', 'Size of a table with its indexes.', ['table']);
  const live = gauge('posthorn_table_live_rows', 'Rows of a table as PostgreSQL estimates them.', ['table']);
  const dead = gauge(
    'posthorn_table_dead_rows',
    'Dead rows that autovacuum has not removed yet, as PostgreSQL estimates them.',
    ['table'],
  );
  const inserted = gauge(
    'posthorn_table_inserted_rows',
    'Rows inserted since the statistics of PostgreSQL were reset.',
    ['table'],
  );

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
        // Before the look: one that takes too long is not made again every ten seconds.
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
