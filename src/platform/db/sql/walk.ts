import type { PoolClient } from 'pg';
import type { IdRange } from '../../../kernel/values/instant.ts';
import type { DatabaseTransaction } from '../client.ts';

/** Collects the values of one statement: `add` returns the parameter for a value. */
export function createValues() {
  const values: string[] = [];
  const add = (value: string): string => `$${values.push(value)}::text`;
  return { values, add };
}

export type Values = ReturnType<typeof createValues>;

/** SQL: ids at or above `from` and below `before`. */
export type Bounds = { from: string; before: string };

// Below and above every id, which is some letters, an underscore and 26 characters.
const LOWEST = '';
const HIGHEST = '~';

/** The bounds of a page: the ids of a range, newest first, below the last one of the previous page. */
export function idBounds({ add }: Values, { from = LOWEST, before = HIGHEST }: IdRange, after = HIGHEST): Bounds {
  return { from: add(from), before: add(before < after ? before : after) };
}

/** The bounds of a page in a list that is ordered from the oldest id to the newest. */
export function risingIdBounds({ add }: Values, { from = LOWEST, before = HIGHEST }: IdRange, after?: string): Bounds {
  // Ids have one length, so nothing lies between an id and the same id with another character.
  const next = after === undefined ? LOWEST : `${after}0`;
  return { from: add(from > next ? from : next), before: add(before) };
}

/**
 * A scan along one index, (`columns`, id), over the ids of `table` (as `d`) for which the columns have the values `at`: newest first,
 * or oldest first with `isRising`. `where` contains further conditions on each row.
 */
export type Walk = {
  table: string;
  columns: readonly string[];
  at: readonly string[];
  bounds: Bounds;
  where?: readonly string[];
  limit: number;
  isRising?: boolean;
  /** SQL: columns selected in addition to the id. */
  beside?: string;
};

/**
 * SQL: the first `limit` ids of an index scan.
 * The columns are compared and sorted as one row, although they have one value each. With `findAlong`, only that index can serve this,
 * whatever the statistics say. With plain conditions and ORDER BY id, PostgreSQL chooses by frequency, and reads a whole environment
 * for rows that are rare by now.
 */
export function along({ table, columns, at, bounds, where = [], limit, isRising = false, beside }: Walk): string {
  const names = [...columns, 'id'].map((column) => `d.${column}`);
  const from = `(${[...at, bounds.from].join(', ')})`;
  const before = `(${[...at, bounds.before].join(', ')})`;
  const conditions = [`(${names.join(', ')}) >= ${from}`, `(${names.join(', ')}) < ${before}`, ...where];
  const order = names.map((name) => `${name} ${isRising ? 'ASC' : 'DESC'}`);
  const selected = beside === undefined ? 'd.id' : `d.id, ${beside}`;
  return `SELECT ${selected} FROM ${table} d WHERE ${conditions.join(' AND ')} ORDER BY ${order.join(', ')} LIMIT ${limit}`;
}

// Each step reads this many times the ids of the previous step. Lists of page size are read at once, without steps.
const TRY_GROWS = 8;
const TRIED_FROM = 200;

/**
 * SQL (CTEs and a SELECT) that merges many index scans, one for each row `w` of `walks`, and returns the first `limit` ids. Only scans
 * whose first id ranks among those continue, and none reads past the last of them. For a long list each scan then reads 8 ids, 64, and
 * so on; the `limit`-th id found so far bounds all scans. Together they read about ten times `limit` per step, however many there are.
 * Without these steps, 2,000 scans of 5,000 ids would all run to their ends.
 */
