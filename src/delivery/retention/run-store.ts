import type { Pool } from 'pg';
import { keepsRun } from '../../platform/db/sql/fragments.ts';
import { inTransaction } from '../../platform/db/transaction.ts';
import { type RemovedRuns, removeRuns } from '../record/statements/remove.ts';
import { lowestIdAt } from '../../kernel/values/ids.ts';
import { RETENTION_DAYS } from '../../kernel/rules/resource-bounds.ts';

// Runs per transaction, with a few steps each. A run with a long loop counts by its steps.
const RUNS_AT_ONCE = 500;
const STEPS_AT_ONCE = 5_000;
const ENVIRONMENTS_AT_ONCE = 100;

/** An environment, and the time before which its runs must have finished to be removed. */
export type ExpiredRuns = { environmentId: string; endedBefore: Date };

/**
 * Returns the next environments after the id `after`, by id, each with the limit that follows from its app's
 * `retentionDays`.
 */
export async function environmentsToPass(
  pool: Pool,
  { after, now }: { after: string; now: Date },
): Promise<{ environments: ExpiredRuns[]; isLast: boolean }> {
  const { rows } = await pool.query<ExpiredRuns>({
    name: 'environments_to_pass',
    text: `SELECT e.id AS "environmentId", $2::timestamptz - make_interval(days => coalesce((a.settings ->> 'retentionDays')::int, $3)) AS "endedBefore"
      FROM environments e JOIN apps a ON a.id = e.app_id WHERE e.id > $1 ORDER BY e.id LIMIT ${ENVIRONMENTS_AT_ONCE}`,
    values: [after, now, RETENTION_DAYS.default],
  });
  return { environments: rows, isLast: rows.length < ENVIRONMENTS_AT_ONCE };
}

// A run is older than its end, so all runs that may go have ids below the limit. Runs that a retry has locked are left
// to the next pass.
const LOCK_EXPIRED = `
  SELECT r.id, r.executions FROM runs r
  WHERE r.environment_id = $1 AND r.id > $2 AND r.id < $3 AND r.finished_at < $4
    AND NOT EXISTS (${keepsRun('r.id')})
  ORDER BY r.id LIMIT ${RUNS_AT_ONCE} FOR UPDATE OF r SKIP LOCKED`;

/**
 * Removes the next expired runs of an environment after the id `after`, up to 500 runs or about 5,000 steps, in one
 * transaction. Keeps runs that are unfinished or have an open dead letter that can be replayed. `last` is the position
 * for the next batch; undefined after the last one.
 */
export async function removeRunBatch(
  pool: Pool,
  { environmentId, endedBefore, after }: ExpiredRuns & { after: string },
): Promise<RemovedRuns & { last: string | undefined }> {
  return inTransaction(pool, async (connection) => {
    const locked = await connection.query<{ id: string; executions: number }>({
      name: 'lock_expired_runs',
      text: LOCK_EXPIRED,
      values: [environmentId, after, lowestIdAt('run', endedBefore), endedBefore],
    });
    let steps = 0;
    const taken = locked.rows.filter((row, index) => {
      steps += row.executions;
      return index === 0 || steps <= STEPS_AT_ONCE;
    });
    const counts = await removeRuns(
      connection,
      taken.map(({ id }) => id),
    );
    const isAll = taken.length === locked.rows.length && taken.length < RUNS_AT_ONCE;
    return { ...counts, last: isAll ? undefined : taken.at(-1)?.id };
  });
}
