import type pg from 'pg';

// With fewer rows, creating an index takes a tenth of a second, which nobody notices.
const LARGE_ROWS = 100_000;

/**
 * Creates the indexes of a migration on large tables before it, with CREATE INDEX CONCURRENTLY and outside its transaction, while
 * publishing, claiming and recording continue. The migration then finds them in place. An index whose creation was interrupted is
 * invalid and is created again. If one cannot be created, throws with the migration's name before the migration starts.
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
    // The statement waits for all transactions that are currently open, but blocks nothing, so there is no reason to give up.
    await session.query('SET lock_timeout = 0');
    tell?.(
      `Migration ${migration} first creates ${index.name} on ${index.table} without blocking it; this takes minutes on a large table`,
    );
    const kind = index.isUnique ? 'UNIQUE INDEX' : 'INDEX';
    try {
      if (state === 'invalid') await session.query(`DROP INDEX CONCURRENTLY "${index.name}"`);
      await session.query(`CREATE ${kind} CONCURRENTLY IF NOT EXISTS "${index.name}" ON ${index.definition}`);
    } catch (failure) {
      throw new Error(`Migration ${migration} was not started, because its index ${index.name} could not be created`, {
        cause: failure,
      });
    }
  }
}

/** Rows as estimated by PostgreSQL; -1 for a table that was never analysed, and 0 for one that does not exist. */
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

/** Statements of a migration without comments, each on one line. A `;` in a string, a name or a function body does not end a statement. */
export function statementsOf(sql: string): string[] {
  const statements = [''];
  for (const [part] of sql.matchAll(PART)) {
    if (part === ';') statements.push('');
    else if (!part.startsWith('--') && !part.startsWith('/*')) statements[statements.length - 1] += part;
  }
  return statements.map((each) => each.replaceAll(/\s+/g, ' ').trim()).filter((each) => each !== '');
}

/** Tables that grow with messages: creating an ordinary index on a large one blocks publishing until it is done. */
export const GROWING_TABLES = ['messages', 'deliveries', 'attempts', 'dead_letters', 'runs'] as const;

/** An index on a growing table, as a migration creates it. `definition` is everything after `ON`. */
type GrowingIndex = { name: string; table: string; isUnique: boolean; definition: string };

const INDEX = new RegExp(
  String.raw`^CREATE (UNIQUE )?INDEX IF NOT EXISTS "?(\w+)"? ON ("?(${GROWING_TABLES.join('|')})"? ?\(.+)$`,
  'i',
);

/**
 * Indexes of this migration that can be created before it. Excludes those without IF NOT EXISTS, with which the migration would fail,
 * and those on a table that it creates or changes itself, whose columns may not exist yet.
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