export function alongAll(walks: string, walk: Walk): string {
  const { bounds, limit, isRising = false } = walk;
  const order = isRising ? 'ASC' : 'DESC';
  const within = (bound: string): Bounds =>
    isRising ? { ...bounds, before: `${bound}.id` } : { ...bounds, from: `${bound}.id` };
  // Ids have one length, so the last of the first ids is below itself with another character.
  const last = isRising ? `max(first_id) || '0'` : 'min(first_id)';
  const tries: string[] = [];
  let bound = 'bound';
  for (let size = TRY_GROWS; limit >= TRIED_FROM && size * TRY_GROWS <= limit; size *= TRY_GROWS) {
    tries.push(`${bound}_${size} AS MATERIALIZED (
    SELECT coalesce((
      SELECT d.id${isRising ? ` || '0'` : ''} FROM first w CROSS JOIN LATERAL (${along({ ...walk, bounds: within(bound), limit: size })}) d
      ORDER BY d.id ${order} OFFSET ${limit - 1} LIMIT 1
    ), ${bound}.id) AS id FROM ${bound}
  )`);
    bound = `${bound}_${size}`;
  }
  return `
  first AS MATERIALIZED (
    SELECT w.*, d.id AS first_id FROM ${walks} w CROSS JOIN LATERAL (${along({ ...walk, limit: 1 })}) d
    ORDER BY d.id ${order} LIMIT ${limit}
  ), ${[
    `bound AS MATERIALIZED (
    SELECT CASE count(*) WHEN ${limit} THEN ${last} ELSE ${isRising ? bounds.before : bounds.from} END AS id FROM first
  )`,
    ...tries,
  ].join(', ')}
  SELECT d.id FROM first w CROSS JOIN ${bound} CROSS JOIN LATERAL (${along({ ...walk, bounds: within(bound) })}) d
  ORDER BY d.id ${order} LIMIT ${limit}`;
}

/**
 * SQL: the first ids of rows with a matching event type, along the index (`of`, event_type, id). `owners` selects the values of the
 * column `of` as `id`. A prefix such as `order.*` is a loose index scan that skips from one of the owner's event types to the next.
 */
export function alongEventTypes(
  values: Values,
  { owners, of, pattern, ...walk }: { owners: string; of: string; pattern: string } & Omit<Walk, 'columns' | 'at'>,
): string {
  const typed = { ...walk, columns: [of, 'event_type'], at: ['w.id', 'w.event_type'] };
  const range = rangeOfBeginning(pattern);
  if (range === undefined) {
    const one = `typed AS (SELECT o.id, ${values.add(pattern)} AS event_type FROM (${owners}) o)`;
    return `WITH ${one}, ${alongAll('typed', typed)}`;
  }
  const end = values.add(range.before);
  const next = (from: string): string => `(
      SELECT d.event_type FROM ${walk.table} d
      WHERE (d.${of}, d.event_type) ${from} AND (d.${of}, d.event_type) < (o.id, ${end})
      ORDER BY d.${of}, d.event_type LIMIT 1)`;
  return `
  WITH RECURSIVE step AS (
    SELECT o.id, ${next(`>= (o.id, ${values.add(range.from)})`)} AS event_type FROM (${owners}) o
    UNION ALL
    SELECT o.id, ${next('> (o.id, o.event_type)')} FROM step o WHERE o.event_type IS NOT NULL
  ), typed AS (
    SELECT o.id, o.event_type FROM step o WHERE o.event_type IS NOT NULL
  ), ${alongAll('typed', typed)}`;
}

/** For `order.*`, the first text (by bytes) that begins with `order.`, and the one after the last; undefined for anything else. */
function rangeOfBeginning(pattern: string): { from: string; before: string } | undefined {
  if (!pattern.endsWith('.*')) return undefined;
  // The prefix ends with a dot; the slash is the next character.
  return { from: pattern.slice(0, -1), before: `${pattern.slice(0, -2)}/` };
}

/** Whether a filter by event type excludes anything. */
export const isNarrowing = (pattern: string | undefined): pattern is string => pattern !== undefined && pattern !== '*';

/** SQL: the condition on the event type `d.event_type`, COLLATE "C". */
export function eventTypeIs(pattern: string | undefined, { add }: Values): string[] {
  if (!isNarrowing(pattern)) return [];
  const range = rangeOfBeginning(pattern);
  if (range === undefined) return [`d.event_type = ${add(pattern)}`];
  return [`d.event_type >= ${add(range.from)}`, `d.event_type < ${add(range.before)}`];
}

