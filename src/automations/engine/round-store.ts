import type { Pool } from 'pg';
import type { EndRunInput, RunInput } from '../../kernel/contract/run-workflow.ts';
import { CODE_OF_RUN, countRuns, CUT_OFF } from '../../platform/db/sql/ended-runs.ts';
import { insertRunLetters } from '../../delivery/record/statements/dead-letters.ts';
import { publishEvents, runFailed } from '../../delivery/record/statements/service-events.ts';
import { RunSuperseded } from './step-failure.ts';

const IN_ROUND = `id = $1 AND round = $2 AND finished_at IS NULL AND status <> 'paused'`;

// A retry from the failed steps keeps the start time of the run, so that the run is counted once.
const OPEN = `
  WITH run AS (
    UPDATE runs SET status = 'running', carrier = $3, due_at = NULL, started_at = coalesce(started_at, now()), looked_at = now()
    WHERE ${IN_ROUND} RETURNING environment_id, workflow_id, started_at
  ), counted AS (${countRuns({ from: 'run WHERE started_at = now()::timestamptz(3)', code: CODE_OF_RUN.started })}
  )
  SELECT FROM run`;

/** Records that the run has a Temporal workflow and no longer waits for a worker. Throws RunSuperseded. */
export async function recordOpening(pool: Pool, { runId, round }: RunInput, carrier: string): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'open_run',
    text: OPEN,
    values: [runId, round, carrier],
  });
  if (rowCount === 0) throw new RunSuperseded(`Round ${round} of ${runId} is over`);
}

// A failure without its own error has the error of the step that failed last; the output of an `end` step becomes the
// run's output.
const ENDING = `
  ending AS (
    SELECT step_id, iteration, type, attempts, error_code, error_message, output, way, finished_at FROM run_steps
    WHERE run_id = $1 AND type <> 'item' AND (way LIKE 'end:%' OR way = CASE $3 WHEN 'failed' THEN 'failure' WHEN 'paused' THEN 'pause' END)
    ORDER BY finished_at DESC LIMIT 1
  ), run AS (
    UPDATE runs SET status = $3, due_at = NULL, holder = NULL, reason = $4,
      carrier = CASE WHEN $3 = 'paused' THEN NULL ELSE carrier END,
      finished_at = CASE WHEN $3 = 'paused' THEN NULL ELSE now() END,
      error_code = coalesce($5, (SELECT error_code FROM ending)), error_message = coalesce($6, (SELECT error_message FROM ending)),
      error_step = CASE WHEN $5::text IS NULL THEN (SELECT step_id FROM ending WHERE error_code IS NOT NULL) END,
      output = (SELECT output FROM ending WHERE way LIKE 'end:%')
    WHERE ${IN_ROUND} RETURNING id, environment_id, workflow_id, channel_id, message_id, round, error_code, error_message, filtered_by, without_letter, started_at, finished_at,
      parent_run_id, parent_step
  ), counted AS (${countRuns({ from: 'run WHERE finished_at IS NOT NULL', code: CODE_OF_RUN.ended('$3') })}
  )`;

const ENDED = `, ${CUT_OFF}
  SELECT extract(epoch FROM finished_at - started_at)::float8 AS after, parent_step IS NOT NULL AS "isChild", filtered_by AS "filteredBy",
    EXISTS (SELECT FROM run_concurrency g WHERE g.run_id = run.id) AS "hasGate" FROM run`;

const END = `WITH ${ENDING}${ENDED}`;

// A loop fails because of a step in one of its items, a parallel because of a step in a branch; the dead letter names
// the innermost one. Loops and branches are nested at most two levels deep, so a step has at most four owners.
const FAIL = `
  WITH RECURSIVE ${ENDING}, cause AS (
    SELECT 0 AS depth, step_id, iteration, type, attempts, error_code, error_message, finished_at FROM ending WHERE $5::text IS NULL
    UNION ALL
    SELECT c.depth + 1, s.step_id, s.iteration, s.type, s.attempts, s.error_code, s.error_message, s.finished_at
    FROM cause c CROSS JOIN LATERAL (
      SELECT s.* FROM run_steps s
      WHERE s.run_id = $1 AND s.way = 'failure' AND s.type <> 'item' AND s.step_id <> c.step_id AND s.finished_at <= c.finished_at
        AND CASE c.type
          WHEN 'parallel' THEN s.iteration = c.iteration
          WHEN 'foreach' THEN s.iteration IN (
            SELECT i.iteration FROM run_steps i WHERE i.run_id = $1 AND i.step_id = c.step_id AND i.type = 'item' AND i.way = 'failure'
              AND (c.iteration = '' OR starts_with(i.iteration, c.iteration || '.')))
          ELSE false END
      ORDER BY s.finished_at DESC LIMIT 1
    ) s WHERE c.depth < 4
  ), failure AS (
    SELECT c.step_id, c.iteration, c.attempts, coalesce(c.error_code, run.error_code) AS error_code,
      coalesce(c.error_message, run.error_message) AS error_message
    FROM run LEFT JOIN (SELECT * FROM cause ORDER BY depth DESC LIMIT 1) c ON true
  ), letter AS (${insertRunLetters({ from: `run r CROSS JOIN failure c LEFT JOIN messages m ON m.id = r.message_id WHERE NOT r.without_letter` })}
  ), ${publishEvents(runFailed('letter'))}${ENDED}`;

type EndedRun = { after: number | null; isChild: boolean; hasGate: boolean; filteredBy: string | null };

/**
 * Ends or pauses the run. A failed run becomes a dead letter in the same statement, unless the step that ended it says
 * otherwise. Returns the seconds since it started (null for a pause), whether a step of another run started it, whether
 * it may be in a concurrency group, and the filter that ended it. Returns undefined, and changes nothing, if the run
 * had already ended.
 */
export async function recordEndOfRun(
  pool: Pool,
  { runId, round, status, reason, error }: EndRunInput,
): Promise<EndedRun | undefined> {
  const { rows } = await pool.query<EndedRun>({
    name: status === 'failed' ? 'fail_run' : 'end_run',
    text: status === 'failed' ? FAIL : END,
    values: [runId, round, status, reason ?? null, error?.code ?? null, error?.message ?? null],
  });
  return rows[0];
}
