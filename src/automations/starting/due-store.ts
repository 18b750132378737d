import type { Pool } from 'pg';
import { NEXT_ROUND, wakeForRuns } from '../../platform/db/waking.ts';
import { CODE_OF_RUN, countRuns, CUT_OFF } from '../../platform/db/sql/ended-runs.ts';
import type { RunInput } from '../../kernel/contract/run-workflow.ts';
import type { ClaimedRun } from './admit.ts';

/** A run that waits for a worker: to be started, or to have its Temporal workflow cancelled. */
export type DueRun = ClaimedRun & {
  status: 'pending' | 'cancelled';
  workflowName: string;
  triggerType: string;
  messageId: string | null;
  parentRunId: string | null;
  carrier: string | null;
};

// A start that neither succeeded nor was released is repeated after this time. Starting twice is harmless.
const CLAIM_SECONDS = 30;
// Maximum runs per workflow considered in a claim with many workflows.
const TURN = 8;

// One index lookup for each workflow with due runs, however many it has. A workflow takes at most half of the slots
// that are still free, and so does an environment, so that slow requests of a few never take the last slots of the
// others. Environments take turns before workflows, otherwise an environment with many workflows would get as many
// turns.
const CLAIM = `
  WITH RECURSIVE held AS (
    SELECT environment_id, workflow_id, count(*)::int AS places FROM runs WHERE holder = $1 AND status IN ('pending', 'running')
    GROUP BY environment_id, workflow_id
  ), room AS (
    SELECT greatest(0, $2::int - coalesce(sum(places), 0))::int AS free FROM held
  ), due AS (
    (SELECT workflow_id FROM runs WHERE status = 'pending' AND due_at IS NOT NULL ORDER BY workflow_id LIMIT 1)
    UNION ALL
    SELECT (SELECT r.workflow_id FROM runs r WHERE r.status = 'pending' AND r.due_at IS NOT NULL AND r.workflow_id > d.workflow_id
      ORDER BY r.workflow_id LIMIT 1) FROM due d WHERE d.workflow_id IS NOT NULL
  ), oldest AS (
    SELECT o.id, o.due_at, o.environment_id, free, coalesce(h.places, 0) + row_number() OVER (
        PARTITION BY d.workflow_id ORDER BY o.due_at, o.id) AS place
    FROM due d CROSS JOIN room LEFT JOIN held h ON h.workflow_id = d.workflow_id CROSS JOIN LATERAL (
      SELECT r.id, r.due_at, r.environment_id FROM runs r
      WHERE r.workflow_id = d.workflow_id AND r.status = 'pending' AND r.due_at <= now() ORDER BY r.due_at
      LIMIT least($3::int, greatest(0, (free - 2 * coalesce(h.places, 0)) / 3), greatest(${TURN}, $3::int / (SELECT count(*) FROM due)))
      FOR UPDATE SKIP LOCKED
    ) o
  ), placed AS (
    SELECT id, due_at, free, place, row_number() OVER (PARTITION BY environment_id ORDER BY place, due_at) + coalesce((
        SELECT sum(places) FROM held h WHERE h.environment_id = o.environment_id), 0) AS environment_place
    FROM oldest o
  ), pending AS (
    SELECT id FROM placed WHERE environment_place <= free ORDER BY environment_place, place, due_at LIMIT least($3::int, (SELECT free FROM room))
  ), cancelled AS (
    SELECT id FROM runs WHERE due_at <= now() AND status = 'cancelled' ORDER BY due_at LIMIT $3::int FOR UPDATE SKIP LOCKED
  )
  UPDATE runs r SET due_at = now() + make_interval(secs => ${CLAIM_SECONDS}), looked_at = now(),
    holder = CASE WHEN r.status = 'pending' THEN $1 END
  FROM workflows w
  WHERE r.id IN (SELECT id FROM cancelled UNION ALL SELECT id FROM pending) AND w.id = r.workflow_id
  RETURNING r.id AS "runId", r.round, r.status, r.environment_id AS "environmentId", r.workflow_id AS "workflowId", r.version,
    w.name AS "workflowName", r.trigger_type AS "triggerType", r.message_id AS "messageId",
    r.parent_run_id AS "parentRunId", r.carrier,
    CASE WHEN w.deleted_at IS NOT NULL THEN 'deleted' ELSE w.status END AS "workflowStatus"`;

/**
 * Claims due runs in turn of their environments, within each in turn of its workflows, oldest first. Claims as many as
 * the worker has slots for, in addition to admitted unfinished runs, and at most `most` at once.
 */