// With old statistics, PostgreSQL collected a subscription's deliveries by an index that shares only its first columns, and sorted
// 400,000 for a page. With these settings off, it scans the index that has the order, and stops.
const IN_ORDER = `SELECT name, value, set_config(name, 'off', true) FROM (
  SELECT name, current_setting(name) AS value FROM unnest(ARRAY[
    'enable_sort', 'enable_incremental_sort', 'enable_bitmapscan', 'enable_seqscan']) AS name OFFSET 0) settings`;
const AS_BEFORE = 'SELECT set_config(name, value, true) FROM unnest($1::text[], $2::text[]) AS settings (name, value)';

/** Returns the rows of a statement made of index scans, planned as such. Later statements in the transaction are planned as before. */
export const queryAlong = <T>(
  transaction: DatabaseTransaction,
  text: string,
  { values }: Pick<Values, 'values'>,
): Promise<T[]> => inOrder((sql, ...given) => transaction.$queryRawUnsafe(sql, ...given), text, values);

/** Does the same on a connection that is in a transaction. */
export const queryAlongOn = <T>(
  connection: PoolClient,
  text: string,
  { values }: Pick<Values, 'values'>,
): Promise<T[]> =>
  inOrder(
    async <R>(sql: string, ...given: readonly (string | string[])[]) => {
      const { rows } = await connection.query(sql, [...given]);
      // The statement itself names its columns.
      return rows as R[];
    },
    text,
    values,
  );

type Ask = <R>(text: string, ...values: readonly (string | string[])[]) => Promise<R[]>;

async function inOrder<T>(ask: Ask, text: string, values: readonly string[]): Promise<T[]> {
  const settings = await ask<{ name: string; value: string }>(IN_ORDER);
  const rows = await ask<T>(text, ...values);
  await ask(
    AS_BEFORE,
    settings.map(({ name }) => name),
    settings.map(({ value }) => value),
  );
  return rows;
}

/** The ids that a statement made of index scans finds, in its order. */
export const findAlong = async (
  transaction: DatabaseTransaction,
  text: string,
  values: Pick<Values, 'values'>,
): Promise<string[]> => (await queryAlong<{ id: string }>(transaction, text, values)).map(({ id }) => id);

/**
 * Returns the rows of the ids found, in one order. Rows removed in between would leave a short page, which means the last page, so the
 * ids are searched again.
 */
export async function readFound<T>(find: () => Promise<string[]>, read: (ids: string[]) => Promise<T[]>): Promise<T[]> {
  for (;;) {
    const ids = await find();
    if (ids.length === 0) return [];
    const rows = await read(ids);
    if (rows.length === ids.length) return rows;
  }
}

/** PostgreSQL's number (OID) of the type `text`. */
const TEXT = 25;
/** Dimensions, whether it contains nulls, type, length and lower bound: five whole numbers of four bytes. */
const HEAD_BYTES = 20;
const LENGTH_BYTES = 4;
/** The length that stands for null. */
const NULL = -1;

/**
 * Returns a `text[]` parameter in PostgreSQL's binary format: pg sends a Buffer as binary. For columns of JSON and bodies, because pg
 * writes other arrays as one text in which every quote is escaped, and PostgreSQL parses that text character by character. A payload of
 * 780 bytes of typical JSON takes 0.1 µs here and 3.5 to 7.7 in PostgreSQL; as text it takes 4.2 and 6.3 to 8. A lone surrogate becomes
 * U+FFFD, as in any text.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? NULL : Buffer.byteLength(value)));
  const bytes = Buffer.allocUnsafe(
    lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(0, length), HEAD_BYTES),
  );
  const head = [1, lengths.includes(NULL) ? 1 : 0, TEXT, values.length, 1];
  let at = 0;
  for (const field of head) at = bytes.writeInt32BE(field, at);
  values.forEach((value, index) => {
    at = bytes.writeInt32BE(lengths[index] ?? NULL, at);
    if (value !== null) at += bytes.write(value, at);
  });
  return bytes;
}
