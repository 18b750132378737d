import type { Pool } from 'pg';
import type { RunInput } from '../../../kernel/contract/run-workflow.ts';
import { cancelRuns } from '../../../platform/db/sql/ended-runs.ts';
import type { Awaited } from './wait-store.ts';

type Watch = { runId: string; stepId: string };

/**
 * Registers what cancels a run, once. False for an entry that has taken a message: it cancels a run once, however often that is retried.
 */
export async function registerWatch(
  pool: Pool,
  { runId, stepId, environmentId, waitingStep, key, since }: Watch & { environmentId: string } & Awaited,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'register_watch',
    text: `INSERT INTO run_waits AS w (run_id, step_id, iteration, environment_id, place, key, since) VALUES ($1, $2, '', $3, $4, $5, $6)
      ON CONFLICT (run_id, step_id, iteration) DO UPDATE SET place = excluded.place, key = excluded.key WHERE w.message_id IS NULL`,
    values: [runId, stepId, environmentId, waitingStep, key, since],
  });
  return rowCount === 1;
}

const TAKEN = `FROM run_waits w WHERE w.run_id = $1 AND w.step_id LIKE 'cancelOn[%' AND w.message_id IS NOT NULL AND w.due_at IS NOT NULL`;
const CANCEL = cancelRuns({
  which: `r.id = $1 AND r.round = $2 AND EXISTS (SELECT ${TAKEN})`,
  reason: `(SELECT 'cancelled by the message ' || min(w.message_id) ${TAKEN})`,
});

/** Cancels the run whose entries have taken a message. True where it did. */
export async function cancelTaken(pool: Pool, { runId, round }: RunInput): Promise<boolean> {
  const { rowCount } = await pool.query(CANCEL, [runId, round]);
  if (rowCount !== 1) return false;
  // A retry of the run is not cancelled by the same message.
  await pool.query(`UPDATE run_waits w SET due_at = NULL WHERE w.run_id = $1 AND w.step_id LIKE 'cancelOn[%'`, [runId]);
  return true;
}
