import type { PoolClient } from 'pg';
import { NEXT_ROUND, wakeForRuns } from '../../../platform/db/waking.ts';
import { cancelRuns } from '../../../platform/db/sql/ended-runs.ts';
import { closeDeadLetters } from './dead-letters.ts';

// SQL, a SET list: the run `r`, which had ended, waits for a worker in its next round.
const AGAIN = `${NEXT_ROUND}, finished_at = NULL, error_code = NULL, error_message = NULL, error_step = NULL, reason = NULL,
      output = NULL, without_letter = false`;

// SQL, an UPDATE: steps whose failure ended a run of the CTE `run`, and those that it cut off, are taken again; all others keep their
// results and their ways, and so does a cut step that has one: the loop or the branches around it have ended.
const STEPS_AGAIN = `
    UPDATE run_steps s SET status = 'pending', way = NULL, input = CASE WHEN s.type = 'foreach' THEN s.input END, output = NULL,
      until = CASE WHEN s.type = 'delay' THEN s.until END, failures = 0, crashes = 0, finished_at = NULL
    FROM run WHERE s.run_id = run.id AND (s.way IN ('failure', 'pause') OR s.way LIKE 'end:%' OR (s.status = 'cancelled' AND s.way IS NULL))`;

const RETRIED = `
    UPDATE runs r SET ${AGAIN}, version = coalesce($3, r.version), replay_id = coalesce($4, r.replay_id)`;
// A deleted workflow makes no run go on.
const CAN_BE_RETRIED = `FROM workflows w
    WHERE r.id = $1 AND r.environment_id = $2 AND r.status IN ('failed', 'cancelled', 'paused', 'skipped')
      AND w.id = r.workflow_id AND w.deleted_at IS NULL`;

const RETRY = `
  WITH run AS (${RETRIED} ${CAN_BE_RETRIED} RETURNING r.id
  ), steps AS (${STEPS_AGAIN}
  )
  SELECT FROM run`;

// Its waits go, and with them the way by which a worker would find these.
const CANCEL_CHILDREN = cancelRuns({
  which: `r.environment_id = $2 AND EXISTS (
    SELECT FROM run_waits w JOIN runs p ON p.id = w.run_id AND p.status IN ('failed', 'cancelled', 'paused', 'skipped')
    WHERE w.run_id = $1 AND w.step_id <> ALL ($3::text[]) AND r.parent_run_id = w.run_id
      AND r.parent_step = w.step_id || '#' || w.iteration)`,
  reason: `'the run that waited for it begins again'`,
});

// A run that keeps steps was started with the first of them, and counts once; a message that has cancelled it does so no second time.
const RESTART = `
  WITH run AS (${RETRIED}, restarts = r.restarts + 1, filtered_by = NULL,
      started_at = CASE WHEN cardinality($5::text[]) = 0 THEN NULL ELSE r.started_at END,
      (executions, output_bytes) = (
        SELECT coalesce(max(s.number), 0), coalesce(sum(octet_length(concat(s.output, s.assigned))), 0)::int
        FROM run_steps s WHERE s.run_id = r.id AND s.step_id = ANY ($5))
    ${CAN_BE_RETRIED} RETURNING r.id
  ), steps AS (
    DELETE FROM run_steps s USING run WHERE s.run_id = run.id AND s.step_id <> ALL ($5)
  ), waits AS (
    DELETE FROM run_waits w USING run WHERE w.run_id = run.id AND w.step_id <> ALL ($5)
      AND (cardinality($5) = 0 OR w.step_id NOT LIKE 'cancelOn[%')
  ), children AS (
    UPDATE runs c SET parent_step = NULL FROM run
    WHERE c.parent_run_id = run.id AND split_part(c.parent_step, '#', 1) <> ALL ($5)
  )
  SELECT FROM run`;

// A statement of its own, because it sees a dead letter that was committed while the one before waited for its row.
const CLOSE = closeDeadLetters({
  from: '(SELECT $1::text AS id) AS r',
  condition: 'l.run_id = r.id',
  requestedBy: '$2',
});

// A step of type `end` has ended the run behind a failure that `onError` took up: what ran since then, such as a compensation, belongs to
// that failure, and a run that went on at the `end` could only fail again. Steps within a loop or branches are passed over: only the whole
// of it is a place to begin at, and it has ended well. A branch's steps have the iteration of the run, and its `parallel` ends after them.
const KEPT_BEFORE_FAILURE = `
  SELECT coalesce(array_agg(DISTINCT s.step_id) FILTER (WHERE s.number < f.number), '{}') AS "keptSteps" FROM (
    SELECT min(f.number) AS number FROM run_steps f
    WHERE f.run_id = $1 AND f.iteration = '' AND f.status = 'failed' AND f.way LIKE '>%' AND f.type <> 'item'
      AND EXISTS (SELECT FROM run_steps e WHERE e.run_id = $1 AND e.way LIKE 'end:%')
      AND NOT EXISTS (
        SELECT FROM run_steps p WHERE p.run_id = $1 AND p.iteration = '' AND p.type = 'parallel' AND p.step_id <> f.step_id
          AND p.number < f.number AND p.finished_at >= f.finished_at)
  ) f JOIN run_steps s ON s.run_id = $1 AND f.number IS NOT NULL GROUP BY f.number`;