export async function claimDueRuns(
  pool: Pool,
  { holder, room, most }: { holder: string; room: number; most: number },
): Promise<DueRun[]> {
  const { rows } = await pool.query<DueRun>({ name: 'claim_runs', text: CLAIM, values: [holder, room, most] });
  return rows;
}

/** Releases claims that could not be processed; they are due again. */
export async function releaseRuns(pool: Pool, runIds: readonly string[]): Promise<void> {
  await pool.query('UPDATE runs SET due_at = now(), holder = NULL WHERE id = ANY ($1) AND due_at IS NOT NULL', [
    runIds,
  ]);
}

/**
 * Re-queues runs that expired workers had claimed but not started, and wakes workers. Runs of this process, `ownId`,
 * stay claimed. A live worker that was too slow to renew its lease may start the same Temporal workflow again, which
 * has no effect. Returns how many.
 */
export async function releaseRunsOfDead(pool: Pool, ownId: string): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'release_runs_of_dead',
    text: `UPDATE runs SET due_at = now(), holder = NULL
      WHERE holder IN (SELECT id FROM incarnations WHERE expires_at <= now() AND id <> $1) AND status = 'pending' AND due_at > now()`,
    values: [ownId],
  });
  if ((rowCount ?? 0) > 0) await wakeForRuns(pool);
  return rowCount ?? 0;
}

/** Records that the Temporal workflow was cancelled. */
export async function recordCancelTold(pool: Pool, { runId, round }: RunInput): Promise<void> {
  await pool.query(`UPDATE runs SET due_at = NULL WHERE id = $1 AND round = $2 AND status = 'cancelled'`, [
    runId,
    round,
  ]);
}

/** Returns the milliseconds until the next run is due; negative if one is overdue, undefined if there is none. */
export async function nextRunDueInMs(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ inMs: number }>({
    name: 'next_run_due',
    text: `SELECT (extract(epoch FROM due_at - clock_timestamp()) * 1000)::float8 AS "inMs"
      FROM runs WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
  });
  return rows[0]?.inMs;
}

/** Returns runs in Temporal that the reconciler has not checked for this many seconds, longest ago first. */
export async function findUnseen(
  pool: Pool,
  { seconds, most }: { seconds: number; most: number },
): Promise<(RunInput & { carrier: string })[]> {
  const { rows } = await pool.query<RunInput & { carrier: string }>({
    name: 'find_unseen_runs',
    text: `SELECT id AS "runId", round, carrier FROM runs
      WHERE carrier IS NOT NULL AND finished_at IS NULL AND due_at IS NULL
        AND looked_at < now() - make_interval(secs => $1) ORDER BY looked_at LIMIT $2`,
    values: [seconds, most],
  });
  return rows;
}

/** Records that the Temporal workflows of these runs exist. */
export async function recordSeen(pool: Pool, runIds: readonly string[]): Promise<void> {
  await pool.query('UPDATE runs SET looked_at = now() WHERE id = ANY ($1)', [runIds]);
}

/**
 * Starts the next round from the record, because the Temporal workflow of this round no longer exists. Returns false if
 * that was already done.
 */
export async function beginNextRound(pool: Pool, { runId, round }: RunInput): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE runs r SET ${NEXT_ROUND} WHERE id = $1 AND round = $2 AND finished_at IS NULL AND status <> 'paused'`,
    [runId, round],
  );
  return rowCount === 1;
}

/** Continues all runs in Temporal from the record, because Temporal's store is new. Returns how many. */
export async function abandonRuns(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `UPDATE runs r SET ${NEXT_ROUND} WHERE carrier IS NOT NULL AND finished_at IS NULL`,
  );
  return rowCount ?? 0;
}

/** Whether a run is in this round and has not ended. */
export async function isRunUnfinished(pool: Pool, { runId, round }: RunInput): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM runs WHERE id = $1 AND round = $2 AND finished_at IS NULL AND status <> 'paused'`,
    [runId, round],
  );
  return rowCount === 1;
}

/** Cancels a run that a person ended in Temporal. Returns false if it had already ended. */
export async function recordCancelled(pool: Pool, { runId, round }: RunInput, reason: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `WITH run AS (
       UPDATE runs SET status = 'cancelled', reason = $3, finished_at = now(), due_at = NULL, holder = NULL
       WHERE id = $1 AND round = $2 AND finished_at IS NULL AND status <> 'paused' RETURNING id, environment_id, workflow_id, parent_run_id, parent_step
     ), counted AS (${countRuns({ from: 'run', code: CODE_OF_RUN.ended(`'cancelled'`) })}), ${CUT_OFF}
     SELECT FROM run`,
    [runId, round, reason],
  );
  return rowCount === 1;
}
