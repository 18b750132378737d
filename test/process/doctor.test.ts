import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { findFreePort } from '../../local/ports.ts';
import { readConfig } from '../../src/config.ts';
import { proveKeys } from '../../src/credentials/encryption-keys.ts';
import { createPool } from '../../src/db/connections/pool.ts';
import { TENANT_ROLE } from '../../src/db/row-security/tenant-role.ts';
import {
  checkAutovacuum,
  checkBacklog,
  checkClock,
  checkConnections,
  checkDatabase,
  checkEncryptionKeys,
  checkMigrations,
  checkRowSecurity,
  checkWorkers,
} from '../../src/process/doctor/database.ts';
import { checkSettings } from '../../src/process/doctor/examine.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { currentRun } from '../support/service/run.ts';

let posthorn: TestPosthorn;
let pool: Pool;
let closedPort: number;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  ({ pool } = posthorn.database);
  closedPort = await findFreePort();
});
afterAll(() => posthorn.stop());

const configWith = (variables: Record<string, string> = {}) =>
  readConfig({ DATABASE_URL: posthorn.database.url, PROCESSES: '1', ...variables });
const fault = (says: string | RegExp) => ({ verdict: 'fail', says: expect.stringMatching(says) });
const warning = (says: string | RegExp) => ({ verdict: 'warn', says: expect.stringMatching(says) });
const inOrder = { verdict: 'ok' };

/** Runs work on a pool of its own, whose sessions begin with these settings of the server. */
async function withPool<T>(
  work: (own: Pool) => Promise<T>,
  { url = posthorn.database.url, options = '' } = {},
): Promise<T> {
  const address = new URL(url);
  if (options !== '') address.searchParams.set('options', options);
  const own = createPool(address.href, { max: 1, connectWithinMs: 30_000 });
  try {
    return await work(own);
  } finally {
    await own.end();
  }
}

/** Lets sessions see another PostgreSQL than there is: a schema in front of its own has these answers. */
async function pretending<T>(sql: string, work: (own: Pool) => Promise<T>): Promise<T> {
  await pool.query(`CREATE SCHEMA pretended; ${sql}`);
  try {
    return await withPool(work, { options: '-c search_path=pretended,pg_catalog,public' });
  } finally {
    await pool.query('DROP SCHEMA pretended CASCADE');
  }
}
const pretendedSetting = (name: string, value: string): string =>
  `CREATE FUNCTION pretended.current_setting(wanted text) RETURNS text LANGUAGE sql AS
     $$ SELECT CASE wanted WHEN '${name}' THEN '${value}' ELSE pg_catalog.current_setting(wanted) END $$`;

describe('the settings', () => {
  test('are in order', () => {
    expect(checkSettings({ PORT: '3000' })).toMatchObject({ finding: inOrder, config: { port: 3000 } });
  });

  test.each<[string, Record<string, string>, ReturnType<typeof fault>]>([
    ['a value that cannot be used', { PORT: 'many' }, fault(/^PORT must be a whole number/)],
    ['a misspelt name', { LOG_LEVLE: 'info' }, fault(/did you mean LOG_LEVEL/)],
    [
      'a file of a secret that cannot be read',
      { DATABASE_URL_FILE: '/nowhere/url' },
      fault(/^DATABASE_URL_FILE names/),
    ],
    [
      'a name that this release does not have',
      { POSTHORN_COLOUR_OF_PAGES: 'red' },
      warning(/POSTHORN_COLOUR_OF_PAGES/),
    ],
  ])('%s is named', (_, environment, finding) => {
    expect(checkSettings(environment).finding).toMatchObject(finding);
  });
});

