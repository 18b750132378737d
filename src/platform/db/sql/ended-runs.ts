import { RUN_CODES } from '../../../kernel/words/outcomes.ts';

const ENDS = ['completed', 'failed', 'cancelled', 'skipped'] as const;

/** SQL: what happened to a run, as a number of RUN_CODES. `ended` takes the SQL of its final status. */
export const CODE_OF_RUN = {
  started: String(RUN_CODES.started),
  ended: (status: string): string =>
    `CASE ${status} ${ENDS.map((each) => `WHEN '${each}' THEN ${RUN_CODES[each]}`).join(' ')} END`,
};

/**
 * SQL, an INSERT: counts each run of `from` for the statistics, in the transaction that starts or finishes it (decision 31). `code` is
 * one of CODE_OF_RUN.
 */
export const countRuns = ({ from, code }: { from: string; code: string }): string => `
    INSERT INTO run_stat_parts (id, environment_id, workflow_id, code)
    SELECT posthorn_id('rsp'), environment_id, workflow_id, ${code} FROM ${from}`;

/**
 * SQL, CTEs after one named `run` (`id`, `parent_run_id`, `parent_step`) with runs that have finished or are paused: cancels their
 * steps in progress, and makes workers check the waits that are affected. The wait of a cancelled step may have a child run to be
 * cancelled; the wait of a step that started one of these runs may be over. Waits for messages are left alone, because their locks are
 * taken in another order.
 */
export const CUT_OFF = `
  cut_off AS (
    UPDATE run_steps s SET status = 'cancelled', finished_at = now() FROM run WHERE s.run_id = run.id AND s.finished_at IS NULL
    RETURNING s.run_id, s.step_id, s.iteration
  ), ${stirred(`
    SELECT run_id, step_id, iteration FROM cut_off UNION ALL
    SELECT parent_run_id, split_part(parent_step, '#', 1), split_part(parent_step, '#', 2) FROM run WHERE parent_step IS NOT NULL`)}`;

/** SQL, a CTE: makes a worker check the waits of these steps, given by a query of `run_id`, `step_id` and `iteration`. */
export function stirred(steps: string): string {
  return `stirred AS (
    UPDATE run_waits w SET due_at = now() FROM (
      SELECT o.run_id, o.step_id, o.iteration FROM (${steps}) t
        JOIN run_waits o ON o.run_id = t.run_id AND o.step_id = t.step_id AND o.iteration = t.iteration AND o.place IS NULL
      ORDER BY o.run_id, o.step_id, o.iteration FOR UPDATE OF o
    ) o WHERE w.run_id = o.run_id AND w.step_id = o.step_id AND w.iteration = o.iteration
  )`;
}

/** `which`: SQL condition on the runs `r`. `reason`: SQL of a text for people. */
type Ending = { which: string; reason: string };

/** SQL: cancels unfinished runs; a worker notifies their Temporal workflows. */
export const cancelRuns = (ending: Ending): string => endRuns({ ...ending, status: 'cancelled' });

/** SQL: ends runs other than by their steps. */
export const endRuns = ({ which, reason, status }: Ending & { status: 'cancelled' | 'skipped' }): string => `
  WITH run AS (
    UPDATE runs r SET status = '${status}', reason = ${reason}, finished_at = now(), holder = NULL,
      due_at = CASE WHEN carrier IS NULL THEN NULL ELSE now() END
    WHERE r.finished_at IS NULL AND ${which} RETURNING r.id, r.environment_id, r.workflow_id, r.parent_run_id, r.parent_step
  ), counted AS (${countRuns({ from: 'run', code: CODE_OF_RUN.ended(`'${status}'`) })}), ${CUT_OFF}
  SELECT FROM run`;
