import type { Pool, PoolClient } from 'pg';
import { lowestIdAt } from '../../kernel/values/ids.ts';

type Keyed = { runId: string; environmentId: string; workflowId: string; key: string; until: Date };

const FIND = `SELECT run_id AS "runId" FROM run_key_spans
  WHERE workflow_id = $1 AND key = $2 AND run_id < $4 AND until_id > $3`;

/**
 * Takes a key for a run from the time it was made until another one, unless that touches the time of a run that has it. Returns the run
 * that has it: this one also where it is asked again. Ids stand for times here, so the hour at which a worker asks does not matter, and
 * neither does the order.
 */
export async function takeKey(
  connection: PoolClient,
  { runId, environmentId, workflowId, key, until }: Keyed,
): Promise<string> {
  const untilId = lowestIdAt('run', until);
  // The statement behind it sees a run that took the key while this one waited.
  await connection.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`key ${workflowId}/${key}`]);
  const { rows } = await connection.query<{ runId: string }>(FIND, [workflowId, key, runId, untilId]);
  if (rows[0] !== undefined) return rows[0].runId;
  await connection.query(
    `INSERT INTO run_key_spans (workflow_id, key, environment_id, run_id, until, until_id) VALUES ($1, $2, $3, $4, $5, $6)`,
    [workflowId, key, environmentId, runId, until, untilId],
  );
  return runId;
}

// A run that its publish had not committed when its window ended.
const LATE = `interval '1 minute'`;
const REMOVED_AT_ONCE = 1_000;

// Runs made within the window may still ask.
const REMOVE = `DELETE FROM run_key_spans WHERE (workflow_id, key, run_id) IN (
  SELECT workflow_id, key, run_id FROM run_key_spans
  WHERE workflow_id = $1 AND until <= now() - ${LATE} AND until_id <= coalesce((
    SELECT min(r.id) FROM runs r
    WHERE r.environment_id = $2 AND r.status = 'pending' AND r.workflow_id = $1 AND r.round = 1
  ), until_id)
  ORDER BY until LIMIT ${REMOVED_AT_ONCE}
)`;

/** Forgets keys whose time is over and that no run can ask for any more. */
export async function removeOver(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ workflowId: string; environmentId: string }>(
    `SELECT DISTINCT workflow_id AS "workflowId", environment_id AS "environmentId" FROM run_key_spans
     WHERE until <= now() - ${LATE}`,
  );
  for (const { workflowId, environmentId } of rows) {
    let removed = REMOVED_AT_ONCE;
    while (removed === REMOVED_AT_ONCE) removed = (await pool.query(REMOVE, [workflowId, environmentId])).rowCount ?? 0;
  }
}
