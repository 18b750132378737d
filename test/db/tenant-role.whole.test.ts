import { rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/platform/db/migrations/migrate.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { findRoleGap, type RoleGap, TENANT_ROLE } from '../../src/platform/db/tenant-role.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { makeDataFolder, type OwnPostgres, startOwnPostgres } from '../support/service/own-servers.ts';
import { endAllProcesses, prepareService, startApiProcess } from '../support/service/processes.ts';
import { PATIENT } from '../support/service/patience.ts';

const OWNER = 'plain_owner';
const dataFolder = makeDataFolder();
let server: OwnPostgres;
let admin: pg.Client;

// A server of its own: roles belong to all databases of one.
beforeAll(async () => {
  server = await startOwnPostgres(dataFolder);
  admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
});
afterAll(async () => {
  await endAllProcesses();
  await admin.end();
  await server.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});
afterEach(async () => {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT datname AS name FROM pg_database WHERE datname LIKE 'role\\_%'`,
  );
  for (const { name } of rows) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.query(`DROP ROLE IF EXISTS ${TENANT_ROLE}`);
  await admin.query(`DROP ROLE IF EXISTS ${OWNER}`);
});

/** A new database, of the server's superuser or of that owner. */
async function makeDatabase(owner?: { password: string }): Promise<string> {
  const name = `role_${randomBytes(4).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${name} ${owner === undefined ? '' : `OWNER ${OWNER}`}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  if (owner !== undefined) [url.username, url.password] = [OWNER, owner.password];
  return url.href;
}

async function gapOf(url: string): Promise<RoleGap> {
  const pool = createPool(url, { max: 1, ...PATIENT });
  try {
    return await findRoleGap(pool);
  } finally {
    await pool.end();
  }
}

test('two databases of one server that are migrated at the same time share the role, each with its own rights', async () => {
  const urls = [await makeDatabase(), await makeDatabase()];
  const lines: string[] = [];
  await Promise.all(urls.map((url) => migrate(url, { onProgress: (line) => void lines.push(line) })));
  expect(lines.filter((line) => !line.startsWith('Applied migration '))).toEqual([]);
  expect(await Promise.all(urls.map(gapOf))).toEqual([null, null]);
});

test('a database without its rights, with one too many, or with a role above them has no row-level security until migrate mends it', async () => {
  const url = await makeDatabase();
  await migrate(url, { hasTenantRole: false });
  expect(await gapOf(url)).toBe('role');
  await migrate(url);
  expect(await gapOf(url)).toBeNull();
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  try {
    for (const change of [
      `REVOKE SELECT ON channels FROM ${TENANT_ROLE}`,
      `GRANT DELETE ON audit_entries TO ${TENANT_ROLE}`,
      `GRANT SELECT ON sessions TO ${TENANT_ROLE}`,
      `GRANT SELECT ON users TO ${TENANT_ROLE}`,
      `REVOKE SELECT (email) ON users FROM ${TENANT_ROLE}`,
      'ALTER TABLE channels DISABLE ROW LEVEL SECURITY',
    ]) {
      await session.query(change);
      expect([change, await gapOf(url)]).toEqual([change, change.includes('DISABLE') ? 'policies' : 'rights']);
      await session.query('ALTER TABLE channels ENABLE ROW LEVEL SECURITY');
      await migrate(url);
      expect([change, await gapOf(url)]).toEqual([change, null]);
    }
    await session.query(`ALTER ROLE ${TENANT_ROLE} BYPASSRLS`);
    expect(await gapOf(url)).toBe('unsafe');
  } finally {
    await session.end();
  }
});

// Regression: a user of another database, who may take the role too, inherited its rights here and was bound by no policy.
test.each(['TRUE', 'FALSE'])(
  'a user of another database who may take the role sees nothing here (INHERIT %s)',
  async (inherit) => {
    const url = await makeDatabase();
    await migrate(url);
    const name = `posthorn_stranger_${inherit.toLowerCase()}`;
    const password = randomBytes(8).toString('hex');
    await admin.query(`DROP ROLE IF EXISTS ${name}`);
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
    await admin.query(`GRANT ${TENANT_ROLE} TO ${name} WITH INHERIT ${inherit}, SET TRUE`);
    const theirs = new URL(url);
    Object.assign(theirs, { username: name, password });
    const [own, stranger] = [url, theirs.href].map((connectionString) => new pg.Client({ connectionString }));
    try {
      await own?.connect();
      await stranger?.connect();
      const id = 'org_01jdk0000000000000000000ab';
      await own?.query(`INSERT INTO organisations (id, name, updated_at) VALUES ('${id}', 'x', now())`);
      const seen = async (session: pg.Client | undefined): Promise<unknown> =>
        session?.query(`SELECT FROM organisations WHERE id = '${id}'`).then(
          ({ rowCount }) => rowCount,
          (failure: { code: string }) => failure.code,
        );
      // Without the role it has no right at all, or inherits one that shows no rows.
      expect(await seen(stranger)).toBe(inherit === 'TRUE' ? 0 : '42501');
      for (const session of [own, stranger])
        await session?.query(`SET ROLE ${TENANT_ROLE}; SET posthorn.organisation = '${id}'`);
      expect([await seen(own), await seen(stranger)]).toEqual([1, 0]);
      const changed = `UPDATE organisations SET name = 'mine' WHERE id = '${id}'`;
      expect((await stranger?.query(changed))?.rowCount).toBe(0);
    } finally {
      await own?.end();
      await stranger?.end();
      await admin.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
    }
  },
);

test('a user who may not make roles migrates and gets the SQL; the service runs, says that it is off, and uses it once it is there', async () => {
  const password = randomBytes(8).toString('hex');
  await admin.query(`CREATE ROLE ${OWNER} LOGIN NOCREATEROLE PASSWORD '${password}'`);
  const url = await makeDatabase({ password });

  const first = await runPosthorn(['migrate'], { DATABASE_URL: url });
  const printed = first.output.split('\n').filter((line) => line.startsWith('  '));
  expect([first.exitCode, printed]).toEqual([
    0,
    [
      `  CREATE ROLE ${TENANT_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION;`,
      `  GRANT ${TENANT_ROLE} TO ${OWNER} WITH INHERIT FALSE, SET TRUE;`,
    ],
  ]);
  expect(first.output).toContain('Row-level security is off');

  const { key, settings } = await prepareService(url, '127.0.0.1:1');
  const api = await startApiProcess(settings);
  const ask = async (path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const answer = await fetch(`${api.url}${path}`, { ...init, headers });
    return { status: answer.status, body: await answer.json() };
  };
  expect((await ask('/v1/channels', { method: 'POST', body: JSON.stringify({ name: 'orders' }) })).status).toBe(201);
  expect((await ask('/readyz')).body).toMatchObject({
    status: 'ready',
    parts: { rowSecurity: 'down' },
    reasons: { rowSecurity: 'Row-level security is off: its role is missing' },
  });
  expect(api.output()).toContain(`row-level security is off: there is no role ${TENANT_ROLE}`);

  // An administrator runs it, and the owner of the tables migrates again.
  const [make = '', take = ''] = printed;
  await admin.query(make);
  await waitFor('/readyz to say that the role may not be taken', async () => {
    const { body } = await ask('/readyz');
    const { reasons } = body as { reasons: { rowSecurity: string } };
    return reasons.rowSecurity === 'Row-level security is off: the service may not switch to its role';
  });
  await admin.query(take);
  const second = await runPosthorn(['migrate'], { DATABASE_URL: url });
  expect([second.exitCode, second.output]).toEqual([0, 'The database is up to date\n']);
  expect(await gapOf(url)).toBeNull();
  await waitFor('/readyz to say that it is on', async () => {
    const { body } = await ask('/readyz');
    return (body as { parts: { rowSecurity: string } }).parts.rowSecurity === 'up';
  });
  const restarted = await startApiProcess(settings);
  expect(restarted.output()).not.toContain('row-level security is off');
  const answer = await fetch(`${restarted.url}/v1/channels`, { headers: { Authorization: `Bearer ${key}` } });
  expect(((await answer.json()) as { data: { name: string }[] }).data.map(({ name }) => name)).toContain('orders');
});
