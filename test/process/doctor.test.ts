import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { findFreePort } from '../../local/ports.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { proveKeys } from '../../src/platform/credentials/encryption-keys.ts';
import { createPool } from '../../src/platform/db/connection.ts';
import { TENANT_ROLE } from '../../src/platform/db/tenant-role.ts';
import { startMetricsServer } from '../../src/platform/observe/metrics-server.ts';
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
import {
  checkCollector,
  checkDashboardUrl,
  checkMail,
  checkSingleSignOn,
} from '../../src/process/doctor/neighbours.ts';
import {
  checkDisk,
  checkMetricsPort,
  checkOpenFiles,
  checkPort,
  checkProxyHops,
  checkPublicBaseUrl,
  checkRedis,
} from '../../src/process/doctor/surroundings.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { describeWithRedis, startRedis } from '../support/service/redis.ts';
import { currentRun } from '../support/service/run.ts';
import { startForgingProvider } from '../support/world/forging-provider.ts';
import { type MailServer, startMailServer } from '../support/world/mail-server.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('doctor', () => {
  let pool: Pool;
  let closedPort: number;
  beforeAll(async () => {
    ({ pool } = posthorn.database);
    closedPort = await findFreePort();
  });

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
      ['a misspelt name', { LOG_LEVLE: 'info' }, fault(/Did you mean LOG_LEVEL/)],
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
      expect(await checkDatabase(examined)).toMatchObject({
        ...inOrder,
        says: expect.stringMatching(/^PostgreSQL \d+/),
      });
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
      expect(away).toMatchObject(fault(/^DATABASE_URL: 127\.0\.0\.1:\d+ is not running: nothing listens there/));
      const readOnly = (own: Pool) => checkDatabase({ pool: own, config: configWith() });
      expect(await withPool(readOnly, { options: '-c default_transaction_read_only=on' })).toMatchObject(
        fault(/is read-only/),
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
        fault(/raise max_connections, or lower PROCESSES/),
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
      ).toMatchObject(fault(/^autovacuum is off, so tables grow/));
      const dead = `CREATE VIEW pretended.pg_stat_user_tables AS
      SELECT 'public'::name AS schemaname, 'deliveries'::name AS relname, 200000 AS n_dead_tup, 300000 AS n_live_tup`;
      expect(await pretending(dead, (own) => checkAutovacuum({ pool: own }))).toMatchObject(
        warning(/^autovacuum is behind in deliveries/),
      );
    });

    test('with another time is at fault when it is a minute off', async () => {
      const off = (ms: number) => checkClock(pool, () => new Date(Date.now() + ms));
      expect(await off(-30_000)).toMatchObject(warning(/are \d\d s apart; run a time service/));
      expect(await off(120_000)).toMatchObject(fault(/are 2 min.* apart.+rejected$/));
    });

    test('with keys that are missing, or other ones of the same name, is at fault', async () => {
      const { id: channelId } = await createChannel(posthorn);
      await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
      const keys = posthorn.deps.config.encryptionKeys;
      await proveKeys(pool, keys);
      expect(await checkEncryptionKeys(pool, keys)).toMatchObject(inOrder);
      expect(await checkEncryptionKeys(pool, [])).toMatchObject(fault(/^ENCRYPTION_KEYS is not set/));
      const other = { kid: 'other', key: randomBytes(32) };
      expect(await checkEncryptionKeys(pool, [other])).toMatchObject(fault(/^the key test has encrypted rows/));
      expect(await checkEncryptionKeys(pool, [{ ...other, kid: 'test' }])).toMatchObject(
        fault(/^the key test differs from/),
      );
      // Nothing was written: a look at a deployment must not prove a key to it.
      expect((await pool.query('SELECT id FROM encryption_keys')).rows).toEqual([{ id: 'test' }]);
    });

    test('without a living worker is at fault', async () => {
      expect(await checkWorkers({ pool })).toMatchObject(fault(/^no worker is running/));
      await pool.query(
        `INSERT INTO incarnations (id, expires_at, host, pid) VALUES ('inc_1', now() + interval '1 hour', 'box', 7), ('inc_2', now(), 'box', 8)`,
      );
      expect(await checkWorkers({ pool })).toMatchObject({
        ...inOrder,
        says: 'one worker process is running: box (pid 7)',
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

  // Regression: the native library was loaded while the database was asked, so that a busy machine was told that the database does not
  // answer.
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
    expect(output).toMatch(/^fail {2}database +DATABASE_URL is not set, and no `posthorn start` is running on/m);
    expect(output).toMatch(/\n\d+ faults?, \d+ warnings?, \d+ in order\n$/);
  }, 300_000);
});

