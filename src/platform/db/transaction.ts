import type { Pool, PoolClient } from 'pg';

/**
 * Runs `work` in one transaction on one connection of the pool. The transaction is committed when `work` returns and rolled back when
 * it throws; its error is thrown on. A connection that cannot even be rolled back is closed, never handed to the next caller. `begin` is
 * the SQL that begins it.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (connection: PoolClient) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  const connection = await pool.connect();
  let isBroken = true;
  try {
    await connection.query(begin);
    const result = await work(connection);
    await connection.query('COMMIT');
    isBroken = false;
    return result;
  } catch (failure) {
    isBroken = await connection.query('ROLLBACK').then(
      () => false,
      () => true,
    );
    throw failure;
  } finally {
    connection.release(isBroken);
  }
}
