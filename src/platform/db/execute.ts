import type { Pool } from 'pg';
import type { DatabaseTransaction } from './client.ts';

/** A pool, a connection of one, or a transaction of the Prisma client: a statement joins the transaction of its caller. */
export type Executor = Pick<Pool, 'query'> | Pick<DatabaseTransaction, '$executeRawUnsafe'>;

/** Runs a statement that returns no rows, and says how many it changed. */
export async function execute(db: Executor, text: string, values: readonly unknown[]): Promise<number> {
  if ('query' in db) return (await db.query(text, [...values])).rowCount ?? 0;
  return db.$executeRawUnsafe(text, ...values);
}
