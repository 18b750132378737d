import type { Pool } from 'pg';
import { stirred } from '../../platform/db/sql/ended-runs.ts';
import type { StepInput } from '../../kernel/contract/run-workflow.ts';

/** A finished item of a loop, with its index in the array. */
export type ItemRow = {
  item: number;
  status: 'completed' | 'failed';
  output: string | null;
  errorCode: string | null;
  errorMessage: string | null;
};

const beginning = (iteration: string): string => (iteration === '' ? '' : `${iteration}.`);

/** Returns the finished items of a loop, in order. */
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

/**
 * Returns the failure that ended the chain of an item, which consists of these steps. Items of other loops can have the
 * same iteration.
 */
export async function readFailureWithin(
  pool: Pool,
  { runId, iteration }: Pick<StepInput, 'runId' | 'iteration'>,
  stepIds: readonly string[],
): Promise<{ code: string; message: string }> {
  const { rows } = await pool.query<{ code: string | null; message: string | null }>({
    name: 'read_run_failure',
    text: `SELECT error_code AS code, error_message AS message FROM run_steps
      WHERE run_id = $1 AND iteration = $2 AND way = 'failure' AND type <> 'item' AND step_id = ANY ($3)
      ORDER BY finished_at DESC LIMIT 1`,
    values: [runId, iteration, stepIds],
  });
  return { code: rows[0]?.code ?? 'INTERNAL', message: rows[0]?.message ?? '' };
}

// Steps of the chains of a loop or of branches: in its own iteration or in those of its items. Another loop can have
// steps with the same iterations.
const WITHIN = 's.run_id = $1 AND s.step_id = ANY ($4) AND (s.iteration = $2 OR starts_with(s.iteration, $3))';

// Runs that the stopped steps have started and wait for must be cancelled.
const CUT = `
  WITH cut_off AS (
    UPDATE run_steps s SET status = 'cancelled', finished_at = now() WHERE s.finished_at IS NULL AND ${WITHIN}
    RETURNING s.run_id, s.step_id, s.iteration
  ), ${stirred('SELECT run_id, step_id, iteration FROM cut_off')}
  SELECT FROM cut_off`;

/** Stops the steps of a loop or of branches that were in progress when it ended. */
export async function recordCut(pool: Pool, owner: StepInput, stepIds: readonly string[]): Promise<void> {
  await pool.query({ name: 'cut_run_steps', text: CUT, values: valuesOf(owner, stepIds) });
}

const PASS_OVER = `
  UPDATE run_steps s SET way = '>' WHERE (s.way = 'failure' OR (s.way IS NULL AND s.status = 'cancelled')) AND ${WITHIN}`;

/**
 * Marks failed and stopped steps inside a loop or branches that ended successfully as passed: the run continued after
 * them, so a retry does not execute them again.
 */
export async function recordPassedOver(pool: Pool, owner: StepInput, stepIds: readonly string[]): Promise<void> {
  await pool.query({ name: 'pass_over_run_steps', text: PASS_OVER, values: valuesOf(owner, stepIds) });
}

const valuesOf = ({ runId, iteration }: StepInput, stepIds: readonly string[]): unknown[] => [
  runId,
  iteration,
  beginning(iteration),
  stepIds,
];
