import type { Pool } from 'pg';
import { stirred } from '../../db/sql/ended-runs.ts';
import type { StepInput } from '../../contract/run-workflow.ts';

/** An item of a loop that has ended, by its place in the list. */
export type ItemRow = {
  item: number;
  status: 'completed' | 'failed';
  output: string | null;
  errorCode: string | null;
  errorMessage: string | null;
};

const beginning = (iteration: string): string => (iteration === '' ? '' : `${iteration}.`);

/** Items of a loop that have ended, in the order of the list. */
export async function readItems(pool: Pool, { runId, stepId, iteration }: StepInput): Promise<ItemRow[]> {
  const { rows } = await pool.query<ItemRow & { iteration: string }>({
    name: 'read_run_items',
    text: `SELECT iteration, status, output, error_code AS "errorCode", error_message AS "errorMessage" FROM run_steps
      WHERE run_id = $1 AND step_id = $2 AND type = 'item' AND way IS NOT NULL AND starts_with(iteration, $3)`,
    values: [runId, stepId, beginning(iteration)],
  });
  return rows
    .map(({ iteration: own, ...row }) => ({ ...row, item: Number(own.slice(beginning(iteration).length)) }))
    .toSorted((one, other) => one.item - other.item);
}

/** The failure that ended the chain of an item. */
export async function readFailureWithin(
  pool: Pool,
  { runId, iteration }: Pick<StepInput, 'runId' | 'iteration'>,
): Promise<{ code: string; message: string }> {
  const { rows } = await pool.query<{ code: string | null; message: string | null }>({
    name: 'read_run_failure',
    text: `SELECT error_code AS code, error_message AS message FROM run_steps
      WHERE run_id = $1 AND iteration = $2 AND way = 'failure' AND type <> 'item' ORDER BY finished_at DESC LIMIT 1`,
    values: [runId, iteration],
  });
  return { code: rows[0]?.code ?? 'INTERNAL', message: rows[0]?.message ?? '' };
}

// Runs that cut steps have begun and wait for are to be cancelled.
const cut = (which: string): string => `
  WITH cut_off AS (
    UPDATE run_steps s SET status = 'cancelled', finished_at = now() WHERE s.run_id = $1 AND s.finished_at IS NULL AND ${which}
    RETURNING s.run_id, s.step_id, s.iteration
  ), ${stirred('SELECT run_id, step_id, iteration FROM cut_off')}
  SELECT FROM cut_off`;

/** Steps that were under way inside a loop when it ended. */
export async function recordCut(
  pool: Pool,
  { runId, iteration }: Pick<StepInput, 'runId' | 'iteration'>,
): Promise<void> {
  await pool.query({
    name: 'cut_run_loop',
    text: cut('s.iteration <> $2 AND starts_with(s.iteration, $3)'),
    values: [runId, iteration, beginning(iteration)],
  });
}

/** Steps that were under way inside the branches of a step when it ended. */
export async function recordCutBranches(
  pool: Pool,
  { runId, iteration }: Pick<StepInput, 'runId' | 'iteration'>,
  stepIds: readonly string[],
): Promise<void> {
  await pool.query({
    name: 'cut_run_branches',
    text: cut('s.step_id = ANY ($4) AND (s.iteration = $2 OR starts_with(s.iteration, $3))'),
    values: [runId, iteration, beginning(iteration), stepIds],
  });
}
