import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool, PoolClient } from 'pg';
import { migrate } from '../../src/platform/db/migrations/migrate.ts';
import { BASELINE, migrationNames } from '../../src/platform/db/migrations/migrations.ts';
import { textArray, alongAll, createValues, idBounds, risingIdBounds } from '../../src/platform/db/sql/walk.ts';
import { createRunsWaker, DUE_RUNS_CHANNEL } from '../../src/platform/db/waking.ts';
import { ID_PREFIXES, type IdKind, isId, timeOfId } from '../../src/kernel/values/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { diff } from '../support/check/schema-diff/schema-diff.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';

describe('schema', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const count = 10_000;

  /** A database with the tables of the baseline, whose list of migrations says that this one is the newest. */
  const databaseAt = async (name: string): Promise<TestDatabase> => {
    const older = await createTestDatabase();
    const { pool } = older;
    await pool.query('CREATE SCHEMA kept; ALTER TABLE _prisma_migrations SET SCHEMA kept');
    await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await pool.query(
      readFileSync(join(import.meta.dirname, `../../prisma/migrations/${BASELINE}/migration.sql`), 'utf8'),
    );
    await pool.query('ALTER TABLE kept._prisma_migrations SET SCHEMA public; DROP SCHEMA kept');
    await pool.query('DELETE FROM _prisma_migrations WHERE migration_name <> $1', [BASELINE]);
    await pool.query('UPDATE _prisma_migrations SET migration_name = $1', [name]);
    return older;
  };
  const namesIn = async ({ pool }: TestDatabase): Promise<string[]> =>
    (await pool.query<{ name: string }>('SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1')).rows.map(
      (row) => row.name,
    );

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
      expect(rows).toEqual(migrationNames().map((name) => ({ migration_name: name, isFinished: true })));
    });

    test('note the baseline in a database of the version just before it, which has the same tables, and apply the later ones', async () => {
      const older = await databaseAt('0098_ends_without_letters');
      const [, ...later] = migrationNames();
      expect(later[0]).toBe('0101_failing_attempts');
      expect(await migrate(older.url)).toEqual(later);
      expect(await namesIn(older)).toEqual(['0098_ends_without_letters', '0100_baseline', ...later]);
      expect(await diff(older.url, 'database', 'schema')).toBe('');
      await older.drop();
    });

    test('are refused to a database of an earlier version, in one sentence that says what to do, and change nothing', async () => {
      const older = await databaseAt('0096_max_retry_after');
      await expect(migrate(older.url)).rejects.toThrow(
        'The newest migration of this database is 0096_max_retry_after, of another program or of a version before the first release, which cannot be upgraded; use an empty database (with `posthorn start`, an empty DATA_FOLDER)',
      );
      expect(await namesIn(older)).toEqual(['0096_max_retry_after']);
      await older.drop();
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
});

