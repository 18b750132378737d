import type { TestPosthorn } from '../service/posthorn.ts';
import type { Pool } from 'pg';

/** The number of rows and a hash over all rows, per table: what a refused request must not change. */
export type TableContents = Record<string, { rows: number; hash: string }>;

/** Tables whose rows are never changed and become thousands. Comparing row versions instead takes a seventh of the time. */
const WRITTEN_ONCE = ['audit_entries'];

// Some files compare all tables hundreds of times. Planning a hundred subqueries costs more than reading most tables, so each
// connection plans them once. Sorting the rows by their texts before hashing took five times as long as this sum of hashes.
const statements = new WeakMap<Pool, Promise<string>>();

/**
 * Returns the contents of every table, except the last use of a key, which any request writes, refused ones too, and the claims and
 * leases that processes renew each second.
 */
export async function tableContents(pool: Pool): Promise<TableContents> {
  const known = statements.get(pool) ?? statementFor(pool);
  statements.set(pool, known);
  const { rows } = await pool.query<{ name: string; rows: number; hash: string }>({
    name: 'table-contents',
    text: await known,
  });
  return Object.fromEntries(rows.map(({ name, ...content }) => [name, content]));
}

async function statementFor(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string; columns: string }>(
    `SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname NOT IN ('_prisma_migrations', 'work_in_hand')
       AND a.attname NOT IN ('last_used_at', 'last_used_address')
     GROUP BY c.relname`,
  );
  return rows
    .map(({ name, columns }) => ({ name, content: WRITTEN_ONCE.includes(name) ? 'xmin, ctid' : columns }))
    .map(
      ({ name, content }) =>
        `SELECT '${name}' AS name, count(*)::int AS rows,
          coalesce(sum(hashtextextended(ROW(${content})::text, 0)), 0)::text AS hash FROM "${name}"`,
    )
    .join(' UNION ALL ');
}

/** Returns the tables that contain the word anywhere. */
export async function tablesThatHold(pool: Pool, word: string): Promise<string[]> {
  const names = Object.keys(await tableContents(pool));
  const parts = names.map((name) => `SELECT '${name}' AS name FROM "${name}" t WHERE to_jsonb(t)::text LIKE $1`);
  const { rows } = await pool.query<{ name: string }>(parts.join(' UNION '), [`%${word}%`]);
  return rows.map(({ name }) => name);
}

/** Stops the worker and returns the contents of every table once nothing writes to it any more. */
export async function contentsAtRest({ worker, deps }: Pick<TestPosthorn, 'worker' | 'deps'>): Promise<TableContents> {
  await worker.stop();
  return tableContents(deps.pool);
}
