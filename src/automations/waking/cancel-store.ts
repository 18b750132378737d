import type { Pool } from 'pg';
import { cancelRuns } from '../../platform/db/sql/ended-runs.ts';
import type { DueWake } from './heard-store.ts';

const CANCEL_CHILDREN_OF_CUT = cancelRuns({
  which: `r.id IN (
    SELECT c.id FROM unnest($1::text[], $2::text[], $3::text[]) AS t (run_id, step_id, iteration)
      JOIN run_steps s ON s.run_id = t.run_id AND s.step_id = t.step_id AND s.iteration = t.iteration AND s.finished_at IS NOT NULL
      JOIN runs c ON c.parent_run_id = t.run_id AND c.parent_step = t.step_id || '#' || t.iteration)`,
  reason: `'the step that waited for it was cut off'`,
});

/** Cancels the runs that these steps have begun, where the step was cut off while it waited. */
export async function cancelChildrenOfCut(pool: Pool, steps: readonly DueWake[]): Promise<void> {
  await pool.query(CANCEL_CHILDREN_OF_CUT, [
    steps.map(({ runId }) => runId),
    steps.map(({ stepId }) => stepId),
    steps.map(({ iteration }) => iteration),
  ]);
}

const CANCEL_BY_MESSAGE = cancelRuns({
  which: `r.id IN (
    SELECT w.run_id FROM unnest($1::text[], $2::text[]) AS t (run_id, step_id)
      JOIN run_waits w ON w.run_id = t.run_id AND w.step_id = t.step_id AND w.iteration = '' AND w.message_id IS NOT NULL AND w.due_at IS NOT NULL)`,
  reason: `(SELECT 'cancelled by the message ' || min(w.message_id) FROM run_waits w
    WHERE w.run_id = r.id AND w.step_id = ANY ($2) AND w.message_id IS NOT NULL AND w.due_at IS NOT NULL)`,
});

/** Cancels runs whose trigger says so of a message that has come. */
export async function cancelByMessage(pool: Pool, watches: readonly DueWake[]): Promise<void> {
  await pool.query(CANCEL_BY_MESSAGE, [watches.map(({ runId }) => runId), watches.map(({ stepId }) => stepId)]);
}
