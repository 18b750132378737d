import type { Pool } from 'pg';
import { inTransaction } from '../db/transaction.ts';
import { SEALED_COLUMNS, type SealedColumn } from '../db/sql/sealed-columns.ts';

/** Number of rows of one table that a key has encrypted: all of them, and those that still need the key. */
export type SealedRows = { kid: string; table: string; all: number; needed: number };

export type KnownEncryptionKey = { id: string; checkValue: string; createdAt: Date };

// SQL: the name of the key in an encrypted text; null for any other text, which is a problem of that row alone.
const kidOf = ({ column }: SealedColumn): string => `substring(${column} FROM '^v1\\.([A-Za-z0-9_-]{1,32})\\.')`;

const COUNT_SEALED = SEALED_COLUMNS.map(
  (sealed) =>
    `SELECT ${kidOf(sealed)} AS kid, '${sealed.table}' AS "table", count(*)::int AS all,
       count(*) FILTER (WHERE ${sealed.isNeeded})::int AS needed
     FROM ${sealed.table} WHERE ${sealed.column} IS NOT NULL GROUP BY 1`,
).join(' UNION ALL ');

/** Counts the rows that each key has encrypted, by table. Reads every encrypted row: 0.3 s for a million, once per start. */
export async function countSealed(pool: Pool): Promise<SealedRows[]> {
  const { rows } = await pool.query<SealedRows>(
    `SELECT * FROM (${COUNT_SEALED}) AS counted WHERE kid IS NOT NULL ORDER BY 1, 2`,
  );
  return rows;
}

/** Up to `limit` rows of that column that this key has encrypted and that still need it, oldest first. */
export async function readSealed(
  pool: Pool,
  column: SealedColumn,
  { kid, limit }: { kid: string; limit: number },
): Promise<{ id: string; sealed: string }[]> {
  const { rows } = await pool.query<{ id: string; sealed: string }>(
    `SELECT ${column.id} AS id, ${column.column} AS sealed FROM ${column.table}
     WHERE ${kidOf(column)} = $1 AND ${column.isNeeded} ORDER BY created_at LIMIT $2`,
    [kid, limit],
  );
  return rows;
}

/** Up to `limit` rows of that column that one of these keys has encrypted, with ids after `behind`, in the order of their ids. */
export async function readSealedBehind(
  pool: Pool,
  column: SealedColumn,
  { kids, behind, limit }: { kids: readonly string[]; behind: string; limit: number },
): Promise<{ id: string; sealed: string }[]> {
  const { rows } = await pool.query<{ id: string; sealed: string }>(
    `SELECT ${column.id} AS id, ${column.column} AS sealed FROM ${column.table}
     WHERE ${column.id} > $1 AND ${kidOf(column)} = ANY($2) ORDER BY ${column.id} LIMIT $3`,
    [behind, kids, limit],
  );
  return rows;
}

/** Replaces the text that was read. Returns false if the row has been changed since. */
export async function replaceSealed(
  pool: Pool,
  column: SealedColumn,
  { id, read, sealed }: { id: string; read: string; sealed: string },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE ${column.table} SET ${column.column} = $3 WHERE ${column.id} = $1 AND ${column.column} = $2`,
    [id, read, sealed],
  );
  return (rowCount ?? 0) > 0;
}

export async function readKnownKeys(pool: Pool): Promise<KnownEncryptionKey[]> {
  const { rows } = await pool.query<KnownEncryptionKey>(
    'SELECT id, check_value AS "checkValue", created_at AS "createdAt" FROM encryption_keys ORDER BY created_at, id',
  );
  return rows;
}

/** Stores the check values of keys that have none. If two processes write one at once, the first value stays. */
export async function insertCheckValues(
  pool: Pool,
  values: readonly { kid: string; checkValue: string }[],
): Promise<void> {
  if (values.length === 0) return;
  await pool.query(
    `INSERT INTO encryption_keys (id, check_value) SELECT * FROM unnest($1::text[], $2::text[]) AS k (id, check_value)
     ORDER BY id ON CONFLICT (id) DO NOTHING`,
    [values.map(({ kid }) => kid), values.map(({ checkValue }) => checkValue)],
  );
}

/** Removes every row that this key has encrypted, and the key's check value. Returns the number of rows of each table. */
export async function removeSealedBy(pool: Pool, kid: string): Promise<{ table: string; removed: number }[]> {
  return inTransaction(pool, async (connection) => {
    const removed = [];
    for (const column of SEALED_COLUMNS) {
      const { rowCount } = await connection.query(`DELETE FROM ${column.table} WHERE ${kidOf(column)} = $1`, [kid]);
      removed.push({ table: column.table, removed: rowCount ?? 0 });
    }
    await connection.query('DELETE FROM encryption_keys WHERE id = $1', [kid]);
    return removed;
  });
}
