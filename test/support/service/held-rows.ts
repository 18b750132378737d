import type { Pool, PoolClient } from 'pg';
import { waitFor } from '../check/wait-for.ts';

/**
 * Runs `work` while another transaction has executed `statement` on one row, commits once `work` asks for it, and returns the result of
 * `work`.
 */
export async function holding<T>(
  pool: Pool,
  [statement, ...values]: readonly [statement: string, ...values: unknown[]],
  work: (release: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const client: PoolClient = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rowCount } = await client.query(statement, values);
    if (rowCount !== 1) throw new Error(`${statement} has held ${rowCount} rows`);
    return await work(async () => void (await client.query('COMMIT')));
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

/** Waits until that many transactions wait for a lock, or the request has been answered without waiting. */
export async function untilStuck(pool: Pool, waiting: number, request: Promise<unknown>): Promise<void> {
  let isAnswered = false;
  const answered = request.finally(() => {
    isAnswered = true;
  });
  await waitFor('the request to wait, or to be answered', async () => {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return isAnswered || (rowCount ?? 0) >= waiting;
  });
  if (isAnswered) await answered;
}
