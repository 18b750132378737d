import type { Pool, PoolClient } from 'pg';
import type { DatabaseTransaction } from './client.ts';

/**
 * Runs `work` in one transaction on one connection of the pool. Commits when `work` returns and rolls back when it throws; its error is
 * rethrown. A connection that cannot even roll back is closed and never given to the next caller. `begin` is the SQL that begins the
 * transaction.
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

/** A pool, one of its connections, or a transaction of the Prisma client: a statement joins the transaction of its caller. */
export type Executor = Pick<Pool, 'query'> | Pick<DatabaseTransaction, '$executeRawUnsafe'>;

/** Runs a statement that returns no rows. Returns how many it changed. */
export async function execute(db: Executor, text: string, values: readonly unknown[]): Promise<number> {
  if ('query' in db) return (await db.query(text, [...values])).rowCount ?? 0;
  return db.$executeRawUnsafe(text, ...values);
}
