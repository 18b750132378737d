import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { textArray } from '../../src/db/sql/text-array.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const read = async (values: readonly (string | null)[]): Promise<(string | null)[]> => {
  const { rows } = await database.pool.query<{ value: string | null }>(
    'SELECT value FROM unnest($1::text[]) WITH ORDINALITY AS v (value, place) ORDER BY place',
    [textArray(values)],
  );
  return rows.map(({ value }) => value);
};

test.each<[string, (string | null)[]]>([
  ['nothing', []],
  ['one null', [null]],
  ['the empty text between nulls', [null, '', null]],
  ['what an array written as text must escape', ['"', '\\', '{}', ',', 'NULL', ' a ', '\n\t', '{"a":"\\"b\\\\"}']],
  ['texts of one to four bytes a character', ['a', 'ä', '€', '😀', 'a😀ä'.repeat(10_000)]],
])('%s comes out of PostgreSQL as it went in', async (_what, values) => {
  expect(await read(values)).toEqual(values);
});

test('a lone surrogate is stored as U+FFFD, as pg stores it in any text', async () => {
  expect(await read(['a\ud800b'])).toEqual(['a\ufffdb']);
});

test('a NUL is refused by PostgreSQL', async () => {
  await expect(read(['a\0b'])).rejects.toMatchObject({ code: '22021' });
});
