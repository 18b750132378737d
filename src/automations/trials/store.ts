import type { PoolClient } from 'pg';

/** A step as it was recorded. */
type RunStepRow = {
  stepId: string;
  iteration: string;
  type: string;
  status: string;
  input: string | null;
  output: string | null;
  errorCode: string | null;
  errorMessage: string | null;
};

/** Inserts a run in progress that waits for nothing. The transaction is rolled back. */
export async function insertTrial(
  connection: PoolClient,
  run: { id: string; environmentId: string; workflowId: string; version: number },
): Promise<void> {
  await connection.query({
    name: 'insert_trial',
    text: `INSERT INTO runs (id, environment_id, workflow_id, version, status, trigger_type, started_at)
      VALUES ($1, $2, $3, $4, 'running', 'manual', now())`,
    values: [run.id, run.environmentId, run.workflowId, run.version],
  });
}

/** Returns the filter that ended the test run. */
export async function readFilter(connection: PoolClient, runId: string): Promise<string | undefined> {
  const { rows } = await connection.query<{ filteredBy: string | null }>({
    name: 'read_trial_filter',
    text: 'SELECT filtered_by AS "filteredBy" FROM runs WHERE id = $1',
    values: [runId],
  });
  return rows[0]?.filteredBy ?? undefined;
}

/** Returns all executed steps, in the order in which they started. */
export async function readSteps(connection: PoolClient, runId: string): Promise<RunStepRow[]> {
  const { rows } = await connection.query<RunStepRow>({
    name: 'read_trial_steps',
    text: `SELECT step_id AS "stepId", iteration, type, status, input, output, error_code AS "errorCode", error_message AS "errorMessage"
      FROM run_steps WHERE run_id = $1 ORDER BY number, started_at`,
    values: [runId],
  });
  return rows;
}

/** Returns a run and its steps as one JSON text. */
export async function readRows(connection: PoolClient, runId: string): Promise<string> {
  const { rows } = await connection.query<{ text: string }>({
    name: 'read_trial_rows',
    text: `SELECT json_build_object('runs', (SELECT json_agg(r) FROM runs r WHERE r.id = $1),
      'steps', (SELECT coalesce(json_agg(s), '[]') FROM run_steps s WHERE s.run_id = $1))::text AS text`,
    values: [runId],
  });
  return rows[0]?.text ?? '{}';
}

/** Inserts what `readRows` returned. This transaction is rolled back, too. */
export async function restoreRows(connection: PoolClient, rows: string): Promise<void> {
  await connection.query("INSERT INTO runs SELECT * FROM json_populate_recordset(NULL::runs, $1::json -> 'runs')", [
    rows,
  ]);
  await connection.query(
    "INSERT INTO run_steps SELECT * FROM json_populate_recordset(NULL::run_steps, $1::json -> 'steps')",
    [rows],
  );
}
