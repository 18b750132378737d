import type { Pool, PoolClient } from 'pg';
import type { RunTrigger } from '../../../kernel/contract/run-outline.ts';
import { stepKey, type StepInput } from '../../../kernel/contract/run-workflow.ts';
import { wakeForRuns } from '../../../platform/db/waking.ts';
import { cancelRuns } from '../../../platform/db/sql/ended-runs.ts';
import { inTransaction } from '../../../platform/db/transaction.ts';
import { retryRun } from '../../../delivery/record/statements/run-again.ts';
import type { RunStatus } from '../../../kernel/words/statuses.ts';

type Step = Pick<StepInput, 'runId' | 'stepId' | 'iteration'>;

/** The run that a step starts. `input` is JSON text. */
export type NewChild = StepInput & {
  id: string;
  environmentId: string;
  workflowId: string;
  input: string;
  chainDepth: number;
  isAwaited: boolean;
};

/** Why the run of a step cannot start. */
export type RefusedChild = { refused: 'workflow missing' | 'workflow not active' | 'run without its workflow' };

/**
 * Starts the run of a step, once per round of its parent. If the step is repeated and its earlier run has the same
 * workflow, that run continues, from the failed steps if it did not complete.
 */
export function openChild(pool: Pool, child: NewChild): Promise<RefusedChild | undefined> {
  return inTransaction(pool, async (connection) => {
    const earlier = await lockChild(connection, child);
    if (child.isAwaited && !(await registerOnce(connection, child))) return undefined;
    if (earlier !== undefined && earlier.workflowId === child.workflowId) return goOn(connection, child, earlier);
    if (earlier !== undefined) await connection.query('UPDATE runs SET parent_step = NULL WHERE id = $1', [earlier.id]);
    return insertChild(connection, child);
  });
}

const keyOf = ({ stepId, iteration }: Step): string => stepKey(stepId, iteration);

type Earlier = { id: string; workflowId: string; status: RunStatus };

// Locked before the wait, because a run that ends also locks its own row first.
async function lockChild(connection: PoolClient, step: Step): Promise<Earlier | undefined> {
  const { rows } = await connection.query<Earlier>(
    'SELECT id, workflow_id AS "workflowId", status FROM runs WHERE parent_run_id = $1 AND parent_step = $2 FOR UPDATE',
    [step.runId, keyOf(step)],
  );
  return rows[0];
}

/**
 * Registers the wait with the round as its key. Returns false if this round has already started or continued the run.
 */
async function registerOnce(
  connection: PoolClient,
  { runId, stepId, iteration, environmentId, round }: NewChild,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `INSERT INTO run_waits AS w (run_id, step_id, iteration, environment_id, key) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (run_id, step_id, iteration) DO UPDATE SET place = NULL, since = NULL, message_id = NULL, due_at = NULL, key = excluded.key
     WHERE w.place IS NOT NULL OR w.key IS DISTINCT FROM excluded.key`,
    [runId, stepId, iteration, environmentId, String(round)],
  );
  return rowCount === 1;
}

const GOES_ON: readonly RunStatus[] = ['failed', 'cancelled', 'paused', 'skipped'];

async function goOn(connection: PoolClient, child: NewChild, earlier: Earlier): Promise<RefusedChild | undefined> {
  if (!child.isAwaited || !GOES_ON.includes(earlier.status)) return undefined;
  const isRetried = await retryRun(connection, {
    id: earlier.id,
    environmentId: child.environmentId,
    requestedBy: child.runId,
    keptSteps: undefined,
    version: undefined,
  });
  return isRetried ? undefined : { refused: 'run without its workflow' };
}

async function insertChild(connection: PoolClient, child: NewChild): Promise<RefusedChild | undefined> {
  const { id, environmentId, workflowId, input, runId, chainDepth } = child;
  const { rows } = await connection.query<{ status: string; isBegun: boolean }>(
    `WITH workflow AS (
       SELECT id, version, status FROM workflows WHERE id = $3 AND environment_id = $2 AND deleted_at IS NULL
     ), begun AS (
       INSERT INTO runs (id, environment_id, workflow_id, version, trigger_type, input, parent_run_id, parent_step, chain_depth, due_at)
       SELECT $1, $2, id, version, $8, $4, $5, $6, $7, now() FROM workflow WHERE status = 'active' RETURNING id
     )
     SELECT status, EXISTS (SELECT FROM begun) AS "isBegun" FROM workflow`,
    [id, environmentId, workflowId, input, runId, keyOf(child), chainDepth, 'workflow' satisfies RunTrigger],
  );
  if (rows[0] === undefined) return { refused: 'workflow missing' };
  if (!rows[0].isBegun) return { refused: 'workflow not active' };
  await wakeForRuns(connection);
  return undefined;
}

/** The current state of a child run. Texts are JSON. */
export type ChildRun = {
  id: string;
  status: RunStatus;
  output: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  reason: string | null;
};

export async function readChild(pool: Pool, step: Step): Promise<ChildRun | undefined> {
  const { rows } = await pool.query<ChildRun>({
    name: 'read_child',
    text: `SELECT id, status, output, error_code AS "errorCode", error_message AS "errorMessage", reason
      FROM runs WHERE parent_run_id = $1 AND parent_step = $2`,
    values: [step.runId, keyOf(step)],
  });
  return rows[0];
}

const CANCEL_CHILD = cancelRuns({ which: 'r.parent_run_id = $1 AND r.parent_step = $2', reason: '$3' });

/** Cancels the run of a step that no longer waits for it, and ends the wait. A finished run stays as it is. */
export function closeChild(pool: Pool, step: Step, reason: string): Promise<void> {
  return inTransaction(pool, async (connection) => {
    await connection.query(CANCEL_CHILD, [step.runId, keyOf(step), reason]);
    await connection.query('DELETE FROM run_waits WHERE run_id = $1 AND step_id = $2 AND iteration = $3', [
      step.runId,
      step.stepId,
      step.iteration,
    ]);
  });
}