describe('doctor surroundings', () => {
  let closedPort: number;
  beforeAll(async () => {
    closedPort = await findFreePort();
  });

  const fault = (says: string | RegExp) => ({ verdict: 'fail', says: expect.stringMatching(says) });
  const warning = (says: string | RegExp) => ({ verdict: 'warn', says: expect.stringMatching(says) });
  const inOrder = { verdict: 'ok' };

  describe('the surroundings', () => {
    test('a public address is warned about where it is in the clear or nobody answers', async () => {
      const at = (publicBaseUrl: string) => checkPublicBaseUrl({ publicBaseUrl });
      expect(await at(posthorn.url)).toMatchObject(inOrder);
      expect(await at('http://posthorn.example.com')).toMatchObject(
        warning(/sent unencrypted; put a proxy with TLS in front$/),
      );
      expect(await at(`http://127.0.0.1:${closedPort}`)).toMatchObject(
        warning(/^PUBLIC_BASE_URL: Posthorn does not respond/),
      );
    });

    test('a port that another program has is at fault, and one that is free or Posthorn has is in order', async () => {
      const other = createTcpServer((socket) => socket.end());
      other.listen(0);
      await once(other, 'listening');
      // `as`: a TCP server's address is an object.
      const { port } = other.address() as { port: number };
      try {
        expect(await checkPort({ port })).toMatchObject(fault(/^PORT: another program listens on \d+/));
        expect(await checkPort({ port: 0 })).toMatchObject(inOrder);
        expect(await checkPort({ port: Number(new URL(posthorn.url).port) })).toMatchObject(inOrder);
      } finally {
        other.close();
      }
    });

    test('proxies that do not fit the public address are warned about', () => {
      const at = (publicBaseUrl: string, trustedProxyHops: number) =>
        checkProxyHops({ publicBaseUrl, trustedProxyHops });
      expect(at('https://posthorn.example.com', 1)).toMatchObject(inOrder);
      expect(at('https://posthorn.example.com', 0)).toMatchObject(warning(/all callers count as one address/));
      expect(at('http://localhost:3000', 0)).toMatchObject(inOrder);
      expect(at('http://localhost:3000', 2)).toMatchObject(warning(/callers can choose the address/));
    });

    test('a disk that is almost full, and few open files, are named', async () => {
      const withRoom = (gib: number) => checkDisk('.data', async () => gib * 1024 ** 3);
      expect([await withRoom(20), await withRoom(3), await withRoom(0.5)]).toMatchObject([
        inOrder,
        warning(/^3\.0 GiB are free/),
        fault(/stops when the disk is full$/),
      ]);
      expect((await checkDisk('/nowhere')).says).toMatch(/GiB are free/);
      expect([checkOpenFiles(10_000), checkOpenFiles(1_024)]).toMatchObject([
        inOrder,
        warning(/set ulimit -n to 4096/),
      ]);
    });

    test('a Redis that is not there is at fault', async () => {
      expect(await checkRedis(`redis://:secret@127.0.0.1:${closedPort}`)).toMatchObject(
        fault(/^REDIS_URL: Redis at 127\.0\.0\.1:\d+ cannot be used: nothing listens/),
      );
    });
  });

  describeWithRedis('a Redis', () => {
    test('that takes counts is in order', async () => {
      const redis = await startRedis();
      try {
        expect(await checkRedis(redis.url)).toMatchObject(inOrder);
      } finally {
        await redis.kill();
      }
    });
  });
});

