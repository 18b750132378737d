import type { Database } from '../../../src/platform/db/client.ts';

/**
 * Returns how many rows and index entries an action reads from these tables, whatever the plan. `db` has a single session, so that its
 * reads are counted.
 */
export async function rowsRead(db: Database, tables: readonly string[], act: () => Promise<unknown>): Promise<number> {
  const before = await readSoFar(db, tables);
  await act();
  return (await readSoFar(db, tables)) - before;
}

async function readSoFar(db: Database, tables: readonly string[]): Promise<number> {
  await db.$queryRaw`SELECT pg_stat_force_next_flush()::text`;
  const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT sum(t.seq_tup_read + i.read)::float8 AS count FROM pg_stat_user_tables t
    JOIN (SELECT relid, sum(idx_tup_read) AS read FROM pg_stat_user_indexes GROUP BY relid) i USING (relid)
    WHERE t.relname = ANY (${[...tables]})`;
  return row?.count ?? Number.NaN;
}
