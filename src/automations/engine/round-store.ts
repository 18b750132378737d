import type { Pool } from 'pg';
import type { EndRunInput, RunInput } from '../../contract/run-workflow.ts';
import { RunSuperseded } from './step-failure.ts';

const IN_ROUND = `id = $1 AND round = $2 AND finished_at IS NULL AND status <> 'paused'`;

/** The run has a Temporal workflow that moves it, and waits for no worker any more. Throws RunSuperseded. */
export async function recordOpening(pool: Pool, { runId, round }: RunInput, carrier: string): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'open_run',
    text: `UPDATE runs SET status = 'running', carrier = $3, due_at = NULL, started_at = coalesce(started_at, now()), looked_at = now()
      WHERE ${IN_ROUND}`,
    values: [runId, round, carrier],
  });
  if (rowCount === 0) throw new RunSuperseded(`Round ${round} of ${runId} is over`);
}

// A failure without an error of its own is that of the step that failed last; what its `end` step gives is the run's output.
const END = `
  WITH ending AS (
    SELECT step_id, error_code, error_message, output, way FROM run_steps
    WHERE run_id = $1 AND type <> 'item' AND (way LIKE 'end:%' OR way = CASE $3 WHEN 'failed' THEN 'failure' WHEN 'paused' THEN 'pause' END)
    ORDER BY finished_at DESC LIMIT 1
  ), run AS (
    UPDATE runs SET status = $3, due_at = NULL, holder = NULL, reason = $4,
      carrier = CASE WHEN $3 = 'paused' THEN NULL ELSE carrier END,
      finished_at = CASE WHEN $3 = 'paused' THEN NULL ELSE now() END,
      error_code = coalesce($5, (SELECT error_code FROM ending)), error_message = coalesce($6, (SELECT error_message FROM ending)),
      error_step = CASE WHEN $5::text IS NULL THEN (SELECT step_id FROM ending WHERE error_code IS NOT NULL) END,
      output = (SELECT output FROM ending WHERE way LIKE 'end:%')
    WHERE ${IN_ROUND} RETURNING id
  )
  UPDATE run_steps s SET status = 'cancelled', finished_at = now() FROM run WHERE s.run_id = run.id AND s.finished_at IS NULL`;

/** Ends the run, or pauses it. Nothing happens to a run that has ended. */
export async function recordEndOfRun(pool: Pool, { runId, round, status, reason, error }: EndRunInput): Promise<void> {
  await pool.query({
    name: 'end_run',
    text: END,
    values: [runId, round, status, reason ?? null, error?.code ?? null, error?.message ?? null],
  });
}
