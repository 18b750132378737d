import { describe, expect, test } from '@jest/globals';
import { BASELINE, isContracting, readMigrations } from './migrations.ts';
import { GROWING_TABLES, indexesBefore, statementsOf } from './large-indexes.ts';

test('comments, strings, names and function bodies do not end a statement', () => {
  const sql = `-- one; two
    CREATE TABLE "a;b" (c text DEFAULT 'x;''y'); /* ; */
    CREATE FUNCTION f() RETURNS trigger AS $body$ BEGIN; RETURN NEW; END $body$ LANGUAGE plpgsql;
    SELECT a - b / 2`;
  expect(statementsOf(sql)).toEqual([
    `CREATE TABLE "a;b" (c text DEFAULT 'x;''y')`,
    'CREATE FUNCTION f() RETURNS trigger AS $body$ BEGIN; RETURN NEW; END $body$ LANGUAGE plpgsql',
    'SELECT a - b / 2',
  ]);
});

describe('indexes that can be made before a migration', () => {
  test('are those with IF NOT EXISTS on tables that grow', () => {
    const sql =
      'CREATE INDEX IF NOT EXISTS "deliveries_slow" ON "deliveries"("environment_id", "id") WHERE (response_latency_ms >= 1000);';
    expect(indexesBefore(sql)).toEqual([
      {
        name: 'deliveries_slow',
        table: 'deliveries',
        isUnique: false,
        definition: '"deliveries"("environment_id", "id") WHERE (response_latency_ms >= 1000)',
      },
    ]);
    expect(indexesBefore('CREATE UNIQUE INDEX IF NOT EXISTS x ON runs (id)')).toMatchObject([{ isUnique: true }]);
  });

  test.each([
    ['without IF NOT EXISTS', 'CREATE INDEX "x" ON "messages"("id")'],
    ['on another table', 'CREATE INDEX IF NOT EXISTS "x" ON "channels"("id")'],
    [
      'of a column that is new',
      'ALTER TABLE "runs" ADD COLUMN "y" TEXT; CREATE INDEX IF NOT EXISTS "x" ON "runs"("y")',
    ],
    [
      'of a table that is new',
      'CREATE TABLE IF NOT EXISTS "runs" (id text); CREATE INDEX IF NOT EXISTS "x" ON "runs"("id")',
    ],
    ['in the body of a function', 'DO $$ BEGIN CREATE INDEX IF NOT EXISTS "x" ON "runs"("id"); END $$'],
  ])('are none %s', (_, sql) => {
    expect(indexesBefore(sql)).toEqual([]);
  });
});

/**
 * Fault of a statement by the rules of docs/operate/upgrading.md: an older process must work on the new schema, and no statement may stop
 * publishing for long. `made` are the tables that the same migration makes: they are empty, and no older process knows them.
 */
