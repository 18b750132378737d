import type { Pool, PoolClient } from 'pg';
import type { RunInput } from '../../kernel/contract/run-workflow.ts';
import { cancelRuns, endRuns } from '../../platform/db/sql/ended-runs.ts';
import { lowestIdAt } from '../../kernel/values/ids.ts';

const SKIP = endRuns({
  status: 'skipped',
  which: `r.id = $1 AND r.round = $2 AND r.status = 'pending'`,
  reason: '$3',
});

/** Ends a run that does not begin. */
export async function skipRun(connection: PoolClient, { runId, round }: RunInput, reason: string): Promise<void> {
  await connection.query('DELETE FROM run_concurrency WHERE run_id = $1', [runId]);
  await connection.query(SKIP, [runId, round, reason]);
}

const CANCEL = cancelRuns({
  which: `r.id = $1 AND r.round = $2 AND r.status = 'pending'`,
  reason: `'its workflow was deleted'`,
});

/** Ends a run that has not begun and whose workflow was deleted. */
export async function cancelOfDeleted(pool: Pool, { runId, round }: RunInput): Promise<void> {
  await pool.query(CANCEL, [runId, round]);
}

/** Lets all others at this gate wait for this transaction, and forgets runs that have ended. */
export async function lockGate(connection: PoolClient, gate: string): Promise<void> {
  await connection.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`gate ${gate}`]);
  await connection.query(
    `DELETE FROM run_concurrency g USING runs r WHERE g.gate = $1 AND r.id = g.run_id AND r.finished_at IS NOT NULL`,
    [gate],
  );
}

// The limit is that of the workflow's present version: an author who raises it wants waiting runs to begin.
const LIMIT = `(SELECT (v.trigger::jsonb #>> '{config,concurrency,limit}')::int FROM workflow_versions v
  WHERE v.workflow_id = w.id AND v.version = w.version)`;

/** A locked gate as a run finds it. `room`: runs that may still go in; infinite for a workflow that has no limit any more. */
export type Gate = { isAdmitted: boolean; isBehind: boolean; room: number };

/** Brings a run before the gate, unless it is inside. */
export async function standAtGate(
  connection: PoolClient,
  {
    runId,
    environmentId,
    workflowId,
    gate,
  }: { runId: string; environmentId: string; workflowId: string; gate: string },
): Promise<Gate> {
  const { rows } = await connection.query<{ isAdmitted: boolean }>(
    `INSERT INTO run_concurrency AS g (run_id, environment_id, gate, is_admitted) VALUES ($1, $2, $3, false)
     ON CONFLICT (run_id) DO UPDATE SET gate = excluded.gate, is_admitted = g.is_admitted AND g.gate = excluded.gate
     RETURNING is_admitted AS "isAdmitted"`,
    [runId, environmentId, gate],
  );
  const found = await connection.query<{ isBehind: boolean; inside: number; limit: number | null }>(
    `SELECT ${LIMIT} AS "limit",
       EXISTS (SELECT FROM run_concurrency g WHERE g.gate = $2 AND NOT g.is_admitted AND g.run_id < $3) AS "isBehind",
       (SELECT count(*)::int FROM run_concurrency g WHERE g.gate = $2 AND g.is_admitted AND g.run_id <> $3) AS inside
     FROM workflows w WHERE w.id = $1`,
    [workflowId, gate, runId],
  );
  const { isBehind = false, inside = 0, limit = null } = found.rows[0] ?? {};
  return { isAdmitted: rows[0]?.isAdmitted ?? false, isBehind, room: limit === null ? Infinity : limit - inside };
}

export async function goInside(connection: PoolClient, runId: string): Promise<void> {
  await connection.query('UPDATE run_concurrency SET is_admitted = true WHERE run_id = $1', [runId]);
}

/** The run waits before the gate, and no worker holds it meanwhile. */
export async function queueRun(connection: PoolClient, { runId, round }: RunInput): Promise<void> {
  await connection.query('UPDATE run_concurrency SET is_admitted = false WHERE run_id = $1', [runId]);
  await connection.query(
    `UPDATE runs SET due_at = NULL, holder = NULL WHERE id = $1 AND round = $2 AND status = 'pending'`,
    [runId, round],
  );
}

