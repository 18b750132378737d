import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { createDatabase, type Database } from '../../src/platform/db/client.ts';
import { createTenants, type Tenants } from '../../src/platform/db/tenants.ts';
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
      `posthorn: DATABASE_URL: ${new URL(pooler.url).host} is PgBouncer; also set DIRECT_DATABASE_URL to PostgreSQL itself`,
    ]);
  });

  // Regression: the role began, lost its planner settings and its time zone, and failed at the first prepared statement of another session.
  test('a role whose pooler drops session settings in silence ends with the same advice', async () => {
    const silent = await startPgBouncer(database.url, 2, ['ignore_startup_parameters = options']);
    const settings = {
      DATABASE_URL: silent.url,
      TEMPORAL_ADDRESS: currentRun().temporalAddress,
      ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
      PORT: '0',
    };
    const advice = `DATABASE_URL: ${new URL(silent.url).host} drops session settings, as PgBouncer does with ignore_startup_parameters; also set DIRECT_DATABASE_URL to PostgreSQL itself`;
    try {
      for (const command of ['migrate', 'api', 'worker']) {
        const { exitCode, output, errors } = await runPosthorn([command], settings);
        expect([command, exitCode]).toEqual([command, 1]);
        expect(`${output}${errors}`).toContain(advice);
      }
      const { output } = await runPosthorn(['doctor', '--json'], settings);
      expect(JSON.parse(output)).toContainEqual({ check: 'database', verdict: 'fail', says: advice });
    } finally {
      await silent.stop();
    }
  }, 300_000);

  // Regression: only PostgreSQL itself was looked at, and its faults were told of DATABASE_URL.
  test('the doctor looks at both addresses, and names the setting of the one at fault', async () => {
    const nobody = `postgresql://posthorn@127.0.0.1:${await findFreePort()}/posthorn`;
    const look = async (variables: Record<string, string>): Promise<Record<string, string>> => {
      const { output } = await runPosthorn(['doctor', '--json'], { PORT: '0', ...variables });
      const findings = JSON.parse(output) as { check: string; verdict: string; says: string }[];
      // The finding of a check at fault comes first, and behind it what could not be looked at therefore.
      return Object.fromEntries(
        findings.toReversed().map(({ check, verdict, says }) => [check, `${verdict}: ${says}`]),
      );
    };
    expect(await look({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url })).toMatchObject({
      database: expect.stringMatching(/^ok: PostgreSQL/),
      pooler: `ok: DATABASE_URL: ${new URL(pooler.url).host} leads to the same database as DIRECT_DATABASE_URL`,
    });
    expect(await look({ DATABASE_URL: nobody, DIRECT_DATABASE_URL: database.url })).toMatchObject({
      database: expect.stringMatching(/^ok: PostgreSQL/),
      pooler: expect.stringMatching(/^fail: DATABASE_URL: 127\.0\.0\.1:\d+ is not running: nothing listens there/),
    });
    expect(await look({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: nobody })).toMatchObject({
      database: expect.stringMatching(
        /^fail: DIRECT_DATABASE_URL: 127\.0\.0\.1:\d+ is not running: nothing listens there/,
      ),
    });
    const other = await createTestDatabase();
    try {
      expect(await look({ DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: other.url })).toMatchObject({
        pooler: `fail: DATABASE_URL and DIRECT_DATABASE_URL lead to different databases; correct one of them`,
      });
    } finally {
      await other.drop();
    }
  }, 300_000);
});
