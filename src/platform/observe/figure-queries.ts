import type { Pool } from 'pg';
import { keepsMessage, keepsRun, IS_ACTIVE } from '../db/sql/fragments.ts';
import { RETENTION_DAYS, retentionLimits } from '../../kernel/rules/resource-bounds.ts';

// Maximum rows counted per subscription and in total: 100,000 index entries take about 50 ms, however long the backlog is.
export const COUNT_BOUNDS = { perSubscription: 10_000, inAll: 100_000 } as const;
// Maximum expired rows of a channel or environment that are checked for exemptions: about 3 ms if all are exempt.
const ASKED_WHETHER_KEPT = 1_000;

const unclaimed = (lane: '= 0' | '> 0', limit: number): string => `
  SELECT d.due_at FROM deliveries d
  WHERE d.subscription_id = s.id AND d.due_at IS NOT NULL AND d.holder IS NULL AND d.carrier IS NULL
    AND d.policy_attempts ${lane} AND d.due_at <= now() ORDER BY d.due_at LIMIT ${limit}`;

const lane = (state: string, attempts: '= 0' | '> 0', limit: number): string => `
  SELECT CASE WHEN ${IS_ACTIVE} THEN '${state}' ELSE 'blocked' END AS state, due.due_at
  FROM subscriptions s CROSS JOIN LATERAL (${unclaimed(attempts, limit)}) AS due
  WHERE s.deleted_at IS NULL`;

const CLAIMED = `SELECT 'claimed' AS state, d.due_at FROM deliveries d
  WHERE d.holder IS NOT NULL AND d.due_at <= now() LIMIT ${COUNT_BOUNDS.inAll}`;

// The oldest row is one index entry per subscription, so all subscriptions are searched.
const BACKLOG = `
  WITH claimed AS MATERIALIZED (${CLAIMED}), counted AS (
    SELECT state, count(*) AS rows FROM (
      (${lane('first_attempt', '= 0', COUNT_BOUNDS.perSubscription)} LIMIT ${COUNT_BOUNDS.inAll})
      UNION ALL (${lane('retry', '> 0', COUNT_BOUNDS.perSubscription)} LIMIT ${COUNT_BOUNDS.inAll})
      UNION ALL SELECT state, due_at FROM claimed
    ) AS bounded GROUP BY state
  ), oldest AS (
    SELECT state, extract(epoch FROM now() - min(due_at))::float8 AS age FROM (
      (${lane('first_attempt', '= 0', 1)}) UNION ALL (${lane('retry', '> 0', 1)})
      UNION ALL SELECT state, due_at FROM claimed
    ) AS first GROUP BY state
  )
  SELECT state, rows::float8 AS rows, age FROM counted JOIN oldest USING (state)`;

// A subscription whose circuit is open keeps the due times of its deliveries, which say nothing about the service.
const oldestOfLane = (attempts: '= 0' | '> 0'): string => `
  SELECT due.due_at FROM subscriptions s CROSS JOIN LATERAL (${unclaimed(attempts, 1)}) AS due
  WHERE s.deleted_at IS NULL AND s.circuit_opened_at IS NULL AND ${IS_ACTIVE}`;

const OLDEST_DUE = `
  SELECT coalesce(extract(epoch FROM now() - min(due_at)), 0)::float8 AS age FROM (
    (${oldestOfLane('= 0')}) UNION ALL (${oldestOfLane('> 0')}) UNION ALL (SELECT due_at FROM (${CLAIMED}) AS claimed)
  ) AS oldest`;

const WAITING = `SELECT coalesce(extract(epoch FROM now() - min(due_at)), 0)::float8 AS age
  FROM (SELECT due_at FROM scheduled_messages WHERE due_at <= now() ORDER BY due_at LIMIT 1) AS first`;

// Indexes of unfinished runs, and of those queued for their concurrency group.
const RUNS = `
  SELECT status AS state, count(*)::float8 AS rows, max(extract(epoch FROM now() - due_at))::float8 AS age FROM (
    (SELECT 'pending' AS status, due_at FROM runs WHERE due_at <= now() AND status = 'pending' ORDER BY due_at LIMIT ${COUNT_BOUNDS.inAll})
    UNION ALL
    (SELECT 'queued', NULL FROM run_concurrency WHERE NOT is_admitted LIMIT ${COUNT_BOUNDS.inAll})
    UNION ALL
    (SELECT status, NULL FROM runs WHERE carrier IS NOT NULL AND finished_at IS NULL LIMIT ${COUNT_BOUNDS.inAll})
  ) AS bounded GROUP BY status`;

const TABLES = `
  SELECT relname AS name, pg_total_relation_size(relid)::float8 AS bytes, n_live_tup::float8 AS live,
    n_dead_tup::float8 AS dead, n_tup_ins::float8 AS inserted
  FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname <> '_prisma_migrations'`;

