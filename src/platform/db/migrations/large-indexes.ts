import type pg from 'pg';

// Below it an index is made in a tenth of a second, which nobody notices.
const LARGE_ROWS = 100_000;

/**
 * Makes the indexes of a migration on large tables before it, with CREATE INDEX CONCURRENTLY and outside of its transaction: publishing,
 * claiming and recording go on meanwhile. The migration finds them there. An index that was broken off is invalid, and is made anew.
 * Throws with the migration's name, before it is begun, when one cannot be made.
 */
export async function makeLargeIndexes(
  session: pg.Client,
  { name: migration, sql }: { name: string; sql: string },
  tell: ((line: string) => void) | undefined,
): Promise<void> {
  for (const index of indexesBefore(sql)) {
    if ((await rowsOf(session, index.table)) < LARGE_ROWS) continue;
    const state = await stateOf(session, index);
    if (state === 'valid') continue;
    // The statement waits for all transactions that are open now, and blocks nobody: there is no reason to give up its place.
    await session.query('SET lock_timeout = 0');
    tell?.(
      `Migration ${migration} makes ${index.name} on ${index.table} first, without a stop; a large table takes minutes`,
    );
    const kind = index.isUnique ? 'UNIQUE INDEX' : 'INDEX';
    try {
      if (state === 'invalid') await session.query(`DROP INDEX CONCURRENTLY "${index.name}"`);
      await session.query(`CREATE ${kind} CONCURRENTLY IF NOT EXISTS "${index.name}" ON ${index.definition}`);
    } catch (failure) {
      throw new Error(`Migration ${migration} was not begun: its index ${index.name} could not be made`, {
        cause: failure,
      });
    }
  }
}

/** Rows as PostgreSQL estimates them; -1 for a table that was never looked at, and 0 for one that is not there. */
async function rowsOf(session: pg.Client, table: string): Promise<number> {
  const { rows } = await session.query<{ count: number }>(
    `SELECT greatest(c.reltuples, s.n_live_tup)::float8 AS count FROM pg_class c LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
     WHERE c.oid = to_regclass($1)`,
    [table],
  );
  return rows[0]?.count ?? 0;
}

async function stateOf(session: pg.Client, { name }: GrowingIndex): Promise<'none' | 'valid' | 'invalid'> {
  const { rows } = await session.query<{ isValid: boolean }>(
    'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  const [found] = rows;
  if (found === undefined) return 'none';
  return found.isValid ? 'valid' : 'invalid';
}

const PART = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^-/'"$;]+|[\s\S]/g;

/** Statements of a migration without comments, each in one line. A `;` in a text, a name or the body of a function ends none. */
export function statementsOf(sql: string): string[] {
  const statements = [''];
  for (const [part] of sql.matchAll(PART)) {
    if (part === ';') statements.push('');
    else if (!part.startsWith('--') && !part.startsWith('/*')) statements[statements.length - 1] += part;
  }
  return statements.map((each) => each.replaceAll(/\s+/g, ' ').trim()).filter((each) => each !== '');
}

/** Tables that grow with messages: a plain index on a large one stops publishing for as long as it takes to make. */
export const GROWING_TABLES = ['messages', 'deliveries', 'attempts', 'dead_letters', 'runs'] as const;

/** An index on a table that grows, as a migration makes it. `definition` is all behind `ON`. */
type GrowingIndex = { name: string; table: string; isUnique: boolean; definition: string };

const INDEX = new RegExp(
  String.raw`^CREATE (UNIQUE )?INDEX IF NOT EXISTS "?(\w+)"? ON ("?(${GROWING_TABLES.join('|')})"? ?\(.+)$`,
  'i',
);

/**
 * Indexes of this migration that can be made before it. Left out are those without IF NOT EXISTS, which the migration would not find
 * there, and those on a table that it makes or changes itself, whose columns may not be there yet.
 */
export function indexesBefore(sql: string): GrowingIndex[] {
  const statements = statementsOf(sql);
  return statements.flatMap((statement) => {
    const [, unique, name = '', definition = '', table = ''] = INDEX.exec(statement) ?? [];
    const touching = new RegExp(
      String.raw`^(?:CREATE|ALTER) TABLE (?:IF (?:NOT )?EXISTS )?(?:ONLY )?"?${table}"?\b`,
      'i',
    );
    if (table === '' || statements.some((each) => touching.test(each))) return [];
    return [{ name, table, isUnique: unique !== undefined, definition }];
  });
}