function faultOf(statement: string, made: readonly string[], isContract: boolean): string | undefined {
  const [, table = ''] =
    /^(?:ALTER TABLE|UPDATE|DELETE FROM) (?:IF EXISTS )?(?:ONLY )?"?(\w+)"?/i.exec(statement) ?? [];
  if (made.includes(table)) return undefined;
  const grows = GROWING_TABLES.some((each) => each === table);
  const added = [...statement.matchAll(/ADD COLUMN (?:IF NOT EXISTS )?(.*?)(?=, ADD |$)/gi)].map(
    ([, text = '']) => text,
  );
  if (!isContract) {
    if (/^DROP (?:TABLE|VIEW|FUNCTION|TYPE)|\bDROP COLUMN\b/i.test(statement)) return 'drops what older processes use';
    if (/^ALTER \w+ .*\bRENAME\b/i.test(statement)) return 'renames what older processes use';
    if (/\bSET NOT NULL\b|\bALTER COLUMN\b.*\bTYPE\b/i.test(statement)) return 'tightens a column';
    if (added.some((text) => /\bNOT NULL\b/i.test(text) && !/\bDEFAULT\b/i.test(text)))
      return 'adds a column that older processes leave empty';
  }
  if (added.some((text) => grows && /\bDEFAULT\b.*\(/i.test(text))) return 'fills a column of each row';
  if (
    grows &&
    /\bADD (?:CONSTRAINT \S+ )?(?:CHECK|FOREIGN KEY)\b/i.test(statement) &&
    !/\bNOT VALID\b/i.test(statement)
  )
    return 'reads a large table for a check';
  if (grows && /^(?:UPDATE|DELETE)\b/i.test(statement)) return 'holds the rows of a large table';
  const [, on = ''] = /^CREATE (?:UNIQUE )?INDEX (?!IF NOT EXISTS).* ON "?(\w+)"?/i.exec(statement) ?? [];
  if (GROWING_TABLES.some((each) => each === on) && !made.includes(on))
    return 'makes an index that nobody can make before';
  return undefined;
}

const faultsOf = (name: string, sql: string): string[] => {
  const statements = statementsOf(sql);
  const made = statements.flatMap((each) => /^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(each)?.[1] ?? []);
  return statements.flatMap((each) => {
    const fault = faultOf(each, made, isContracting(name));
    return fault === undefined ? [] : [`${name} ${fault}: ${each}`];
  });
};

describe('a migration', () => {
  test('after the baseline stops neither older processes nor publishing', () => {
    const held = readMigrations().filter(({ name }) => name !== BASELINE);
    expect(held.flatMap(({ name, sql }) => faultsOf(name, sql))).toEqual([]);
  });

  test.each([
    ['drops', 'ALTER TABLE "channels" DROP COLUMN "description"'],
    ['drops', 'DROP TABLE "marks"'],
    ['renames', 'ALTER TABLE "channels" RENAME COLUMN "name" TO "title"'],
    ['renames', 'ALTER TABLE "channels" RENAME TO "topics"'],
    ['tightens', 'ALTER TABLE "channels" ALTER COLUMN "description" SET NOT NULL'],
    ['tightens', 'ALTER TABLE "channels" ALTER COLUMN "name" TYPE VARCHAR(10)'],
    ['adds', 'ALTER TABLE "channels" ADD COLUMN "a" TEXT, ADD COLUMN "b" TEXT NOT NULL'],
    ['fills', 'ALTER TABLE "messages" ADD COLUMN "a" UUID DEFAULT gen_random_uuid()'],
    ['reads', 'ALTER TABLE "messages" ADD CONSTRAINT "x" CHECK (hops < 9)'],
    ['holds', `UPDATE deliveries SET status = 'failed'`],
    ['makes', 'CREATE INDEX "x" ON "deliveries"("id")'],
    ['makes', 'CREATE UNIQUE INDEX "x" ON "runs"("id")'],
  ])('that %s something so is found: %s', (kind, sql) => {
    const found = faultsOf('0099_planted', `SELECT 1; ${sql};`);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`0099_planted ${kind} `);
  });

  test.each([
    [
      '0099_planted',
      'CREATE TABLE "runs" ("id" TEXT NOT NULL); CREATE INDEX "x" ON "runs"("id"); UPDATE "runs" SET id = 1',
    ],
    ['0099_planted', 'ALTER TABLE "runs" ADD COLUMN IF NOT EXISTS "a" INTEGER NOT NULL DEFAULT 0'],
    ['0099_planted', 'ALTER TABLE "messages" ADD CONSTRAINT "x" CHECK (hops < 9) NOT VALID'],
    ['0099_planted', 'CREATE INDEX IF NOT EXISTS "x" ON "deliveries"("id"); DROP INDEX "y"'],
    ['0099_planted_contract', 'ALTER TABLE "channels" DROP COLUMN "description"'],
  ])('%s may do this: %s', (name, sql) => {
    expect(faultsOf(name, sql)).toEqual([]);
  });
});
