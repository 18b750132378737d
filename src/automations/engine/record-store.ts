import type { Pool } from 'pg';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';
import type { StepInput, Way } from '../../kernel/contract/run-workflow.ts';
import type { StepResult } from '../expressions/expressions.ts';
import { RunSuperseded, StepFailed } from './step-failure.ts';

export type RecordedStepType = string;

/** The end of a step as it is recorded. Texts are JSON. */
export type StepEnd = {
  type: RecordedStepType;
  status: StepResult['status'];
  way: Way;
  input?: string;
  output?: string;
  assigned?: string;
  error?: { code: string; message: string };
  /** Set for a filter that ends the run. */
  endsRun?: boolean;
  /** Set if a failed run must not become a dead letter. */
  isWithoutLetter?: boolean;
  /** Start time; absent if the start of the step is already recorded. */
  startedAt?: Date;
};

// Each step also updates the run's row, which counts the steps and checks that this is still the current round.
const IN_ROUND = 'id = $1 AND round = $4 AND finished_at IS NULL';
// A run that was waiting for a time continues.
const IS_MOVING = `status = CASE status WHEN 'waiting' THEN 'running' ELSE status END`;

const END = `
  WITH run AS (
    UPDATE runs SET executions = executions + CASE WHEN $14 THEN 1 ELSE 0 END, output_bytes = output_bytes + $13,
      filtered_by = CASE WHEN $16 THEN $2 ELSE filtered_by END, without_letter = without_letter OR $17, ${IS_MOVING}
    WHERE ${IN_ROUND} RETURNING id, environment_id, executions
  )
  INSERT INTO run_steps AS s (run_id, step_id, iteration, environment_id, number, type, status, way, input, output, assigned,
    error_code, error_message, attempts, started_at, finished_at)
  SELECT run.id, $2, $3, run.environment_id, run.executions, $5, $6, $7, $8, $9, $10, $11, $12, 1, coalesce($15, now()), now() FROM run
  ON CONFLICT (run_id, step_id, iteration) DO UPDATE SET status = excluded.status, way = excluded.way,
    input = coalesce(excluded.input, s.input), output = excluded.output, assigned = excluded.assigned,
    error_code = excluded.error_code, error_message = excluded.error_message, until = NULL, finished_at = excluded.finished_at,
    number = CASE WHEN $14 THEN excluded.number ELSE s.number END,
    attempts = s.attempts + CASE WHEN $14 THEN 1 ELSE 0 END,
    started_at = CASE WHEN $14 THEN excluded.started_at ELSE s.started_at END
  RETURNING number`;

/**
 * Receives what the engine has recorded, for the metrics. `after`: seconds since the run started, once it has finally
 * ended.
 */
export type RunObserver = {
  ended(status: string, after?: number): void;
  stepEnded(type: string, outcome: string): void;
};

/** Records the end of a step, and counts the step if its start was not recorded. Throws RunSuperseded. */
export async function recordEnd(
  { pool, observe }: { pool: Pool; observe?: RunObserver | undefined },
  { runId, round, stepId, iteration }: StepInput,
  end: StepEnd,
): Promise<void> {
  // An item is not counted, because its steps are.
  const isNew = end.startedAt !== undefined && end.type !== 'item';
  const { rowCount } = await pool.query({
    name: 'record_run_step',
    text: END,
    values: [
      runId,
      stepId,
      iteration,
      round,
      end.type,
      end.status,
      end.way,
      end.input ?? null,
      end.output ?? null,
      end.assigned ?? null,
      end.error?.code ?? null,
      end.error?.message ?? null,
      Buffer.byteLength(end.output ?? '') + Buffer.byteLength(end.assigned ?? ''),
      isNew,
      end.startedAt ?? null,
      end.endsRun === true,
      end.isWithoutLetter === true,
    ],
  });
  if (rowCount === 0) throw new RunSuperseded(`Round ${round} of ${runId} is over`);
  observe?.stepEnded(end.type, end.status);
}

const BEGIN = `
  WITH run AS (
    UPDATE runs SET executions = executions + 1, ${IS_MOVING} WHERE ${IN_ROUND} RETURNING id, environment_id, executions
  )
  INSERT INTO run_steps AS s (run_id, step_id, iteration, environment_id, number, type, status, input, until, attempts, started_at)
  SELECT run.id, $2, $3, run.environment_id, run.executions, $5, $6, $7, $8, 1, $9 FROM run
  ON CONFLICT (run_id, step_id, iteration) DO UPDATE SET status = excluded.status, input = excluded.input, until = excluded.until,
    number = excluded.number, attempts = s.attempts + 1, started_at = excluded.started_at, error_code = NULL, error_message = NULL
  RETURNING number`;