describe('composite keys', () => {
  /**
   * Entries of the audit log had no key to their environment, and refusals and inspected requests one to the id of their webhook or
   * inspector alone: a row could have been stored that names one of another tenant.
   */
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** Columns that say whose a row is. */
  const TENANT = ['organisation_id', 'app_id', 'environment_id'];

  const ENGINE =
    'the statements of publishing and delivering hold it: a key costs 7 to 30 % of a publish (decision 37)';
  const FILTER = 'a filter as its caller gave it, which counts with the environment alone';
  const CLAIM = 'told by a request that anybody may send: it says what the request claims';
  const OUTLIVES = 'retention removes what it names first';
  /** Columns without a composite key, each with its reason. */
  const EXCEPTIONS: Record<string, string> = {
    'bulk_replays.channel_id': FILTER,
    'bulk_replays.message_id': FILTER,
    'bulk_replays.subscription_id': FILTER,
    'bulk_replays.workflow_id': FILTER,
    'dead_letters.channel_id': ENGINE,
    'dead_letters.delivery_id': ENGINE,
    'dead_letters.message_id': ENGINE,
    'dead_letters.run_id': ENGINE,
    'dead_letters.subscription_id': ENGINE,
    'dead_letters.workflow_id': ENGINE,
    'deliveries.channel_id': ENGINE,
    'deliveries.message_id': ENGINE,
    'deliveries.subscription_id': ENGINE,
    'awaited_messages.message_id': ENGINE,
    'inbound_events.inbound_webhook_id': ENGINE,
    'inbound_events.message_id': ENGINE,
    'inbound_receipts.inbound_webhook_id': ENGINE,
    'inbound_receipts.message_id': ENGINE,
    'inbound_refusals.message_id': ENGINE,
    'inbound_stat_parts.inbound_webhook_id': ENGINE,
    'inspected_requests.message_id': CLAIM,
    'inspected_requests.subscription_id': CLAIM,
    'messages.channel_id': ENGINE,
    'messages.only_subscription_id': ENGINE,
    'publisher_ids.channel_id': ENGINE,
    'publisher_ids.message_id': ENGINE,
    'run_key_spans.run_id': OUTLIVES,
    'run_keys.run_id': OUTLIVES,
    'run_stat_parts.workflow_id': OUTLIVES,
    'run_waits.message_id': OUTLIVES,
    'runs.channel_id': OUTLIVES,
    'runs.message_id': OUTLIVES,
    'runs.parent_run_id': OUTLIVES,
    'scheduled_messages.channel_id': ENGINE,
    'stat_parts.channel_id': ENGINE,
    'stat_parts.subscription_id': ENGINE,
  };

  type Table = { name: string; columns: string[] };
  type Key = { table: string; columns: string[]; named: string; isValid: boolean };

  const tablesOf = async (pool: Pool): Promise<Table[]> =>
    (
      await pool.query<Table>(
        `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped GROUP BY 1 ORDER BY 1`,
      )
    ).rows;

  const keysOf = async (pool: Pool): Promise<Key[]> =>
    (
      await pool.query<Key>(
        `SELECT k.conrelid::regclass::text AS "table", k.confrelid::regclass::text AS named, k.convalidated AS "isValid",
         (SELECT array_agg(a.attname::text) FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)) AS columns
       FROM pg_constraint k WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace`,
      )
    ).rows;

  const isTenants = ({ columns }: Table): boolean => columns.some((column) => TENANT.includes(column));
  const plural = (name: string): string => (name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`);

  /** The tenants' table whose row a column names by its own name: `only_subscription_id` names one of `subscriptions`. */
  function namedBy(column: string, tables: readonly Table[]): string | undefined {
    if (!column.endsWith('_id')) return undefined;
    const words = column.slice(0, -'_id'.length).split('_');
    const names = words.map((_, index) => plural(words.slice(index).join('_')));
    return tables.find((table) => names.includes(table.name) && isTenants(table))?.name;
  }

  /** Columns of tenants' tables that could name a row of another tenant, as `table.column`, and two tenant columns as `table.a+b`. */
  async function withoutCompositeKey(pool: Pool): Promise<string[]> {
    const [tables, keys] = [await tablesOf(pool), await keysOf(pool)];
    const tenants = new Set(tables.filter(isTenants).map(({ name }) => name));
    return tables.filter(isTenants).flatMap(({ name, columns }) => {
      const own = keys.filter(({ table }) => table === name);
      const whose = columns.filter((column) => TENANT.includes(column));
      const pairs = whose.flatMap((one, index) =>
        whose
          .slice(index + 1)
          .filter((other) => !own.some((key) => key.columns.includes(one) && key.columns.includes(other)))
          .map((other) => `${name}.${one}+${other}`),
      );
      const naming = columns.filter(
        (column) =>
          !TENANT.includes(column) &&
          (namedBy(column, tables) !== undefined ||
            own.some((key) => key.columns.includes(column) && tenants.has(key.named))),
      );
      const isHeld = (column: string): boolean =>
        own.some((key) => key.columns.includes(column) && key.columns.some((each) => TENANT.includes(each)));
      return [...pairs, ...naming.filter((column) => !isHeld(column)).map((column) => `${name}.${column}`)];
    });
  }

  test('every column that names a row of a tenant has a key with the tenant in it, but for those with a reason', async () => {
    const names = (await tablesOf(database.pool)).filter(isTenants).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['apps', 'environments', 'audit_entries', 'channels', 'runs']));
    const found = await withoutCompositeKey(database.pool);
    expect(found.toSorted()).toEqual(Object.keys(EXCEPTIONS).toSorted());
  });

  test('every key holds the rows that were there before it', async () => {
    expect((await keysOf(database.pool)).filter(({ isValid }) => !isValid)).toEqual([]);
  });

  describe('a table is found that', () => {
    test.each([
      ['has two tenants', 'environment_id text, app_id text', 'planted.environment_id+app_id'],
      ['names by an id alone', 'environment_id text, by_whom text REFERENCES channels (id)', 'planted.by_whom'],
      ['names without any key', 'environment_id text, last_run_id text', 'planted.last_run_id'],
    ])('%s', async (_, columns, fault) => {
      await database.pool.query(`CREATE TABLE planted (${columns})`);
      try {
        expect(await withoutCompositeKey(database.pool)).toContain(fault);
      } finally {
        await database.pool.query('DROP TABLE planted');
      }
    });

    test('has its key without the tenant', async () => {
      await database.pool.query(
        `ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_organisation_id_environment_id_fkey;
       ALTER TABLE inspected_requests DROP CONSTRAINT inspected_requests_environment_id_inspector_id_fkey,
         ADD CONSTRAINT alone FOREIGN KEY (inspector_id) REFERENCES inspectors (id)`,
      );
      try {
        expect(await withoutCompositeKey(database.pool)).toEqual(
          expect.arrayContaining(['audit_entries.organisation_id+environment_id', 'inspected_requests.inspector_id']),
        );
      } finally {
        await database.pool.query(
          `ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_organisation_id_environment_id_fkey
           FOREIGN KEY (organisation_id, environment_id) REFERENCES environments (organisation_id, id);
         ALTER TABLE inspected_requests DROP CONSTRAINT alone, ADD CONSTRAINT inspected_requests_environment_id_inspector_id_fkey
           FOREIGN KEY (environment_id, inspector_id) REFERENCES inspectors (environment_id, id) ON DELETE CASCADE`,
        );
      }
    });
  });

  describe('PostgreSQL refuses', () => {
    const FOREIGN_KEY = { code: '23503' };
    beforeAll(async () => {
      for (const tenant of ['a', 'b'])
        for (const text of [
          `INSERT INTO organisations (id, name, updated_at) VALUES ('org_${tenant}', 'o', now())`,
          `INSERT INTO apps (id, organisation_id, name, slug, updated_at) VALUES ('app_${tenant}', 'org_${tenant}', 'a', 'a', now())`,
          // As a process of an earlier release makes it.
          `INSERT INTO environments (id, app_id, kind) VALUES ('env_${tenant}', 'app_${tenant}', 'live')`,
          `INSERT INTO channels (id, environment_id, name, updated_at) VALUES ('chn_${tenant}', 'env_${tenant}', 'c', now())`,
          `INSERT INTO workflows (id, environment_id, name, created_at, updated_at) VALUES ('wfl_${tenant}', 'env_${tenant}', 'w', now(), now())`,
          `INSERT INTO runs (id, environment_id, workflow_id, version, trigger_type) VALUES ('run_${tenant}', 'env_${tenant}', 'wfl_${tenant}', 1, 'manual')`,
          `INSERT INTO inspectors (id, position, environment_id, name, created_at, updated_at)
         VALUES ('ins_${tenant}', '${tenant}', 'env_${tenant}', 'i', now(), now())`,
          `INSERT INTO inbound_webhooks (id, position, environment_id, channel_id, name, scheme, settings, created_at, updated_at)
         VALUES ('whk_${tenant}', '${tenant}', 'env_${tenant}', 'chn_${tenant}', 'w', 'body', '{}', now(), now())`,
        ])
          await database.pool.query(text);
    });

    const inserting: Record<string, (tenant: string, named: string, id: string) => string> = {
      'an audit entry of the environment': (tenant, named, id) =>
        `INSERT INTO audit_entries (id, organisation_id, environment_id, action, target_id, position, entry, hash)
       VALUES ('${id}', 'org_${tenant}', 'env_${named}', 'a', 't', 1, '{}', '')`,
      'an approval of the workflow': (tenant, named, id) =>
        `INSERT INTO approvals (id, environment_id, workflow_id, run_id, step_id, iteration, title, approvers, created_at, expires_at)
       VALUES ('${id}', 'env_${tenant}', 'wfl_${named}', 'run_${tenant}', 's', '', 't', '{}', now(), now())`,
      'a refusal of the webhook': (tenant, named, id) =>
        `INSERT INTO inbound_refusals (id, environment_id, inbound_webhook_id, reason, detail, address, bytes, refused_at, expires_at)
       VALUES ('${id}', 'env_${tenant}', 'whk_${named}', 'r', 'd', 'a', 1, now(), now())`,
      'a request to the inspector': (tenant, named, id) =>
        `INSERT INTO inspected_requests (id, environment_id, inspector_id, method, path, headers, body, bytes, answer_status, answer_delay_ms,
         signature_status, arrived_at, expires_at)
       VALUES ('${id}', 'env_${tenant}', 'ins_${named}', 'GET', '/', '[]', '', 0, 200, 0, 'unsigned', now(), now())`,
      'an environment of the app': (tenant, named, id) =>
        `INSERT INTO environments (id, organisation_id, app_id, kind) VALUES ('${id}', 'org_${tenant}', 'app_${named}', 'test')`,
    };
    test.each(Object.entries(inserting))('%s of another tenant, and takes one of its own', async (_, insert) => {
      await expect(database.pool.query(insert('a', 'b', 'x'))).rejects.toMatchObject(FOREIGN_KEY);
      expect((await database.pool.query(insert('a', 'a', 'y'))).rowCount).toBe(1);
    });

    test('to take an environment out of the audit log: entries are never changed, and it stays as long as they do', async () => {
      // PostgreSQL 18 has a code of its own for RESTRICT.
      await expect(database.pool.query(`DELETE FROM environments WHERE id = 'env_a'`)).rejects.toMatchObject({
        code: expect.stringMatching(/^23(503|001)$/),
      });
      await expect(
        database.pool.query(`UPDATE apps SET organisation_id = 'org_b', slug = 'b' WHERE id = 'app_a'`),
      ).rejects.toMatchObject({ code: expect.stringMatching(/^(23503|42501)$/) });
      const { rows } = await database.pool.query('SELECT environment_id FROM audit_entries');
      expect(rows).toEqual([{ environment_id: 'env_a' }]);
    });
  });
});

describe('text array', () => {
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
});

describe('walks', () => {
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

  const ranges = [
    {},
    { from: id(100), before: id(59_000) },
    { from: id(20_000), before: id(29_000) },
    { before: id(7) },
  ];
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
});

describe('due runs', () => {
  let database: TestDatabase;
  let listener: PoolClient;
  let heard = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    listener = await database.pool.connect();
    listener.on('notification', () => {
      heard += 1;
    });
    await listener.query(`LISTEN ${DUE_RUNS_CHANNEL}`);
  });
  afterAll(async () => {
    listener.release();
    await database.drop();
  });

  test('a burst of publishes wakes workers at once and once more behind its last commit', async () => {
    const wake = createRunsWaker(database.pool, createLog('silent'));
    for (let commit = 0; commit < 100; commit += 1) wake();
    await waitFor('the notification behind the burst', () => heard === 2);
    wake();
    await waitFor('one for a commit after it', () => heard === 3);
  });
});
