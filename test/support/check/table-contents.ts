import type { TestPosthorn } from '../service/posthorn.ts';
import type { Pool } from 'pg';

/** Per table its number of rows and a hash over all of them: what a refused request must leave as it was. */
export type TableContents = Record<string, { rows: number; hash: string }>;

/** Every table of the service. `last_used_at` is left out: it is written for the key of any request, refused ones too. */
export async function tableContents(pool: Pool): Promise<TableContents> {
  const tables = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'`,
  );
  const parts = tables.rows.map(
    ({ name }) => `SELECT '${name}' AS name, count(*)::int AS rows,
      md5(coalesce(string_agg(content, '|' ORDER BY content), '')) AS hash
      FROM (SELECT (to_jsonb(t) - 'last_used_at')::text AS content FROM "${name}" t) AS contents`,
  );
  const { rows } = await pool.query<{ name: string; rows: number; hash: string }>(parts.join(' UNION ALL '));
  return Object.fromEntries(rows.map(({ name, ...content }) => [name, content]));
}

/** The tables in which the word stands anywhere. */
export async function tablesThatHold(pool: Pool, word: string): Promise<string[]> {
  const names = Object.keys(await tableContents(pool));
  const parts = names.map((name) => `SELECT '${name}' AS name FROM "${name}" t WHERE to_jsonb(t)::text LIKE $1`);
  const { rows } = await pool.query<{ name: string }>(parts.join(' UNION '), [`%${word}%`]);
  return rows.map(({ name }) => name);
}

/** Every table, once no worker writes to it any more: stops the worker. */
export async function contentsAtRest({ worker, deps }: Pick<TestPosthorn, 'worker' | 'deps'>): Promise<TableContents> {
  await worker.stop();
  return tableContents(deps.pool);
}
