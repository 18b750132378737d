import { RUN_CODES } from '../../../kernel/words/outcomes.ts';

const ENDS = ['completed', 'failed', 'cancelled', 'skipped'] as const;

/** SQL: what happens to a run, as RUN_CODES numbers it. `ended` takes the SQL of the status with which it ends. */
export const CODE_OF_RUN = {
  started: String(RUN_CODES.started),
  ended: (status: string): string =>
    `CASE ${status} ${ENDS.map((each) => `WHEN '${each}' THEN ${RUN_CODES[each]}`).join(' ')} END`,
};

/**
 * SQL, an INSERT: each run of `from` is counted for figures of runs, in the transaction that begins or ends it
 * (decision 31). `code` is one of CODE_OF_RUN.
 */
export const countRuns = ({ from, code }: { from: string; code: string }): string => `
    INSERT INTO run_stat_parts (id, environment_id, workflow_id, code)
    SELECT posthorn_id('rsp'), environment_id, workflow_id, ${code} FROM ${from}`;

/**
 * SQL, CTEs behind one named `run` (`id`, `parent_run_id`, `parent_step`) of runs that have ended or are paused: their steps under way are
 * cut off, and workers are sent to the waits that this concerns. A wait of a cut step may have a run of its own to be cancelled; the wait
 * of a step that began one of these runs may be over. Waits for messages are left alone, whose order of locks is another one.
 */
export const CUT_OFF = `
  cut_off AS (
    UPDATE run_steps s SET status = 'cancelled', finished_at = now() FROM run WHERE s.run_id = run.id AND s.finished_at IS NULL
    RETURNING s.run_id, s.step_id, s.iteration
  ), ${stirred(`
    SELECT run_id, step_id, iteration FROM cut_off UNION ALL
    SELECT parent_run_id, split_part(parent_step, '#', 1), split_part(parent_step, '#', 2) FROM run WHERE parent_step IS NOT NULL`)}`;

/** SQL, a CTE: a worker looks at the waits of these steps, a query of `run_id`, `step_id` and `iteration`. */
export function stirred(steps: string): string {
  return `stirred AS (
    UPDATE run_waits w SET due_at = now() FROM (
      SELECT o.run_id, o.step_id, o.iteration FROM (${steps}) t
        JOIN run_waits o ON o.run_id = t.run_id AND o.step_id = t.step_id AND o.iteration = t.iteration AND o.place IS NULL
      ORDER BY o.run_id, o.step_id, o.iteration FOR UPDATE OF o
    ) o WHERE w.run_id = o.run_id AND w.step_id = o.step_id AND w.iteration = o.iteration
  )`;
}

/** `which`: SQL of a condition on the runs `r`. `reason`: SQL of a text for people. */
type Ending = { which: string; reason: string };

/** SQL: ends runs that have not ended; a worker tells their Temporal workflows. */
export const cancelRuns = (ending: Ending): string => endRuns({ ...ending, status: 'cancelled' });

/** SQL: ends runs otherwise than by their steps. */
export const endRuns = ({ which, reason, status }: Ending & { status: 'cancelled' | 'skipped' }): string => `
  WITH run AS (
    UPDATE runs r SET status = '${status}', reason = ${reason}, finished_at = now(), holder = NULL,
      due_at = CASE WHEN carrier IS NULL THEN NULL ELSE now() END
    WHERE r.finished_at IS NULL AND ${which} RETURNING r.id, r.environment_id, r.workflow_id, r.parent_run_id, r.parent_step
  ), counted AS (${countRuns({ from: 'run', code: CODE_OF_RUN.ended(`'${status}'`) })}), ${CUT_OFF}
  SELECT FROM run`;
