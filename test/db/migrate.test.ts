import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate, migrate as migrateDatabase, type MigrateOptions } from '../../src/platform/db/migrations/migrate.ts';
import { migrationNames, readMigrations } from '../../src/platform/db/migrations/migrations.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { runPosthorn, type StartedPosthorn, startPosthorn } from '../support/service/command-line.ts';
import { TEST_DATABASE_PREFIX } from '../support/service/database-names.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { currentRun } from '../support/service/run.ts';

describe('migrate', () => {
  const { adminUrl } = currentRun();
  const admin = new pg.Client({ connectionString: adminUrl });
  let name: string;
  let url: string;
  let inTheWay: pg.Client;
  let running: StartedPosthorn | undefined;

  beforeEach(async () => {
    if (name === undefined) await admin.connect();
    name = `${TEST_DATABASE_PREFIX}migrate_${randomBytes(4).toString('hex')}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const address = new URL(adminUrl);
    address.pathname = `/${name}`;
    url = address.href;
    inTheWay = new pg.Client({ connectionString: url });
    await inTheWay.connect();
  });
  afterEach(async () => {
    running?.child.kill('SIGKILL');
    await running?.ended;
    await inTheWay.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  });
  afterAll(() => admin.end());

  /** A migrate that is in the middle of its first migration: a table of the same name, not committed yet, is in its way. */
  async function startAndHoldUp(): Promise<StartedPosthorn> {
    await inTheWay.query('BEGIN');
    await inTheWay.query('CREATE TABLE subscriptions ()');
    running = await startPosthorn('migrate', { DATABASE_URL: url }, /^/);
    await waitFor('the migration to wait for that table', async () => {
      const { rows } = await admin.query(
        `SELECT FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock' AND wait_event <> 'advisory'`,
        [name],
      );
      return rows.length === 1;
    });
    return running;
  }

  const tables = async (): Promise<string[]> =>
    (await inTheWay.query<{ name: string }>(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`)).rows
      .map((row) => row.name)
      .sort();

  test('refuses a database with tables of another program, names them, and changes nothing', async () => {
    await inTheWay.query('CREATE TABLE customers ()');
    const { exitCode, errors } = await runPosthorn(['migrate'], { DATABASE_URL: url });
    expect([exitCode, errors]).toEqual([
      1,
      'posthorn: This database has tables of another program, such as customers; use an empty database\n',
    ]);
    expect(await tables()).toEqual(['customers']);
  });

  describe('migrate, ended in the middle of a migration', () => {
    // Regression: it had no handler. A signal killed it and left a row that began and never ended, over which the next run stumbled.
    test.each([
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const)(
      'by %s rolls it back, says so with exit code %i, and the next run applies all',
      async (signal, code) => {
        const migrating = await startAndHoldUp();
        migrating.child.kill(signal);
        expect(await migrating.ended).toBe(code);
        // On a busy machine it has said by then what it waits for.
        expect(migrating.output()).toMatch(
          new RegExp(`^(Migration .+ waits for .+\n)?posthorn: stopped by ${signal}\n$`),
        );
        await inTheWay.query('ROLLBACK');
        expect(await tables()).toEqual(['_prisma_migrations']);
        expect((await inTheWay.query('SELECT FROM _prisma_migrations')).rowCount).toBe(0);
        const { exitCode, output } = await runPosthorn(['migrate'], { DATABASE_URL: url });
        expect([exitCode, output.trim().split('\n')]).toEqual([
          0,
          migrationNames().map((each) => `Applied migration ${each}`),
        ]);
      },
    );

    // Regression: a migration waited for a lock for as long as it took, and every publish waited behind it.
    test('that meets a lock gives up its place in the queue, says who is in its way, and goes on once it is free', async () => {
      const migrating = await startAndHoldUp();
      await waitFor('the migration to say what it waits for', () => migrating.output().includes('waits for'));
      expect(migrating.output()).toMatch(
        /^Migration 0100_baseline waits for the transaction of \d+ s in the session \d+ to end\n$/,
      );
      await inTheWay.query('ROLLBACK');
      expect(await migrating.ended).toBe(0);
      expect(migrating.output()).toContain(`Applied migration ${migrationNames().at(-1)}\n`);
    });

    test('by kill -9 leaves nothing half done, and the next run applies all', async () => {
      const migrating = await startAndHoldUp();
      migrating.child.kill('SIGKILL');
      await migrating.ended;
      await inTheWay.query('ROLLBACK');
      const { exitCode, errors } = await runPosthorn(['migrate'], { DATABASE_URL: url });
      expect([exitCode, errors]).toEqual([0, '']);
      const { rows } = await inTheWay.query(
        'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY started_at',
      );
      expect(rows.map((row) => row.migration_name)).toEqual(migrationNames());
    });

    test('that fails names itself and why, and keeps those before it', async () => {
      const planted = { name: '9999_planted', sql: 'CREATE TABLE subscriptions ()', checksum: '' };
      await expect(migrate(url, { migrations: [...readMigrations(), planted] })).rejects.toThrow(
        'Migration 9999_planted failed and was rolled back',
      );
      const { rows } = await inTheWay.query('SELECT migration_name FROM _prisma_migrations ORDER BY started_at');
      expect(rows.map((row) => row.migration_name)).toEqual(migrationNames());
    });

    test('that finds a view of the same name says so, and leaves the database as it was', async () => {
      await inTheWay.query('CREATE VIEW scheduled_messages AS SELECT 1');
      const { exitCode, errors } = await runPosthorn(['migrate'], { DATABASE_URL: url });
      expect([exitCode, errors]).toEqual([
        1,
        'posthorn: Migration 0100_baseline failed and was rolled back\n  because: relation "scheduled_messages" already exists\n',
      ]);
      expect(await tables()).toEqual(['_prisma_migrations']);
    });
  });
});

describe('large indexes', () => {
  /*
   * A migration behind those of this release, whose index on `deliveries` is made before it where the table is large. PostgreSQL's
   * estimate is set: an index over a million real rows would prove nothing more.
   */
  const INDEX = 'deliveries_planted';
  const MIGRATION = '9999_planted';
  const MIGRATIONS = [
    ...readMigrations(),
    {
      name: MIGRATION,
      sql: `CREATE INDEX IF NOT EXISTS ${INDEX} ON deliveries (environment_id, id) WHERE (response_latency_ms >= 500);`,
      checksum: '',
    },
  ];
  const migrate = (options: MigrateOptions = {}): Promise<string[]> =>
    migrateDatabase(database.url, { migrations: MIGRATIONS, ...options });
  const MADE_FIRST = `Migration ${MIGRATION} first creates ${INDEX} on deliveries without blocking it; this takes minutes on a large table`;

  let database: TestDatabase;
  let writer: pg.Client;

  beforeEach(async () => {
    database = await createTestDatabase();
    writer = new pg.Client({ connectionString: database.url });
    await writer.connect();
  });
  afterEach(async () => {
    await writer.end();
    await database.drop();
  });

  const setRows = (count: number): Promise<unknown> =>
    database.pool.query(`UPDATE pg_class SET reltuples = $1 WHERE oid = 'deliveries'::regclass`, [count]);

  async function indexNow(): Promise<{ oid: number; isValid: boolean; definition: string } | undefined> {
    const { rows } = await database.pool.query<{ oid: number; isValid: boolean; definition: string }>(
      `SELECT indexrelid AS oid, indisvalid AS "isValid", pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indexrelid = to_regclass($1)`,
      [INDEX],
    );
    return rows[0];
  }

  /** A write that has not been committed yet, such as that of a publish under way: no row is changed, and the table is locked as by one. */
  const beginWrite = async (): Promise<void> => {
    await writer.query('BEGIN');
    await writer.query('LOCK TABLE deliveries IN ROW EXCLUSIVE MODE');
  };

  /** Command of a session that makes an index. */
  const commandNow = async (): Promise<string | undefined> =>
    (
      await database.pool.query<{ command: string }>(
        'SELECT command FROM pg_stat_progress_create_index WHERE datname = current_database()',
      )
    ).rows[0]?.command;

  describe('migrate, where a table is large', () => {
    // Regression: the index was made in the migration's transaction, and each publish waited until it was there.
    test('makes its index first while others write, and the migration finds it', async () => {
      await setRows(100_000);
      await beginWrite();
      const lines: string[] = [];
      const migrating = migrate({ onProgress: (line) => lines.push(line) });
      await waitFor(
        'the index to be made concurrently',
        async () => (await commandNow()) === 'CREATE INDEX CONCURRENTLY',
      );
      // The index waits for the write that is open; another one begins and ends meanwhile, and waits for nothing.
      const other = new pg.Client({ connectionString: database.url, lock_timeout: 1_000 });
      await other.connect();
      await other.query('BEGIN');
      await other.query('LOCK TABLE deliveries IN ROW EXCLUSIVE MODE');
      await other.query('UPDATE deliveries SET attempts = attempts WHERE false');
      await other.query('COMMIT');
      await other.end();
      expect(await commandNow()).toBe('CREATE INDEX CONCURRENTLY');
      await writer.query('COMMIT');
      expect(await migrating).toEqual([MIGRATION]);
      expect(lines).toEqual([MADE_FIRST, `Applied migration ${MIGRATION}`]);
      expect(await indexNow()).toMatchObject({
        isValid: true,
        definition: expect.stringContaining('USING btree (environment_id, id) WHERE (response_latency_ms >= 500)'),
      });
    });

    test('makes an index anew that was broken off, and leaves one that an operator has made', async () => {
      const make = `CREATE INDEX ${INDEX} ON deliveries (environment_id, id) WHERE (response_latency_ms >= 500)`;
      await database.pool.query(make);
      await database.pool.query('UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass($1)', [INDEX]);
      // An index that is made counts the rows of its table anew.
      await setRows(100_000);
      const broken = await indexNow();
      expect(broken?.isValid).toBe(false);
      const lines: string[] = [];
      const onProgress = (line: string): void => void lines.push(line);
      expect(await migrate({ onProgress })).toEqual([MIGRATION]);
      const whole = await indexNow();
      expect(whole?.isValid).toBe(true);
      expect(whole?.oid).not.toBe(broken?.oid);

      await setRows(100_000);
      await database.pool.query('DELETE FROM _prisma_migrations WHERE migration_name = $1', [MIGRATION]);
      expect(await migrate({ onProgress })).toEqual([MIGRATION]);
      expect((await indexNow())?.oid).toBe(whole?.oid);
      expect(lines).toEqual([MADE_FIRST, `Applied migration ${MIGRATION}`, `Applied migration ${MIGRATION}`]);
    });

    // A session that waits for a lock in a statement has a snapshot, for which CONCURRENTLY waits: the two would wait for each other.
    test('goes on while other processes wait for their turn to migrate', async () => {
      await setRows(100_000);
      await beginWrite();
      const first = migrate();
      await waitFor(
        'the index to be made concurrently',
        async () => (await commandNow()) === 'CREATE INDEX CONCURRENTLY',
      );
      const others = [migrate(), migrate()];
      await waitFor('all of them to be there', async () => {
        const { rows } = await database.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%advisory_lock%'`,
        );
        return rows.length >= 2;
      });
      await writer.query('COMMIT');
      expect(await first).toEqual([MIGRATION]);
      expect(await Promise.all(others)).toEqual([[], []]);
    });

    test('which ends by a signal leaves the rest to the next run', async () => {
      await setRows(100_000);
      await beginWrite();
      const stop = new AbortController();
      const migrating = migrate({ signal: stop.signal });
      await waitFor(
        'the index to be made concurrently',
        async () => (await commandNow()) === 'CREATE INDEX CONCURRENTLY',
      );
      stop.abort(new Error('stopped'));
      await expect(migrating).rejects.toThrow('stopped');
      await writer.query('COMMIT');
      expect((await indexNow())?.isValid).not.toBe(true);
      expect(await migrate()).toEqual([MIGRATION]);
      expect((await indexNow())?.isValid).toBe(true);
    });
  });

  test('the index of a small table is made in its migration', async () => {
    await setRows(99_999);
    const lines: string[] = [];
    expect(await migrate({ onProgress: (line) => lines.push(line) })).toEqual([MIGRATION]);
    expect(lines).toEqual([`Applied migration ${MIGRATION}`]);
    expect((await indexNow())?.isValid).toBe(true);
  });
});
