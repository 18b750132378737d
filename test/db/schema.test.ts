import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { diff } from '../support/check/schema-diff/schema-diff.ts';
import { type IdKind, ID_PREFIXES, isId, timeOfId } from '../../src/kernel/values/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const count = 10_000;

/** Makes the list of migrations say that this one is the newest. */
const asOf = (name: string): Promise<unknown> =>
  database.pool.query('UPDATE _prisma_migrations SET migration_name = $1', [name]);
const names = async (): Promise<string[]> =>
  (
    await database.pool.query<{ name: string }>('SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1')
  ).rows.map(({ name }) => name);

describe('the migrations', () => {
  test('make exactly the tables of prisma/schema.prisma', async () => {
    expect(await diff(database.url, 'database', 'schema')).toBe('');
  });

  test('are told apart from the schema by one changed column or partial index', async () => {
    await database.pool.query('ALTER TABLE channels DROP COLUMN description');
    await database.pool.query('DROP INDEX deliveries_first_tries');
    try {
      const difference = await diff(database.url, 'database', 'schema');
      expect(difference).toContain('ADD COLUMN     "description" TEXT');
      expect(difference).toContain('CREATE INDEX "deliveries_first_tries"');
    } finally {
      await database.pool.query('ALTER TABLE channels ADD COLUMN description text');
      await database.pool.query(
        'CREATE INDEX deliveries_first_tries ON deliveries (subscription_id, due_at, id) WHERE due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL AND policy_attempts = 0',
      );
    }
    expect(await diff(database.url, 'database', 'schema')).toBe('');
  });

  test('apply nothing to a database that has them, however many processes try at once', async () => {
    expect(await Promise.all([migrate(database.url), migrate(database.url)])).toEqual([[], []]);
    const { rows } = await database.pool.query(
      'SELECT migration_name, finished_at IS NOT NULL AS "isFinished" FROM _prisma_migrations ORDER BY started_at',
    );
    expect(rows).toEqual([{ migration_name: '0100_baseline', isFinished: true }]);
  });

  test('are only noted in a database of the version just before the baseline, which has the same tables', async () => {
    await asOf('0098_ends_without_letters');
    expect(await migrate(database.url)).toEqual([]);
    expect(await names()).toEqual(['0098_ends_without_letters', '0100_baseline']);
    await database.pool.query(`DELETE FROM _prisma_migrations WHERE migration_name < '0100'`);
  });

  test('are refused to a database of an earlier version, in one sentence that says what to do, and change nothing', async () => {
    await asOf('0096_max_retry_after');
    await expect(migrate(database.url)).rejects.toThrow(
      'The newest migration of this database is 0096_max_retry_after, of a version before the first release, which cannot be upgraded: use an empty database (with `posthorn start`, an empty DATA_FOLDER)',
    );
    expect(await names()).toEqual(['0096_max_retry_after']);
    await asOf('0100_baseline');
  });

  test('sort everything that holds an id as bytes', async () => {
    const { rows } = await database.pool.query(
      `SELECT table_name, column_name FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
         AND (column_name = 'id' OR column_name LIKE '%\\_id' OR column_name IN ('holder', 'carrier', 'position', 'replayed_by', 'requested_by'))`,
    );
    expect(rows).toEqual([]);
  });
});

describe('posthorn_id', () => {
  test.each(Object.entries(ID_PREFIXES) as [IdKind, string][])('makes an id of a %s', async (kind, prefix) => {
    const { rows } = await database.pool.query<{ id: string }>('SELECT posthorn_id($1) AS id', [prefix]);
    expect(isId(kind, rows[0]?.id ?? '')).toBe(true);
  });

  test(`makes ${count} valid ids, each once, that carry the present time and sort as they were made`, async () => {
    const before = Date.now();
    const { rows } = await database.pool.query<{ id: string }>(
      `SELECT posthorn_id('dlv') AS id FROM generate_series(1, ${count})`,
    );
    const after = Date.now();
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id) => !isId('delivery', id))).toEqual([]);
    expect(new Set(ids).size).toBe(count);
    const times = ids.map((id) => timeOfId('delivery', id)?.getTime() ?? 0);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
    expect(Math.max(...times)).toBeLessThanOrEqual(after);
    // Two ids of one microsecond may change places; ids of different milliseconds never do.
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  test('posthorn_time gives the time that an id carries', async () => {
    const { rows } = await database.pool.query<{ id: string; at: Date }>(
      `SELECT id, posthorn_time(id) AS at FROM (SELECT posthorn_id('dlv') AS id FROM generate_series(1, 1000)) AS made`,
    );
    expect(rows.filter(({ id, at }) => timeOfId('delivery', id)?.getTime() !== at.getTime())).toEqual([]);
  });

  test('carries version 7 and the variant of RFC 9562', async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      `SELECT posthorn_id('dlv') AS id FROM generate_series(1, 1000)`,
    );
    // Behind the time: 0111 and one bit; ten bits; one bit, 10, two bits.
    for (const { id } of rows) expect(id.slice(4)).toMatch(/^[0-9a-z]{10}[ef][0-9a-z]{2}[89abrstv][0-9a-z]{12}$/);
  });
});
