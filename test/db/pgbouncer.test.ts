import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../../src/db/client.ts';
import { createTenants, type Tenants } from '../../src/db/tenants.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { PATIENT } from '../support/service/patience.ts';
import { describeWithPgBouncer, startPgBouncer, type TestPgBouncer } from '../support/service/pgbouncer.ts';
import { endAllProcesses, prepareService, startApiProcess } from '../support/service/processes.ts';
import { currentRun } from '../support/service/run.ts';

const TIMES = 40;

describeWithPgBouncer('behind PgBouncer in its mode transaction', () => {
  let database: TestDatabase;
  let pooler: TestPgBouncer;
  let db: Database;
  let tenants: Tenants;
  beforeAll(async () => {
    database = await createTestDatabase();
    const { rows } = await database.pool.query<{ set: string }>(
      `SELECT format('ALTER DATABASE %I SET TimeZone TO %L', current_database(), 'Asia/Tokyo') AS set`,
    );
    await database.pool.query(rows[0]?.set ?? '');
    // Fewer sessions than connections: each transaction may be on another one than the transaction before.
    pooler = await startPgBouncer(database.url, 2);
    db = createDatabase(pooler.url, { isPooled: true, max: 6, ...PATIENT });
    tenants = createTenants({ db, pool: database.pool });
  });
  afterAll(async () => {
    await endAllProcesses();
    await db.$disconnect();
    await pooler.stop();
    await database.drop();
  });

  test('every transaction is in UTC, whatever the database’s own time zone is', async () => {
    const zones = await Promise.all(
      Array.from({ length: TIMES }, () => db.$queryRawUnsafe<{ TimeZone: string }[]>('SHOW TimeZone')),
    );
    expect(new Set(zones.map(([zone]) => zone?.TimeZone))).toEqual(new Set(['UTC']));
  });

  test('statements of several tenants at once are each their own tenant’s, and leave nothing behind', async () => {
    const seen = await Promise.all(
      Array.from({ length: TIMES }, async (_, number) => {
        const tenant = { organisationId: `org_${number % 3}`, environmentId: `env_${number % 3}` };
        const ask = `SELECT current_user::text AS role, current_setting('posthorn.organisation', true) AS organisation`;
        const [one] = await tenants.read(tenant, (reader) => reader.$queryRawUnsafe<Record<string, string>[]>(ask));
        const [inside] = await tenants.within(tenant, (transaction) =>
          transaction.$queryRawUnsafe<Record<string, string>[]>(ask),
        );
        return [one, inside].map(
          (row) => row?.['role'] === 'posthorn_tenant' && row['organisation'] === tenant.organisationId,
        );
      }),
    );
    expect(seen.flat().filter((isOwn) => !isOwn)).toEqual([]);
    const [after] = await db.$queryRawUnsafe<{ role: string; organisation: string | null }[]>(
      `SELECT current_user::text AS role, current_setting('posthorn.organisation', true) AS organisation`,
    );
    expect(after?.role).not.toBe('posthorn_tenant');
    expect(after?.organisation ?? '').toBe('');
  });

  test('the API works on both addresses, and neither may be the target of a webhook', async () => {
    const { key, settings } = await prepareService(database.url, currentRun().temporalAddress);
    const both = { ...settings, DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url };
    const api = await startApiProcess({ ...both, LISTEN_HOST: '127.0.0.1' });
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(api.url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const channel = await call('POST', '/v1/channels', { name: 'Orders' });
    expect(channel.status).toBe(201);
    const path = `/v1/channels/${String(channel.body['id'])}`;
    const answers = await Promise.all(Array.from({ length: TIMES }, () => call('GET', path)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await call('POST', `${path}/messages`, { eventType: 'order.paid', payload: {} })).status).toBe(202);
    for (const { port } of [new URL(pooler.url), new URL(database.url)]) {
      const webhookUrl = `http://127.0.0.1:${port}/`;
      const refused = await call('POST', '/v1/subscriptions', { channelId: channel.body['id'], webhookUrl });
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        400,
        expect.stringContaining('an address of this service or of what it runs on'),
      ]);
    }
  });

  test('a role that has the address of PgBouncer alone ends with one sentence that names the other setting', async () => {
    const { exitCode, errors } = await runPosthorn(['migrate'], { DATABASE_URL: pooler.url });
    const [sentence] = errors.split('\n');
    expect([exitCode, sentence]).toEqual([
      1,
      `posthorn: DATABASE_URL: ${new URL(pooler.url).host} is PgBouncer; set DIRECT_DATABASE_URL to PostgreSQL itself as well`,
    ]);
  });
});
