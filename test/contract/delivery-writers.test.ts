import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const OWNER = 'src/deliveries/statements/';
const TABLES = 'deliveries|attempts|dead_letters';
const MODELS = 'delivery|attempt|deadLetter';
const CHANGES = 'create|createMany|createManyAndReturn|update|updateMany|updateManyAndReturn|upsert|delete|deleteMany';

/** Ways to change a row of the three tables: in SQL, by a model of Prisma's, by a relation of another model. */
const WRITES: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE|COPY)\s+(TABLE\s+|ONLY\s+)*(public\.)?"?(${TABLES})\b`,
    'i',
  ),
  new RegExp(String.raw`\.\s*(${MODELS})\s*\.\s*(${CHANGES})\b`),
  new RegExp(String.raw`\b(deliveries|attempts|deadLetters)\s*:\s*\{\s*(${CHANGES}|set|connect)\w*\s*:`),
];
/** SQL whose table stands in a variable, which no expression of ours can follow. */
const UNREADABLE = /\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+"?\$\{/i;
/** Files whose variable tables are none of the three: each has them from a list of its own. */
const READ_BY_HAND = [
  'src/credentials/encryption-key-store.ts',
  'src/dispatch/recovery/forget-expired.ts',
  'src/identity/apps/suspension-store.ts',
  'src/replays/batches.ts',
];

const changesDeliveries = (text: string): boolean => WRITES.some((write) => write.test(text));
/** Benchmarks, the topology's faults and tests are not read: they make rows by the million, and break some on purpose. */
const sources = ['src', 'local', 'activities', 'workflows']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('src/db/generated/'));
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('deliveries, attempts and dead letters are written in one folder', () => {
  const writers = sources.filter((path) => changesDeliveries(textOf(path)));
  expect(writers.filter((path) => !path.startsWith(OWNER))).toEqual([]);
  // The expressions do find writes: most of what stands in the folder is one.
  expect(writers.length).toBeGreaterThan(10);
  const unread = sources.filter((path) => UNREADABLE.test(textOf(path)) && !READ_BY_HAND.includes(path));
  expect(unread).toEqual([]);
});

test('no migration changes rows of the three tables, and no trigger of one does', () => {
  const migrations = readdirSync(join(ROOT, 'prisma/migrations'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .map((name) => join('prisma/migrations', name));
  expect(migrations.filter((path) => changesDeliveries(textOf(path)))).toEqual([]);
});

test('states.md names every file of the folder, and each arrow a file that is there', () => {
  const page = textOf(`${OWNER}../states.md`);
  const named = new Set(Array.from(page.matchAll(/`(?:statements\/)?([a-z-]+\.ts)`/g), ([, file]) => file));
  expect(named).toEqual(new Set(readdirSync(join(ROOT, OWNER))));
});

describe('a write elsewhere is found', () => {
  test.each([
    'UPDATE deliveries SET holder = NULL',
    'WITH gone AS (\n  DELETE FROM\n    attempts a USING gone g RETURNING a.id)',
    'insert into "dead_letters" (id) VALUES ($1)',
    'UPDATE ONLY public.deliveries d SET round = 2',
    'TRUNCATE TABLE attempts',
    'await db.delivery.updateMany({ where: { id } })',
    'transaction\n    .deadLetter\n    .create({ data })',
    'db.message.update({ data: { deliveries: { deleteMany: {} } } })',
  ])('%s', (text) => expect(changesDeliveries(text)).toBe(true));

  test.each(['DELETE FROM ${table}', 'UPDATE "${name}" SET x = 1'])('behind a variable: %s', (text) =>
    expect(UNREADABLE.test(text)).toBe(true),
  );

  test.each([
    'SELECT id FROM deliveries FOR UPDATE',
    'UPDATE subscriptions s SET status = 1',
    'await db.delivery.findMany({ where })',
    'ON CONFLICT (id) DO UPDATE SET attempts = 1',
    'INSERT INTO messages (id) SELECT id FROM deliveries',
  ])('and no other statement: %s', (text) => expect(changesDeliveries(text) || UNREADABLE.test(text)).toBe(false));
});
