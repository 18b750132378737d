import type { Pool, PoolClient } from 'pg';
import type { DatabaseTransaction } from '../../platform/db/client.ts';

type Scheduled = { environmentId: string; version: number; name: string; trigger: string; isAppSuspended: boolean };

const SCHEDULED = `SELECT w.environment_id AS "environmentId", w.version, w.name, v.trigger, EXISTS (
    SELECT FROM environments e JOIN apps a ON a.id = e.app_id WHERE e.id = w.environment_id AND a.suspended_at IS NOT NULL
  ) AS "isAppSuspended"
  FROM workflows w JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version
  WHERE w.id = $1 AND w.status = 'active' AND w.deleted_at IS NULL AND w.trigger_type = 'schedule'`;

/** The workflow, while it begins by a schedule. */
export async function findScheduled(db: Pool | PoolClient, workflowId: string): Promise<Scheduled | undefined> {
  return (await db.query<Scheduled>({ name: 'find_scheduled', text: SCHEDULED, values: [workflowId] })).rows[0];
}

// The Temporal workflow of the schedule begins it; a worker does where that has not happened after this time.
const BEGUN_WITHIN = '30 seconds';

/** Inserts the run of one time, or finds it; returns its id. */
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
  // Another attempt has inserted it meanwhile, behind this statement's snapshot.
  return rows[0]?.id ?? insertScheduledRun(pool, run);
}

/** A schedule that Temporal is to be told of. `isTopUp`: it has this revision, and needs further times. */
export type DueSchedule = { workflowId: string; revision: number; isTopUp: boolean };

/** Locks a schedule that Temporal is to be told of, that is none of `but`, and that no other worker tells it of. */
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

/** Temporal has this revision. `problem`: what it has against it. `topUpAt`: when it needs further times; undefined where never. */
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

/** Temporal could not be told of changes: of that schedule's, or of all that it is still to be told of. */
export async function recordUntold(pool: Pool, problem: string, workflowId: string | undefined): Promise<void> {
  await pool.query(
    'UPDATE workflow_schedules SET problem = $1 WHERE synced < revision AND ($2::text IS NULL OR workflow_id = $2)',
    [problem, workflowId ?? null],
  );
}

/** What the schedule's workflow shows, as it shows what Temporal refuses: processes have died of it, and it begins no run. */
export const deadlyProblem = ({ message }: Error): string => `CRASHED: ${message}; change the schedule to try it again`;

/** The schedule begins no run until it is changed. */
export async function recordDeadly(pool: Pool, workflowId: string, problem: string): Promise<void> {
  await pool.query('UPDATE workflow_schedules SET synced = revision, problem = $2 WHERE workflow_id = $1', [
    workflowId,
    problem,
  ]);
}

/**
 * Temporal's store is new: it is to be told of all schedules. No condition on `synced`: a worker that is telling the old store of one has
 * locked its row and not stored that yet, and such a row would be passed over.
 */
export async function forgetSynced(pool: Pool): Promise<void> {
  await pool.query('UPDATE workflow_schedules SET synced = 0');
}

/** The last time of a schedule that began a run, and what Temporal has against it. */
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