/**
 * The steps whose results stay where a run that an `end` step has ended goes on at the first step that failed. Undefined for a run that
 * failed otherwise: that one goes on at the steps that failed, and all others keep their results.
 */
export async function keptBeforeFailure(connection: PoolClient, runId: string): Promise<string[] | undefined> {
  const { rows } = await connection.query<{ keptSteps: string[] }>(KEPT_BEFORE_FAILURE, [runId]);
  return rows[0]?.keptSteps;
}

/**
 * The next round of a run that did not complete, and its dead letter is replayed, within a transaction: from the steps that failed
 * (`keptBeforeFailure`), or with `keptSteps` without a trace of all steps but these. None of them is a retry from
 * the start. `version` replaces that of its definition. False for a run that is under way or completed, or whose workflow is
 * deleted. Wakes workers.
 */
export async function retryRun(
  connection: PoolClient,
  run: {
    id: string;
    environmentId: string;
    requestedBy: string;
    keptSteps: readonly string[] | undefined;
    version?: number | undefined;
    replayId?: string | undefined;
  },
): Promise<boolean> {
  const { id, environmentId } = run;
  const keptSteps = run.keptSteps ?? (await keptBeforeFailure(connection, id));
  const values = [id, environmentId, run.version ?? null, run.replayId ?? null];
  if (keptSteps !== undefined) await connection.query(CANCEL_CHILDREN, [id, environmentId, keptSteps]);
  const { rowCount } =
    keptSteps === undefined
      ? await connection.query(RETRY, values)
      : await connection.query(RESTART, [...values, keptSteps]);
  if (rowCount !== 1) return false;
  await connection.query(CLOSE, [run.id, run.requestedBy]);
  await wakeForRuns(connection);
  return true;
}

// One statement: the dead letter is closed exactly when its run goes on. The run is locked first, as a retry does.
const REPLAY = `
  WITH eligible AS (
    SELECT l.id, l.run_id FROM dead_letters l
    JOIN runs r ON r.id = l.run_id AND r.status = 'failed'
    JOIN workflows w ON w.id = r.workflow_id AND w.deleted_at IS NULL
    WHERE l.id = ANY ($1::text[]) AND l.environment_id = $2 AND l.status = 'open'
    ORDER BY l.id
    FOR UPDATE OF r, l
  ), closed AS (${closeDeadLetters({ from: 'eligible e', condition: 'l.id = e.id', requestedBy: '$3' })}
  ), run AS (
    UPDATE runs r SET ${AGAIN}, replay_id = coalesce($4, r.replay_id) FROM eligible e WHERE r.id = e.run_id RETURNING r.id
  ), steps AS (${STEPS_AGAIN}
  )
  SELECT FROM run`;

// The runs of those letters that an `end` step has ended. The retry asks for the environment.
const ENDED_BY_STEP = `
  SELECT r.id FROM dead_letters l JOIN runs r ON r.id = l.run_id AND r.status = 'failed'
  WHERE l.id = ANY ($1::text[]) AND l.status = 'open'
    AND EXISTS (SELECT FROM run_steps e WHERE e.run_id = r.id AND e.way LIKE 'end:%')
  ORDER BY l.id`;

/**
 * The runs of these open dead letters go on from the steps that failed, and name the bulk replay that asks, if it is one. Returns their
 * number. The rest are not open, are of deliveries, or cannot be replayed. Wakes workers.
 */
export async function replayRunLetters(
  connection: PoolClient,
  replay: { ids: string[]; environmentId: string; requestedBy: string; replayId?: string },
): Promise<number> {
  const { ids, environmentId, requestedBy, replayId } = replay;
  const ended = await connection.query<{ id: string }>(ENDED_BY_STEP, [ids]);
  let replayed = 0;
  for (const { id } of ended.rows) {
    const keptSteps = await keptBeforeFailure(connection, id);
    if (keptSteps === undefined) continue;
    const isRetried = await retryRun(connection, { id, environmentId, requestedBy, keptSteps, replayId });
    replayed += isRetried ? 1 : 0;
  }
  // Their letters are closed by now.
  const { rowCount } = await connection.query(REPLAY, [ids, environmentId, requestedBy, replayId ?? null]);
  replayed += rowCount ?? 0;
  if (replayed > 0) await wakeForRuns(connection);
  return replayed;
}