const CANCEL_OLDEST = cancelRuns({
  which: `r.id IN (SELECT run_id FROM run_concurrency WHERE gate = $1 AND is_admitted AND run_id <> $2 ORDER BY run_id LIMIT $3)`,
  reason: `'cancelled by the newer run ' || $2`,
});

/** Cancels the oldest runs inside, for a newer one. */
export async function cancelOldest(
  connection: PoolClient,
  { gate, runId, count }: { gate: string; runId: string; count: number },
): Promise<void> {
  await connection.query(CANCEL_OLDEST, [gate, runId, count]);
  await lockGate(connection, gate);
}

const CANCEL_QUEUED = cancelRuns({
  which: 'r.id IN (SELECT run_id FROM run_concurrency WHERE gate = $1 AND NOT is_admitted)',
  reason: `'its workflow was deleted'`,
});

/**
 * Lets the oldest runs before a locked gate go in, as many as there is room for, while their workflow is active. Returns their number.
 * Runs of a deleted workflow are cancelled.
 */
export async function letIn(connection: PoolClient, gate: string, workflowId: string): Promise<number> {
  const { rows } = await connection.query<{ status: string; isDeleted: boolean; limit: number | null; inside: number }>(
    `SELECT w.status, w.deleted_at IS NOT NULL AS "isDeleted", ${LIMIT} AS "limit",
       (SELECT count(*)::int FROM run_concurrency g WHERE g.gate = $2 AND g.is_admitted) AS inside
     FROM workflows w WHERE w.id = $1`,
    [workflowId, gate],
  );
  const [workflow] = rows;
  if (workflow === undefined || workflow.isDeleted) {
    await connection.query(CANCEL_QUEUED, [gate]);
    return 0;
  }
  if (workflow.status !== 'active') return 0;
  const { limit, inside } = workflow;
  const { rowCount } = await connection.query(
    `WITH oldest AS (
       SELECT run_id FROM run_concurrency WHERE gate = $1 AND NOT is_admitted ORDER BY run_id LIMIT $2
     ), gone AS (
       UPDATE run_concurrency g SET is_admitted = true FROM oldest o WHERE g.run_id = o.run_id
     )
     UPDATE runs r SET due_at = now() FROM oldest o WHERE r.id = o.run_id AND r.status = 'pending'`,
    [gate, limit === null ? null : Math.max(0, limit - inside)],
  );
  return rowCount ?? 0;
}

/** The gate of a run, where it has one. */
export async function findGate(pool: Pool, runId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ gate: string }>({
    name: 'find_gate',
    text: 'SELECT gate FROM run_concurrency WHERE run_id = $1',
    values: [runId],
  });
  return rows[0]?.gate;
}

// One step of the index for each gate, however many runs wait before it.
const OPEN_GATES = `
  WITH RECURSIVE found AS (
    (SELECT gate FROM run_concurrency WHERE NOT is_admitted AND gate > $1 ORDER BY gate LIMIT 1)
    UNION ALL
    SELECT (SELECT g.gate FROM run_concurrency g WHERE NOT g.is_admitted AND g.gate > f.gate ORDER BY g.gate LIMIT 1)
    FROM found f WHERE f.gate IS NOT NULL
  )
  SELECT f.gate FROM found f JOIN workflows w ON w.id = split_part(f.gate, '/', 1)
  WHERE w.deleted_at IS NOT NULL OR (w.status = 'active' AND (
    SELECT count(*) FROM run_concurrency g JOIN runs r ON r.id = g.run_id AND r.finished_at IS NULL WHERE g.gate = f.gate AND g.is_admitted
  ) < coalesce(${LIMIT}, 2147483647))
  LIMIT $2`;

/** Gates behind `after` that have both room and runs before them, in their order. */
export async function findOpenGates(pool: Pool, after: string, most: number): Promise<string[]> {
  const { rows } = await pool.query<{ gate: string }>({ name: 'open_gates', text: OPEN_GATES, values: [after, most] });
  return rows.map(({ gate }) => gate);
}

/** Forgets runs at gates that have ended. */
export async function removeEnded(pool: Pool): Promise<void> {
  await pool.query('DELETE FROM run_concurrency g USING runs r WHERE r.id = g.run_id AND r.finished_at IS NOT NULL');
}

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
