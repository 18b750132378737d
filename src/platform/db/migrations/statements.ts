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
export type GrowingIndex = { name: string; table: string; isUnique: boolean; definition: string };

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
