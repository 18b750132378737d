import type { Pool } from 'pg';
import { lowestIdAt } from '../src/kernel/values/ids.ts';

const DAY_MS = 86_400_000;

/** Kinds of ids whose time says the day. */
type DayKind = 'message' | 'delivery';

/**
 * Tables by day: the column whose time says the day, and the kind of its ids. Ids sort by time, so a range of ids is a day and the
 * primary key stays the id. Attempts go by their delivery: every statement that asks for them names it.
 */
export const DAILY: readonly { table: string; column: string; kind: DayKind }[] = [
  { table: 'messages', column: 'id', kind: 'message' },
  { table: 'deliveries', column: 'id', kind: 'delivery' },
  { table: 'attempts', column: 'delivery_id', kind: 'delivery' },
];

type Definition = { name: string; definition: string };
type Index = Definition & { isUnique: boolean; columns: string[] };

/** A day is the number of days since 1970. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS);
/** The first id of that day. */
export const firstIdOf = (kind: DayKind, day: number): string => lowestIdAt(kind, new Date(day * DAY_MS));

/**
 * Turns the three tables of an empty, migrated database into the same ones with a partition for each day from `first` to `last`.
 * Columns, checks, indexes, triggers, policies and storage settings are those of the migrations. Returns what cannot be kept: unique rules
 * that do not name the day hold within a day only.
 */
export async function makeDaily(pool: Pool, { first, last }: { first: number; last: number }): Promise<string[]> {
  const found = await Promise.all(DAILY.map(async ({ table }) => ({ table, ...(await definitionsOf(pool, table)) })));
  const lost: string[] = [];
  // Policies of one table name another one, so all of them go first.
  for (const { table } of DAILY) await pool.query(`ALTER TABLE ${table} RENAME TO ${table}_before`);
  for (const { table, column } of DAILY)
    await pool.query(
      `CREATE TABLE ${table} (LIKE ${table}_before INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING CONSTRAINTS)
       PARTITION BY RANGE (${column})`,
    );
  await pool.query(`DROP TABLE ${DAILY.map(({ table }) => `${table}_before`).join(', ')} CASCADE`);
  for (const { table, column, kind } of DAILY) {
    const { indexes, triggers, settings } = found.find((one) => one.table === table) ?? NOTHING;
    const key = column === 'id' ? 'id' : `id, ${column}`;
    await pool.query(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey PRIMARY KEY (${key})`);
    const within = indexes.filter(({ isUnique, columns }) => isUnique && !columns.includes(column));
    for (const { name, definition } of indexes.filter((index) => !within.some((one) => one.name === index.name))) {
      // pg_indexes writes ON ONLY for a partitioned table alone; here the definition is an ordinary table's.
      await pool.query(definition.replace(`INDEX ${name} `, `INDEX "${name}" `));
    }
    for (const { definition } of triggers) await pool.query(definition);
    for (let day = first - 1; day <= last + 1; day += 1) {
      const from = day < first ? 'MINVALUE' : `'${firstIdOf(kind, day)}'`;
      const to = day > last ? 'MAXVALUE' : `'${firstIdOf(kind, day + 1)}'`;
      const partition = `${table}_${day}`;
      const options = settings === null ? '' : `WITH (${settings})`;
      await pool.query(
        `CREATE TABLE ${partition} PARTITION OF ${table} FOR VALUES FROM (${from}) TO (${to}) ${options}`,
      );
      for (const { name, definition } of within)
        await pool.query(
          definition.replace(name, `${name}_${day}`).replace(` ON public.${table} `, ` ON public.${partition} `),
        );
    }
    lost.push(...within.map(({ columns }) => `${table} (${columns.join(', ')})`));
  }
  for (const { table, policies } of found) {
    await pool.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
    for (const { definition } of policies) await pool.query(definition);
  }
  return lost;
}

const NOTHING = { indexes: [], triggers: [], settings: null };

async function definitionsOf(
  pool: Pool,
  table: string,
): Promise<{ indexes: Index[]; triggers: Definition[]; policies: Definition[]; settings: string | null }> {
  const ask = async <Row extends object>(text: string): Promise<Row[]> =>
    (await pool.query<Row>(text, [`public.${table}`])).rows;
  const [settings] = await ask<{ settings: string | null }>(
    `SELECT array_to_string(reloptions, ', ') AS settings FROM pg_class WHERE oid = $1::regclass`,
  );
  return {
    indexes: await ask<Index>(
      `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition, i.indisunique AS "isUnique",
         ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = i.indexrelid ORDER BY a.attnum) AS columns
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = $1::regclass AND NOT i.indisprimary`,
    ),
    triggers: await ask<Definition>(
      `SELECT tgname AS name, pg_get_triggerdef(oid) AS definition FROM pg_trigger
       WHERE tgrelid = $1::regclass AND NOT tgisinternal`,
    ),
    policies: await ask<Definition>(
      `SELECT polname AS name, format('CREATE POLICY %I ON %s FOR ALL USING (%s)', polname, $1::regclass,
         pg_get_expr(polqual, polrelid)) AS definition
       FROM pg_policy WHERE polrelid = $1::regclass`,
    ),
    settings: settings?.settings ?? null,
  };
}
