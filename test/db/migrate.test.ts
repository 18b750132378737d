import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { migrationNames, readMigrations } from '../../src/db/migrations/migrations.ts';
import { runPosthorn, startPosthorn, type StartedPosthorn } from '../support/service/command-line.ts';
import { TEST_DATABASE_PREFIX } from '../support/service/database-names.ts';
import { currentRun } from '../support/service/run.ts';
import { waitFor } from '../support/check/wait-for.ts';

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

describe('migrate, ended in the middle of a migration', () => {
  // Old: it had no handler. A signal killed it and left a row that began and never ended, over which the next run stumbled.
  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('by %s rolls it back, says so with exit code %i, and the next run applies all', async (signal, code) => {
    const migrating = await startAndHoldUp();
    migrating.child.kill(signal);
    expect(await migrating.ended).toBe(code);
    // On a busy machine it has said by then what it waits for.
    expect(migrating.output()).toMatch(new RegExp(`^(Migration .+ waits for .+\n)?posthorn: stopped by ${signal}\n$`));
    await inTheWay.query('ROLLBACK');
    expect(await tables()).toEqual(['_prisma_migrations']);
    expect((await inTheWay.query('SELECT FROM _prisma_migrations')).rowCount).toBe(0);
    const { exitCode, output } = await runPosthorn(['migrate'], { DATABASE_URL: url });
    expect([exitCode, output.trim().split('\n')]).toEqual([
      0,
      migrationNames().map((each) => `Applied migration ${each}`),
    ]);
  });

  // Old: a migration waited for a lock for as long as it took, and every publish waited behind it.
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

  test('that finds a table of the same name says so, and leaves the database as it was', async () => {
    await inTheWay.query('CREATE TABLE scheduled_messages ()');
    const { exitCode, errors } = await runPosthorn(['migrate'], { DATABASE_URL: url });
    expect([exitCode, errors]).toEqual([
      1,
      'posthorn: Migration 0100_baseline failed and was rolled back\n  because: relation "scheduled_messages" already exists\n',
    ]);
    expect(await tables()).toEqual(['_prisma_migrations', 'scheduled_messages']);
  });
});
