import type { Pool, PoolClient } from 'pg';
import type { DatabaseTransaction } from '../../platform/db/client.ts';

type Scheduled = { environmentId: string; version: number; name: string; trigger: string; isAppSuspended: boolean };

const SCHEDULED = `SELECT w.environment_id AS "environmentId", w.version, w.name, v.trigger, EXISTS (
    SELECT FROM environments e JOIN apps a ON a.id = e.app_id WHERE e.id = w.environment_id AND a.suspended_at IS NOT NULL
  ) AS "isAppSuspended"
  FROM workflows w JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version
  WHERE w.id = $1 AND w.status = 'active' AND w.deleted_at IS NULL AND w.trigger_type = 'schedule'`;

/** Returns the workflow if it is active and has a schedule. */
export async function findScheduled(db: Pool | PoolClient, workflowId: string): Promise<Scheduled | undefined> {
  return (await db.query<Scheduled>({ name: 'find_scheduled', text: SCHEDULED, values: [workflowId] })).rows[0];
}

// The schedule's Temporal workflow starts the run; if it has not done so after this time, a worker does.
const BEGUN_WITHIN = '30 seconds';

/** Inserts the run of one scheduled time, or finds it. Returns its id. */
export async function insertScheduledRun(
  pool: Pool,
  run: { id: string; environmentId: string; workflowId: string; version: number; input: string; scheduledAt: string },
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'insert_scheduled_run',
    text: `WITH made AS (
        INSERT INTO runs (id, environment_id, workflow_id, version, trigger_type, input, scheduled_at, due_at)
        VALUES ($1, $2, $3, $4, 'schedule', $5, $6, now() + interval '${BEGUN_WITHIN}')
        ON CONFLICT (workflow_id, scheduled_at) WHERE scheduled_at IS NOT NULL DO NOTHING RETURNING id
      )
      SELECT id FROM made UNION ALL SELECT id FROM runs WHERE workflow_id = $3 AND scheduled_at = $6 LIMIT 1`,
    values: [run.id, run.environmentId, run.workflowId, run.version, run.input, run.scheduledAt],
  });
  // Another attempt inserted it after this statement's snapshot.
  return rows[0]?.id ?? insertScheduledRun(pool, run);
}

/** A schedule to synchronise with Temporal. `isTopUp`: Temporal has this revision but needs further times. */
export type DueSchedule = { workflowId: string; revision: number; isTopUp: boolean };

/** Locks a schedule to synchronise that is not in `but` and that no other worker is synchronising. */
export async function lockDueSchedule(
  connection: PoolClient,
  but: readonly string[],
): Promise<DueSchedule | undefined> {
  const { rows } = await connection.query<DueSchedule>({
    name: 'lock_due_schedule',
    text: `SELECT workflow_id AS "workflowId", revision, synced = revision AS "isTopUp" FROM workflow_schedules
      WHERE (synced < revision OR top_up_at <= now()) AND workflow_id <> ALL ($1) LIMIT 1 FOR UPDATE SKIP LOCKED`,
    values: [but],
  });
  return rows[0];
}

/**
 * Records that Temporal has this revision. `problem`: why Temporal refused it. `topUpAt`: when it needs further times;
 * undefined if never.
 */
export async function recordSynced(
  connection: PoolClient,
  {
    workflowId,
    revision,
    problem,
    topUpAt,
  }: { workflowId: string; revision: number; problem: string | undefined; topUpAt: Date | undefined },
): Promise<void> {
  await connection.query(
    'UPDATE workflow_schedules SET synced = $2, problem = $3, top_up_at = $4 WHERE workflow_id = $1',
    [workflowId, revision, problem ?? null, topUpAt ?? null],
  );
}

/** Records why changes could not be sent to Temporal, for one schedule or for all that have changes. */
export async function recordUntold(pool: Pool, problem: string, workflowId: string | undefined): Promise<void> {
  await pool.query(
    'UPDATE workflow_schedules SET problem = $1 WHERE synced < revision AND ($2::text IS NULL OR workflow_id = $2)',
    [problem, workflowId ?? null],
  );
}

/** The problem shown for a schedule that crashed processes and therefore starts no runs. */
export const deadlyProblem = ({ message }: Error): string => `CRASHED: ${message}; change the schedule to try it again`;

/** Stops the schedule from starting runs until it is changed. */
export async function recordDeadly(pool: Pool, workflowId: string, problem: string): Promise<void> {
  await pool.query('UPDATE workflow_schedules SET synced = revision, problem = $2 WHERE workflow_id = $1', [
    workflowId,
    problem,
  ]);
}

/**
 * Marks all schedules as not synchronised, because Temporal's store is new. There is no condition on `synced`: a worker
 * may have locked a row to synchronise it with the old store without having stored that yet, and such a row would be
 * skipped.
 */
export async function forgetSynced(pool: Pool): Promise<void> {
  await pool.query('UPDATE workflow_schedules SET synced = 0');
}

/** Returns the last time of a schedule that started a run, and why Temporal refused the schedule. */
export async function findStanding(
  transaction: DatabaseTransaction,
  { environmentId, workflowId }: { environmentId: string; workflowId: string },
): Promise<{ lastRunAt: Date | null; problem: string | null }> {
  const last = await transaction.run.findFirst({
    where: { environmentId, workflowId, scheduledAt: { not: null } },
    orderBy: { scheduledAt: 'desc' },
    select: { scheduledAt: true },
  });
  const schedule = await transaction.workflowSchedule.findFirst({
    where: { environmentId, workflowId },
    select: { problem: true },
  });
  return { lastRunAt: last?.scheduledAt ?? null, problem: schedule?.problem ?? null };
}
