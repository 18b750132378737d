import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { alongAll, createValues, idBounds, risingIdBounds } from '../../src/db/sql/walk.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

/** Owners and rows of each: few owners have nearly all rows, and the newest rows are those of others than the oldest. */
const OWNERS = 400;
const ROWS = 60_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(`
    CREATE TABLE walked (owner text NOT NULL, id text PRIMARY KEY);
    INSERT INTO walked SELECT
      'own_' || lpad(CASE WHEN i % 3 = 0 THEN i % 5 WHEN i > ${ROWS / 2} THEN i % 40 ELSE i % ${OWNERS} END::text, 4, '0'),
      'row_' || lpad(i::text, 26, '0')
    FROM generate_series(0, ${ROWS - 1}) AS i;
    CREATE INDEX ON walked (owner, id);
    CREATE TABLE walkers AS SELECT DISTINCT owner AS id FROM walked;
    ANALYZE walked`);
}, 60_000);
afterAll(() => database.drop());

const id = (number: number): string => `row_${String(number).padStart(26, '0')}`;

function statement(limit: number, isRising: boolean, range: { from?: string; before?: string } = {}) {
  const values = createValues();
  const bounds = isRising ? risingIdBounds(values, range) : idBounds(values, range);
  const walk = { table: 'walked', columns: ['owner'], at: ['w.id'], bounds, limit, isRising };
  return { text: `WITH ${alongAll('walkers', walk)}`, values: values.values };
}

const ranges = [{}, { from: id(100), before: id(59_000) }, { from: id(20_000), before: id(29_000) }, { before: id(7) }];
test.each(
  [1, 50, 199, 200, 1_000, 5_000, 70_000].flatMap((limit) =>
    [true, false].map((isRising) => [limit, isRising] as const),
  ),
)('the first %i ids of all walks together are those of a sort (rising: %s)', async (limit, isRising) => {
  for (const range of ranges) {
    const walked = await database.pool.query<{ id: string }>(statement(limit, isRising, range));
    const sorted = await database.pool.query<{ id: string }>(
      `SELECT id FROM walked WHERE id >= $1 AND id < $2 ORDER BY id ${isRising ? 'ASC' : 'DESC'} LIMIT ${limit}`,
      [range.from ?? '', range.before ?? '~'],
    );
    expect(walked.rows).toEqual(sorted.rows);
  }
});

type Plan = { 'Node Type': string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Plan[] };
const read = (plan: Plan): number =>
  (plan['Node Type'].startsWith('Index') ? plan['Actual Rows'] * plan['Actual Loops'] : 0) +
  (plan.Plans ?? []).reduce((sum, part) => sum + read(part), 0);

// Before, each of 400 walks went on to 1,000 ids or to its end: all 60,000 rows.
test('walks together read a bounded number of rows, however many of them there are', async () => {
  const { text, values } = statement(1_000, false);
  const { rows } = await database.pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>({
    text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
    values,
  });
  const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
  expect(explained && read(explained.Plan)).toBeLessThan(15_000);
});