// The first expired row of each channel, by its index, that is not exempt. The limit for d days is $1[d].
const OVERDUE_MESSAGES = `
  SELECT max(extract(epoch FROM $2::timestamptz - make_interval(days => c.retention_days) - oldest.published_at))::float8 AS seconds
  FROM channels c CROSS JOIN LATERAL (
    SELECT expired.published_at FROM (
      SELECT m.id, m.published_at FROM messages m WHERE m.channel_id = c.id AND m.id < ($1::text[])[c.retention_days]
      ORDER BY m.id LIMIT ${ASKED_WHETHER_KEPT}
    ) AS expired WHERE NOT EXISTS (${keepsMessage('expired.id')}) ORDER BY expired.id LIMIT 1
  ) AS oldest`;

const OVERDUE_RUNS = `
  SELECT max(extract(epoch FROM $2::timestamptz - make_interval(days => own.days) - oldest.finished_at))::float8 AS seconds
  FROM environments e JOIN apps a ON a.id = e.app_id
  CROSS JOIN LATERAL (SELECT coalesce((a.settings ->> 'retentionDays')::int, ${RETENTION_DAYS.default}) AS days) AS own
  CROSS JOIN LATERAL (
    SELECT expired.finished_at FROM (
      SELECT r.id, r.finished_at FROM runs r WHERE r.environment_id = e.id AND r.id < ($1::text[])[own.days]
      ORDER BY r.id LIMIT ${ASKED_WHETHER_KEPT}
    ) AS expired
    WHERE expired.finished_at < $2::timestamptz - make_interval(days => own.days) AND NOT EXISTS (${keepsRun('expired.id')})
    ORDER BY expired.id LIMIT 1
  ) AS oldest`;

// A user can see the states of its own connections without further rights. Excludes the connection that asks.
const SESSIONS = `
  SELECT CASE WHEN state = 'active' AND wait_event_type = 'Lock' THEN 'waiting' WHEN state IN ('active', 'idle') THEN state
    WHEN state LIKE 'idle in transaction%' THEN 'idle_in_transaction' ELSE 'other' END AS state, count(*)::float8 AS sessions
  FROM pg_stat_activity
  WHERE datname = current_database() AND usename = session_user AND backend_type = 'client backend' AND pid <> pg_backend_pid()
  GROUP BY 1`;

export const STATES = ['first_attempt', 'retry', 'claimed', 'blocked'] as const;

export type BacklogRow = { state: string; rows: number; age: number };
type TableRow = { name: string; bytes: number; live: number; dead: number; inserted: number };

/** Due deliveries by state, with the age of the oldest in seconds. A state without any has no row. */
export const readBacklog = async (pool: Pool): Promise<BacklogRow[]> => (await pool.query<BacklogRow>(BACKLOG)).rows;

/** Seconds since the oldest delivery became due that should be, or is being, sent now; 0 without one. Excludes open circuits. */
export const readOldestDue = async (pool: Pool): Promise<number> =>
  (await pool.query<{ age: number }>(OLDEST_DUE)).rows[0]?.age ?? 0;

/** Seconds since the oldest waiting scheduled message was due; 0 without one. */
export const readWaiting = async (pool: Pool): Promise<number> =>
  (await pool.query<{ age: number }>(WAITING)).rows[0]?.age ?? 0;

export const RUN_STATES = ['pending', 'queued', 'running', 'waiting'] as const;

/** Unfinished runs by state, with the age of the oldest due one. A state without any has no row. */
export const readRuns = async (pool: Pool): Promise<BacklogRow[]> => (await pool.query<BacklogRow>(RUNS)).rows;

/** Sizes and estimated rows of each table, from PostgreSQL's statistics: no rows are counted. */
export const readTables = async (pool: Pool): Promise<TableRow[]> => (await pool.query<TableRow>(TABLES)).rows;

export const RETAINED = ['messages', 'runs'] as const;

/** PostgreSQL's time. */
export async function readTime(pool: Pool): Promise<Date> {
  const { rows } = await pool.query<{ now: Date }>('SELECT now()');
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL did not return its time');
  return row.now;
}

/**
 * Seconds by which the oldest row that retention may remove is past its end at `now`, 0 without one. This is a lower bound: if the
 * first thousand expired rows of a channel or environment are all exempt, later ones are not checked.
 */
export async function readOverdue(pool: Pool, now: Date): Promise<Record<(typeof RETAINED)[number], number>> {
  const read = async (text: string, kind: 'message' | 'run'): Promise<number> =>
    (await pool.query<{ seconds: number | null }>(text, [retentionLimits(now, kind), now])).rows[0]?.seconds ?? 0;
  return { messages: await read(OVERDUE_MESSAGES, 'message'), runs: await read(OVERDUE_RUNS, 'run') };
}

export const SESSION_STATES = ['active', 'waiting', 'idle', 'idle_in_transaction', 'other'] as const;

/** Connections of this user to this database by state. A state without any has no row. */
export const readSessions = async (pool: Pool): Promise<{ state: string; sessions: number }[]> =>
  (await pool.query<{ state: string; sessions: number }>(SESSIONS)).rows;