describe('the database', () => {
  test('is in order', async () => {
    const examined = { pool, config: configWith() };
    expect(await checkDatabase(examined)).toMatchObject({ ...inOrder, says: expect.stringMatching(/^PostgreSQL \d+/) });
    expect(await checkMigrations(examined)).toMatchObject(inOrder);
    expect(await checkRowSecurity(examined)).toMatchObject(inOrder);
    expect(await checkConnections(examined)).toMatchObject(inOrder);
    expect(await checkAutovacuum(examined)).toMatchObject(inOrder);
    expect(await checkClock(pool)).toMatchObject(inOrder);
    expect(await checkBacklog(examined)).toMatchObject(inOrder);
  });

  test('that is not there, that takes no writes or that is too old is named with the remedy', async () => {
    const url = `postgresql://posthorn@127.0.0.1:${closedPort}/posthorn`;
    const away = await withPool((own) => checkDatabase({ pool: own, config: configWith({ DATABASE_URL: url }) }), {
      url,
    });
    expect(away).toMatchObject(fault(/^DATABASE_URL: 127\.0\.0\.1:\d+ is not there: nothing listens/));
    const readOnly = (own: Pool) => checkDatabase({ pool: own, config: configWith() });
    expect(await withPool(readOnly, { options: '-c default_transaction_read_only=on' })).toMatchObject(
      fault(/takes no writes/),
    );
    expect(await pretending(pretendedSetting('server_version', '12.22'), readOnly)).toMatchObject(
      fault(/^PostgreSQL 12\.22 is too old/),
    );
  });

  test('without a migration of this release says to migrate', async () => {
    const { rows } = await pool.query<{ migration_name: string }>(
      'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations) RETURNING *',
    );
    try {
      expect(await checkMigrations({ pool, config: configWith() })).toMatchObject(
        fault(`the database lacks migration ${rows[0]?.migration_name} of this release; run \`posthorn migrate\``),
      );
    } finally {
      await pool.query(
        `INSERT INTO _prisma_migrations SELECT * FROM jsonb_populate_record(NULL::_prisma_migrations, $1)`,
        [JSON.stringify(rows[0])],
      );
    }
  });

  test('whose row-level security is off works, and is warned about', async () => {
    const others = await pool.query<{ sql: string }>(
      `SELECT format('GRANT %s ON %I TO ${TENANT_ROLE}', privilege_type, table_name) AS sql
       FROM information_schema.role_table_grants WHERE grantee = '${TENANT_ROLE}' AND table_schema = 'public'`,
    );
    await pool.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${TENANT_ROLE}`);
    try {
      expect(await checkRowSecurity({ pool, config: configWith() })).toMatchObject(
        warning(/^row-level security is off/),
      );
    } finally {
      for (const { sql } of others.rows) await pool.query(sql);
    }
  });

  test('with too few connections for the processes says how many there must be', async () => {
    const { rows } = await pool.query<{ most: number }>(`SELECT current_setting('max_connections')::int AS most`);
    const most = rows[0]?.most ?? 0;
    const withProcesses = (count: number) =>
      checkConnections({ pool, config: configWith({ PROCESSES: String(count) }) });
    // Twelve for each of many processes.
    expect(await withProcesses(Math.ceil(most / 12) + 1)).toMatchObject(
      fault(/raise max_connections, or set PROCESSES/),
    );
    expect(await withProcesses(Math.ceil(most / 24) + 1)).toMatchObject(
      warning(/raise max_connections to \d+ or more/),
    );
  });

  test('without autovacuum, for a table or for all, or behind with it, is at fault', async () => {
    await pool.query('ALTER TABLE messages SET (autovacuum_enabled = false)');
    expect(await checkAutovacuum({ pool })).toMatchObject(fault(/off for messages; run ALTER TABLE messages RESET/));
    await pool.query('ALTER TABLE messages RESET (autovacuum_enabled)');
    expect(
      await pretending(pretendedSetting('autovacuum', 'off'), (own) => checkAutovacuum({ pool: own })),
    ).toMatchObject(fault(/^autovacuum is off: tables grow/));
    const dead = `CREATE VIEW pretended.pg_stat_user_tables AS
      SELECT 'public'::name AS schemaname, 'deliveries'::name AS relname, 200000 AS n_dead_tup, 300000 AS n_live_tup`;
    expect(await pretending(dead, (own) => checkAutovacuum({ pool: own }))).toMatchObject(
      warning(/^autovacuum is behind in deliveries/),
    );
  });

  test('with another time is at fault when it is a minute off', async () => {
    const off = (ms: number) => checkClock(pool, () => new Date(Date.now() + ms));
    expect(await off(-30_000)).toMatchObject(warning(/are \d\d s apart; run a time service/));
    expect(await off(120_000)).toMatchObject(fault(/are 2 min.* apart.+refused$/));
  });

  test('with keys that are missing, or other ones of the same name, is at fault', async () => {
    const { id: channelId } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
    const keys = posthorn.deps.config.encryptionKeys;
    await proveKeys(pool, keys);
    expect(await checkEncryptionKeys(pool, keys)).toMatchObject(inOrder);
    expect(await checkEncryptionKeys(pool, [])).toMatchObject(fault(/^ENCRYPTION_KEYS is not set/));
    const other = { kid: 'other', key: randomBytes(32) };
    expect(await checkEncryptionKeys(pool, [other])).toMatchObject(fault(/^the key test has sealed rows/));
    expect(await checkEncryptionKeys(pool, [{ ...other, kid: 'test' }])).toMatchObject(
      fault(/^the key test has other bytes/),
    );
    // Nothing was written: a look at a deployment must not prove a key to it.
    expect((await pool.query('SELECT id FROM encryption_keys')).rows).toEqual([{ id: 'test' }]);
  });

  test('without a living worker is at fault', async () => {
    expect(await checkWorkers({ pool })).toMatchObject(fault(/^no worker runs/));
    await pool.query(
      `INSERT INTO incarnations (id, expires_at, host, pid) VALUES ('inc_1', now() + interval '1 hour', 'box', 7), ('inc_2', now(), 'box', 8)`,
    );
    expect(await checkWorkers({ pool })).toMatchObject({
      ...inOrder,
      says: 'one worker process is alive: box (pid 7)',
    });
  });

  test('with a delivery that has waited for long is at fault, unless something holds it', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
    await publish(posthorn, channelId);
    const wait = (minutes: number) =>
      pool.query('UPDATE deliveries SET due_at = now() - make_interval(mins => $1) WHERE subscription_id = $2', [
        minutes,
        id,
      ]);
    await wait(2);
    expect(await checkBacklog({ pool })).toMatchObject(warning(/has been due for 2 min/));
    await wait(20);
    expect(await checkBacklog({ pool })).toMatchObject(fault(/has been due for 20 min/));
    await pool.query('UPDATE subscriptions SET circuit_opened_at = now() WHERE id = $1', [id]);
    expect(await checkBacklog({ pool })).toMatchObject(inOrder);
  });
});

test('the command prints a line for each thing, and ends with 1 when one is at fault', async () => {
  const variables = {
    DATABASE_URL: posthorn.database.url,
    TEMPORAL_ADDRESS: `127.0.0.1:${closedPort}`,
    ENCRYPTION_KEYS: `test:${posthorn.deps.config.encryptionKeys[0]?.key.toString('base64')}`,
    PORT: '0',
  };
  const { exitCode, output } = await runPosthorn(['doctor', '--json'], variables);
  expect(exitCode).toBe(1);
  const findings = JSON.parse(output) as { check: string; verdict: string; says: string }[];
  expect(findings.find(({ check }) => check === 'encryptionKeys')).toMatchObject(inOrder);
  expect(findings.find(({ check }) => check === 'temporal')).toMatchObject(fault(/nothing listens at/));
  expect(output).not.toContain(variables.ENCRYPTION_KEYS.slice(5));
}, 300_000);

// Old: the native library was loaded while the database was asked, so that a busy machine was told that the database does not answer.
test('a machine that loads libraries slowly is not told that its database is away', async () => {
  const dlopenSlowly = `
    const { dlopen } = process;
    process.dlopen = (...given) => {
      if (given[1].includes('temporal')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 7_000);
      return dlopen.apply(process, given);
    };
    process.stderr.write('slow libraries\\n');`;
  const { output, errors } = await runPosthorn(['doctor'], {
    DATABASE_URL: posthorn.database.url,
    TEMPORAL_ADDRESS: currentRun().temporalAddress,
    PORT: '0',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(dlopenSlowly)}`,
  });
  expect(errors).toContain('slow libraries');
  expect(output).toMatch(/^ok +database /m);
  expect(output).toMatch(/^ok +temporal /m);
}, 300_000);

test('the command without a deployment says what to set', async () => {
  const { exitCode, output } = await runPosthorn(['doctor'], { DATA_FOLDER: '/nowhere/data' });
  expect(exitCode).toBe(1);
  expect(output).toMatch(/^fail {2}database +DATABASE_URL is not set, and no `posthorn start` runs on/m);
  expect(output).toMatch(/\n\d+ faults?, \d+ warnings?, \d+ in order\n$/);
}, 300_000);