describe('doctor neighbours', () => {
  // Regression: the doctor looked at none of these. A mail server that was away showed only when an invitation did not arrive, and a
  // provider only when somebody could not sign in.

  /** A site that answers every path with that status. */
  let site: { url: string; port: number; close(): void };
  let mail: MailServer;
  let nobody: string;
  let nobodyPort: number;
  beforeAll(async () => {
    const server = createServer((request, response) => {
      request.resume();
      response.statusCode = request.url === '/missing' ? 404 : 200;
      response.end('{}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // `as`: a server on a port has such an address.
    const { port } = server.address() as AddressInfo;
    site = { url: `http://127.0.0.1:${port}`, port, close: () => server.close() };
    mail = await startMailServer();
    nobodyPort = await findFreePort();
    nobody = `127.0.0.1:${nobodyPort}`;
  });
  afterAll(async () => {
    site.close();
    await mail.close();
  });

  const fault = (says: RegExp) => ({ verdict: 'fail', says: expect.stringMatching(says) });
  const warning = (says: RegExp) => ({ verdict: 'warn', says: expect.stringMatching(says) });
  const inOrder = { verdict: 'ok' };

  test('a mail server that lets the service in is in order, and each other one says what to correct', async () => {
    const ours = `${mail.url}?requireTLS=false`;
    const at = (url: string) => checkMail({ url });
    expect(await at(ours)).toMatchObject(inOrder);
    expect(await at(ours.replace('secret', 'other'))).toMatchObject(fault(/rejects the user name or the password/));
    expect(await at(mail.url)).toMatchObject(fault(/does not offer TLS; enable STARTTLS there/));
    expect(await at(ours.replace('smtp:', 'smtps:'))).toMatchObject(fault(/does not use implicit TLS/));
    expect(await at(`smtp://posthorn:secret@${nobody}`)).toMatchObject(
      fault(/^SMTP_URL: cannot send mail through 127\.0\.0\.1:\d+: nothing listens there/),
    );
    expect(mail.mails).toEqual([]);
  });

  test('an identity provider is in order once it answers as its own issuer', async () => {
    const provider = await startForgingProvider();
    const look = (variables: Record<string, string>) => {
      const { singleSignOn } = readConfig({ ...provider.variables, ...variables });
      if (singleSignOn === undefined) throw new Error('no provider in the settings');
      return checkSingleSignOn(singleSignOn);
    };
    try {
      expect(await look({})).toMatchObject(inOrder);
      expect(await look({ OIDC_ISSUER: site.url })).toMatchObject(fault(/has no OpenID configuration for that issuer/));
      expect(await look({ OIDC_ISSUER: `http://${nobody}` })).toMatchObject(
        fault(/does not respond, so nobody can sign in/),
      );
    } finally {
      await provider.close();
    }
  });

  test('a collector and a dashboard elsewhere that do not answer are warned about', async () => {
    expect(await checkCollector({ endpoint: site.url })).toMatchObject(inOrder);
    expect(await checkCollector({ endpoint: `http://${nobody}` })).toMatchObject(warning(/so traces are lost/));
    expect(await checkDashboardUrl(site.url)).toMatchObject(inOrder);
    expect(await checkDashboardUrl(`${site.url}/missing`)).toMatchObject(
      warning(/^DASHBOARD_URL: status 404 is returned/),
    );
    expect(await checkDashboardUrl(`http://${nobody}`)).toMatchObject(warning(/^DASHBOARD_URL: nothing responds at/));
  });

  test('the port of the metrics is free or ours, and is not that of the API', async () => {
    const at = (metricsPort: number) => checkMetricsPort({ port: 3000, metricsPort, listenHost: '127.0.0.1' });
    expect(await at(site.port)).toMatchObject(fault(/^METRICS_PORT: another program listens on \d+/));
    expect(await at(3000)).toMatchObject(fault(/^METRICS_PORT is 3000, and so is PORT/));
    expect(await at(nobodyPort)).toMatchObject(inOrder);
    const port = await findFreePort();
    const metrics = await startMetricsServer({
      port,
      host: '127.0.0.1',
      page: async () => 'posthorn_due_deliveries 0\n',
      ready: async () => ({ isReady: true, reasons: {} }),
      onFailure: () => undefined,
    });
    try {
      expect(await at(port)).toMatchObject({ ...inOrder, says: `METRICS_PORT: Posthorn listens on ${port}` });
    } finally {
      await metrics.stop();
    }
  });

  test('the command looks at all of them that the settings name', async () => {
    const { output } = await runPosthorn(['doctor', '--json'], {
      PORT: '0',
      METRICS_PORT: String(nobodyPort),
      SMTP_URL: `smtp://posthorn:secret@${nobody}`,
      MAIL_FROM: 'posthorn@example.com',
      OIDC_ISSUER: `http://${nobody}`,
      OIDC_CLIENT_ID: 'posthorn',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://${nobody}`,
      PUBLIC_BASE_URL: 'https://api.posthorn.invalid',
      DASHBOARD_URL: 'https://dashboard.posthorn.invalid',
    });
    const findings = JSON.parse(output) as { check: string; verdict: string }[];
    const verdictOf = (check: string) => findings.find((each) => each.check === check)?.verdict;
    expect(['metricsPort', 'mail', 'singleSignOn', 'collector', 'dashboardUrl'].map(verdictOf)).toEqual([
      'ok',
      'fail',
      'fail',
      'warn',
      'warn',
    ]);
    expect(output).not.toContain('secret');
  }, 300_000);

  describeWithRedis('a Redis without TLS', () => {
    test('that is asked by rediss:// is told apart from one that is away', async () => {
      const redis = await startRedis();
      try {
        expect(await checkRedis(redis.url.replace('redis:', 'rediss:'))).toMatchObject(
          fault(
            /does not respond; check the firewalls in between, or begin the URL with redis:\/\/ if it does not use TLS$/,
          ),
        );
      } finally {
        await redis.kill();
      }
    });
  });
});