/** Records that a step has started, with its resolved input. Throws RunSuperseded. */
export async function recordBeginning(
  pool: Pool,
  { runId, round, stepId, iteration }: StepInput,
  begun: { type: RecordedStepType; status: 'running' | 'waiting'; input: string; until?: Date; startedAt: Date },
): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'begin_run_step',
    text: BEGIN,
    values: [
      runId,
      stepId,
      iteration,
      round,
      begun.type,
      begun.status,
      begun.input,
      begun.until ?? null,
      begun.startedAt,
    ],
  });
  if (rowCount === 0) throw new RunSuperseded(`Round ${round} of ${runId} is over`);
}

/**
 * Marks a run as waiting if all its steps in progress are waiting; it then releases its worker's slot. A step that
 * started to wait in an earlier round keeps waiting.
 */
export async function recordWaiting(pool: Pool, { runId, round, stepId, iteration }: StepInput): Promise<void> {
  await pool.query({
    name: 'wait_run',
    text: `WITH step AS (
        UPDATE run_steps SET status = 'waiting' WHERE run_id = $1 AND step_id = $3 AND iteration = $4 AND status = 'pending'
      )
      UPDATE runs SET status = 'waiting', holder = NULL WHERE id = $1 AND round = $2 AND status = 'running' AND NOT EXISTS (
      SELECT FROM run_steps s WHERE s.run_id = $1 AND s.status = 'running' AND s.type NOT IN ('foreach', 'parallel'))`,
    values: [runId, round, stepId, iteration],
  });
}

/** Counts another attempt of a started step. Throws RunSuperseded. */
export async function recordAttempt(pool: Pool, { runId, round, stepId, iteration }: StepInput): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'attempt_run_step',
    text: `UPDATE run_steps SET attempts = attempts + 1 WHERE run_id = $1 AND step_id = $2 AND iteration = $3 AND way IS NULL
      AND EXISTS (SELECT FROM runs WHERE ${IN_ROUND})`,
    values: [runId, stepId, iteration, round],
  });
  if (rowCount === 0) throw new RunSuperseded(`Round ${round} of ${runId} is over`);
}

/**
 * Records a failed attempt of a step that will be retried. A response counts against the retry policy, a crash of its
 * worker does not.
 */
export async function recordFailure(
  pool: Pool,
  { runId, stepId, iteration }: StepInput,
  { code, message, isCrash }: { code: string; message: string; isCrash: boolean },
): Promise<{ failures: number; crashes: number } | undefined> {
  const { rows } = await pool.query<{ failures: number; crashes: number }>({
    name: 'fail_run_step',
    text: `UPDATE run_steps SET error_code = $4, error_message = $5, failures = failures + CASE WHEN $6 THEN 0 ELSE 1 END,
        crashes = crashes + CASE WHEN $6 THEN 1 ELSE 0 END
      WHERE run_id = $1 AND step_id = $2 AND iteration = $3 AND way IS NULL RETURNING failures, crashes`,
    values: [runId, stepId, iteration, code, message, isCrash],
  });
  return rows[0];
}

/** Releases the run's slot in its worker. */
export async function leavePlace(pool: Pool, { runId, round }: StepInput): Promise<void> {
  await pool.query({
    name: 'leave_place',
    text: 'UPDATE runs SET holder = NULL WHERE id = $1 AND round = $2',
    values: [runId, round],
  });
}

/** Throws StepFailed if a run has executed the maximum number of steps. */
export function refuseTooMany({ executions }: { executions: number }): void {
  if (executions < WORKFLOW_BOUNDS.executions) return;
  throw new StepFailed(
    'TOO_MANY_STEPS',
    `a run can execute at most ${WORKFLOW_BOUNDS.executions} steps, including those in loops`,
  );
}

/** Returns the maximum bytes of the next output of a run. */
export const roomOf = ({ outputBytes }: { outputBytes: number }): number =>
  Math.min(WORKFLOW_BOUNDS.outputBytes, WORKFLOW_BOUNDS.contextBytes - outputBytes);

/** Throws StepFailed if an output is too large, alone or together with the other outputs of the run. */
export function refuseTooLarge({ outputBytes }: { outputBytes: number }, ...texts: (string | undefined)[]): void {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
  const limit = WORKFLOW_BOUNDS.outputBytes;
  if (bytes > limit) throw new StepFailed('PAYLOAD_TOO_LARGE', `its output has ${bytes} bytes; the limit is ${limit}`);
  const left = WORKFLOW_BOUNDS.contextBytes - outputBytes;
  if (bytes > left)
    throw new StepFailed(
      'PAYLOAD_TOO_LARGE',
      `its output has ${bytes} bytes, but only ${Math.max(0, left)} of the ${WORKFLOW_BOUNDS.contextBytes} bytes for all outputs of a run are left`,
    );
}
