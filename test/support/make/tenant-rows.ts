import type { Pool, PoolClient } from 'pg';
import type { Tenant } from '../../../src/platform/db/tenant-query.ts';

/** The tenant of the rows that begin with this name. */
export const tenantNamed = (name: string): Required<Tenant> => ({
  organisationId: `${name}:organisation`,
  environmentId: `${name}:environment`,
});

type Column = { table: string; name: string; type: string; isRequired: boolean };

// Values by PostgreSQL's type, for columns that do not reference anything.
const VALUES: Record<string, string> = {
  int4: '1',
  int2: '1',
  int8: '1',
  bool: 'false',
  timestamptz: 'now()',
  bytea: `sha256(convert_to($1, 'UTF8'))`,
  _text: `'{}'`,
  json: `'{}'`,
  jsonb: `'{}'`,
  text: '$1',
};

/**
 * Stores one row of that tenant in each table, read from the catalogue: `id` and each `…_id` is the tenant's name and what it refers
 * to, such as `a:channel`, so tables added later are covered too. Foreign keys and triggers are not checked.
 */
export async function insertRowsOf(pool: Pool, tables: readonly string[], tenant: string): Promise<void> {
  const { rows: columns } = await pool.query<Column>(
    `SELECT c.table_name AS table, c.column_name AS name, c.udt_name AS type, c.is_nullable = 'NO' AND c.column_default IS NULL AS "isRequired"
     FROM information_schema.columns c WHERE c.table_schema = 'public' AND c.table_name = ANY ($1)`,
    [tables],
  );
  const connection = await pool.connect();
  try {
    await connection.query('SET session_replication_role = replica');
    for (const table of tables)
      await insertRow(
        connection,
        table,
        columns.filter((column) => column.table === table),
        tenant,
      );
  } finally {
    await connection.query('RESET session_replication_role');
    connection.release();
  }
}

async function insertRow(db: PoolClient, table: string, columns: readonly Column[], tenant: string): Promise<void> {
  const isName = ({ name, type }: Column): boolean => type === 'text' && (name === 'id' || name.endsWith('_id'));
  const filled = columns.filter((column) => column.isRequired || isName(column));
  const values = filled.map((column) => {
    if (isName(column))
      return `'${tenant}:${column.name === 'id' ? singular(table) : column.name.slice(0, -'_id'.length)}'`;
    const value = VALUES[column.type];
    if (value === undefined) throw new Error(`${table}.${column.name} has the type ${column.type}: say a value for it`);
    return value;
  });
  const names = filled.map(({ name }) => `"${name}"`);
  const text = `INSERT INTO ${table} (${names.join()}) VALUES (${values.join()})`;
  await db.query(text.includes('$1') ? text : `${text} -- $1`, text.includes('$1') ? [`${tenant} ${table}`] : []);
}

const singular = (table: string): string => (table.endsWith('ies') ? `${table.slice(0, -3)}y` : table.slice(0, -1));
