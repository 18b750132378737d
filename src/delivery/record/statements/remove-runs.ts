import type { PoolClient } from 'pg';

const REMOVE = `
  WITH run AS (
    DELETE FROM runs WHERE id = ANY ($1::text[]) RETURNING id
  ), step AS (
    DELETE FROM run_steps s USING run WHERE s.run_id = run.id RETURNING s.run_id
  ), dead_letter AS (
    DELETE FROM dead_letters l USING run WHERE l.run_id = run.id AND l.run_id IS NOT NULL RETURNING l.id
  )
  SELECT (SELECT count(*)::int FROM run) AS runs, (SELECT count(*)::int FROM step) AS steps,
    (SELECT count(*)::int FROM dead_letter) AS "deadLetters"`;

/** Rows that were removed. */
export type RemovedRuns = { runs: number; steps: number; deadLetters: number };
const NONE: RemovedRuns = { runs: 0, steps: 0, deadLetters: 0 };

/** Removes these runs with their steps and dead letters. The caller has locked them, so that no retry makes one go on meanwhile. */
export async function removeRuns(connection: PoolClient, ids: readonly string[]): Promise<RemovedRuns> {
  if (ids.length === 0) return NONE;
  const { rows } = await connection.query<RemovedRuns>({ name: 'remove_runs', text: REMOVE, values: [ids] });
  return rows[0] ?? NONE;
}
