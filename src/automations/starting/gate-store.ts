import type { Pool, PoolClient } from 'pg';
import type { RunInput } from '../../kernel/contract/run-workflow.ts';
import { cancelRuns, endRuns } from '../../platform/db/sql/ended-runs.ts';
import { lowestIdAt } from '../../kernel/values/ids.ts';

const SKIP = endRuns({
  status: 'skipped',
  which: `r.id = $1 AND r.round = $2 AND r.status = 'pending'`,
  reason: '$3',
});

/** Marks a run as skipped instead of starting it. */
export async function skipRun(connection: PoolClient, { runId, round }: RunInput, reason: string): Promise<void> {
  await connection.query('DELETE FROM run_concurrency WHERE run_id = $1', [runId]);
  await connection.query(SKIP, [runId, round, reason]);
}

const CANCEL = cancelRuns({
  which: `r.id = $1 AND r.round = $2 AND r.status = 'pending'`,
  reason: `'its workflow was deleted'`,
});

/** Cancels a run that has not started because its workflow was deleted. */
export async function cancelOfDeleted(pool: Pool, { runId, round }: RunInput): Promise<void> {
  await pool.query(CANCEL, [runId, round]);
}

/** Locks the concurrency group until the transaction ends, and removes finished runs from it. */
export async function lockGate(connection: PoolClient, gate: string): Promise<void> {
  await connection.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`gate ${gate}`]);
  await connection.query(
    `DELETE FROM run_concurrency g USING runs r WHERE g.gate = $1 AND r.id = g.run_id AND r.finished_at IS NOT NULL`,
    [gate],
  );
}

// The limit of the current version applies, because an author who raises it wants waiting runs to start.
const LIMIT = `(SELECT (v.trigger::jsonb #>> '{config,concurrency,limit}')::int FROM workflow_versions v
  WHERE v.workflow_id = w.id AND v.version = w.version)`;

/** State of a locked group for a run. `room`: free slots; infinite if the workflow no longer has a limit. */
export type Gate = { isAdmitted: boolean; isBehind: boolean; room: number };

/** Adds a run to the group as waiting, unless it is already admitted. */
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

/** Makes the run wait in its group and releases its claim. */
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

/** Cancels the oldest admitted runs in favour of a newer one. */
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
 * Admits the oldest waiting runs of a locked group into free slots while their workflow is active. Returns how many.
 * Waiting runs of a deleted workflow are cancelled.
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

/** Returns the concurrency group of a run, if it has one. */
export async function findGate(pool: Pool, runId: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ gate: string }>({
    name: 'find_gate',
    text: 'SELECT gate FROM run_concurrency WHERE run_id = $1',
    values: [runId],
  });
  return rows[0]?.gate;
}

// One index lookup for each group, however many runs are waiting in it.
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

/** Returns groups after `after` that have both free slots and waiting runs, in order. */
export async function findOpenGates(pool: Pool, after: string, most: number): Promise<string[]> {
  const { rows } = await pool.query<{ gate: string }>({ name: 'open_gates', text: OPEN_GATES, values: [after, most] });
  return rows.map(({ gate }) => gate);
}

/** Removes finished runs from their groups. */
export async function removeEnded(pool: Pool): Promise<void> {
  await pool.query('DELETE FROM run_concurrency g USING runs r WHERE r.id = g.run_id AND r.finished_at IS NOT NULL');
}

type Keyed = { runId: string; environmentId: string; workflowId: string; key: string; until: Date };

const FIND = `SELECT run_id AS "runId" FROM run_key_spans
  WHERE workflow_id = $1 AND key = $2 AND run_id < $4 AND until_id > $3`;

/**
 * Reserves a key for a run from its creation time until `until`, unless that overlaps the period of a run that has it.
 * Returns the run that has the key; this one even if it asks again. Periods are compared by run id, so the result does
 * not depend on when, or in which order, workers ask.
 */
export async function takeKey(
  connection: PoolClient,
  { runId, environmentId, workflowId, key, until }: Keyed,
): Promise<string> {
  const untilId = lowestIdAt('run', until);
  // The following statement sees a run that reserved the key while this one waited for the lock.
  await connection.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`key ${workflowId}/${key}`]);
  const { rows } = await connection.query<{ runId: string }>(FIND, [workflowId, key, runId, untilId]);
  if (rows[0] !== undefined) return rows[0].runId;
  await connection.query(
    `INSERT INTO run_key_spans (workflow_id, key, environment_id, run_id, until, until_id) VALUES ($1, $2, $3, $4, $5, $6)`,
    [workflowId, key, environmentId, runId, until, untilId],
  );
  return runId;
}

// Margin for a run whose publish had not committed when the window ended.
const LATE = `interval '1 minute'`;
const REMOVED_AT_ONCE = 1_000;

// Keeps keys that pending runs created within the window may still need.
const REMOVE = `DELETE FROM run_key_spans WHERE (workflow_id, key, run_id) IN (
  SELECT workflow_id, key, run_id FROM run_key_spans
  WHERE workflow_id = $1 AND until <= now() - ${LATE} AND until_id <= coalesce((
    SELECT min(r.id) FROM runs r
    WHERE r.environment_id = $2 AND r.status = 'pending' AND r.workflow_id = $1 AND r.round = 1
  ), until_id)
  ORDER BY until LIMIT ${REMOVED_AT_ONCE}
)`;

/** Removes expired keys that no run can need any more. */
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
