import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_PORTS } from '../../local/ports.ts';
import { readConfig, readEncryptionKeys, SETTINGS } from '../../src/platform/config/config.ts';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import { reportConcurrency } from '../../src/delivery/limits/concurrency-store.ts';
import { writeRunningState } from '../../src/process/roles/serving/running-state.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { insertOverdue } from '../support/world/scheduled.ts';
import { blockWith, codeBlocksOf, readPage, ROOT, tableRowsOf } from './code-blocks.ts';
import { runScript } from './shell.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('operator pages', () => {
  const PAGES = ['docs/backup.md', 'docs/upgrading.md', 'docs/sizing.md', 'docs/troubleshooting.md'];
  const statements = PAGES.flatMap((page) => codeBlocksOf(page)).filter(({ language }) => language === 'sql');

  let posthorn: TestPosthorn;
  let ids: { subscription: string; message: string };
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    const { id: channelId } = await createChannel(posthorn);
    const { id: subscription } = await createSubscription(posthorn, {
      channelId,
      webhookUrl: 'http://127.0.0.1:4000/',
    });
    const { id: message } = await publish(posthorn, channelId);
    ids = { subscription, message };
  });
  afterAll(() => posthorn.stop());

  test.each(statements.map(({ page, line, text }) => [`${page}:${line}`, text] as const))(
    'the statement at %s runs on the tables of this release',
    async (_, text) => {
      const sql = text.replace('sub_…', ids.subscription).replace('msg_…', ids.message);
      expect(Array.isArray((await posthorn.deps.pool.query(sql)).rows)).toBe(true);
    },
  );

  test('the statement about late deliveries shows a delivery that is due', async () => {
    const late = statements.find(({ text }) => text.includes('rate_limit'))?.text ?? '';
    expect((await posthorn.deps.pool.query(late)).rows).toMatchObject([{ id: ids.subscription, due: '1' }]);
  });

  test('there are fifteen symptoms, and each section that they name is there', () => {
    const page = readPage('docs/troubleshooting.md');
    // Each stands in two tables: looks that settle it, and the metric and the alert that show it.
    const rows = page.match(/^\| \d+\. [^|]+/gm) ?? [];
    expect([rows.length, new Set(rows).size]).toEqual([30, 15]);
    const anchors = Array.from(page.matchAll(/\(#(\d+)-/g), ([, number]) => number);
    for (const number of anchors) expect(page).toMatch(new RegExp(`^## ${number}\\. `, 'm'));
  });
});

describe('operations', () => {
  const PAGE = 'docs/operations.md';
  const blocks = codeBlocksOf(PAGE);
  const makeKeys = blockWith(PAGE, 'npm run -s keys -- create');
  const manageApps = blockWith(PAGE, 'npx posthorn apps create');
  const newEncryptionKey = blockWith(PAGE, 'crypto.randomBytes');

  describe('the settings table', () => {
    const rows = tableRowsOf(PAGE).filter(([name]) => /^`[A-Z_]+`$/.test(name ?? ''));
    const shown = new Map(rows.map(([name = '', value = '']) => [name.replaceAll('`', ''), value]));

    test('names every variable that src/platform/config/config.ts reads, and no other', () => {
      expect(SETTINGS.length).toBeGreaterThan(10);
      expect(new Set(shown.keys())).toEqual(new Set(SETTINGS));
      expect(rows).toHaveLength(SETTINGS.length);
    });

    test('shows the defaults of src/platform/config/config.ts', () => {
      const config = readConfig({});
      const defaults = {
        PORT: config.port,
        PUBLIC_BASE_URL: config.publicBaseUrl,
        TEMPORAL_NAMESPACE: config.temporal.namespace,
        TEMPORAL_TLS: config.temporal.tls !== undefined,
        TRUSTED_PROXY_HOPS: config.trustedProxyHops,
        DPOP_NONCES: config.dpopNonces,
        ALLOW_HTTP_WEBHOOKS: config.allowHttpWebhooks,
        LOG_LEVEL: config.logLevel,
        DATA_FOLDER: config.dataFolder,
      };
      for (const [name, value] of Object.entries(defaults))
        expect(`${name} ${shown.get(name)?.split(';')[0]}`).toBe(`${name} \`${value}\``);
    });
  });

  test('the ports and Temporal workflows are those of the code', () => {
    const text = readPage(PAGE);
    for (const port of Object.values(DEFAULT_PORTS)) expect(text).toContain(String(port));
    for (const type of Object.values(WORKFLOW_TYPES)) expect(text).toContain(`\`${type}\``);
  });

  // Old: an attribute of the code was left out of the comparison, and the page told Temporal Cloud's users of six of the seven.
  test('the table of search attributes has every one of the code, and no other', () => {
    const named = tableRowsOf(PAGE).flatMap(([names = '']) => [...names.matchAll(/`(Posthorn\w+)`/g)]);
    expect(named.map((match) => match[1] ?? '').sort()).toEqual([...SEARCH_ATTRIBUTES].sort());
  });

  describe('a command of the page', () => {
    let posthorn: TestPosthorn;
    let folder: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'posthorn-operations-'));
      posthorn = await startPosthorn({ withWorker: false });
    });
    afterAll(async () => {
      await posthorn.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const run = (script: string): ReturnType<typeof runScript> =>
      runScript(script, { replaced: {}, databaseUrl: posthorn.database.url, requestsPath: join(folder, 'requests') });

    const sqlAbout = (what: string): string =>
      blocks.find(({ language, text }) => language === 'sql' && text.includes(what))?.text ?? '';

    test('makes and lists API keys', async () => {
      const { exitCode, output } = await run(makeKeys);
      expect(exitCode).toBe(0);
      expect(output).toMatch(/^svc_test_\w+\n/);
      expect(output).toMatch(/key_\w{26} +test +test +pro +active +svc_test_\S+ +Shop/);
    }, 270_000);

    test('makes an app, a key for it, suspends it and lets it go on', async () => {
      const { exitCode, output } = await run(manageApps);
      expect(exitCode).toBe(0);
      const made = /^app_\w{26}\nsvc_live_\w+\nSuspended second-shop \S+\nActivated second-shop \S+\n/;
      expect(output).toMatch(made);
      expect(output).toMatch(/app_\w{26} +second-shop +active +Second shop/);
    }, 270_000);

    test('makes an encryption key as ENCRYPTION_KEYS takes it', async () => {
      const { output } = await run(newEncryptionKey);
      expect(readEncryptionKeys(output)).toHaveLength(1);
    }, 270_000);

    test('shows what the circuits of dead endpoints hold', async () => {
      const { id: channelId } = await createChannel(posthorn);
      const webhookUrl = 'http://127.0.0.1:4001/';
      const { id } = await createSubscription(posthorn, { channelId, webhookUrl });
      await publish(posthorn, channelId);
      const at = new Date();
      await posthorn.deps.db.subscription.update({ where: { id }, data: { circuitOpenedAt: at, circuitProbeAt: at } });
      expect((await posthorn.deps.pool.query(sqlAbout('circuit_probe_failed_at'))).rows).toMatchObject([
        { id, webhook_url: webhookUrl, held: '1', untried: '1', in_line: '0' },
      ]);
    });

    test('names the transactions that hold streams back, and no others', async () => {
      const [writing, reading] = [await posthorn.deps.pool.connect(), await posthorn.deps.pool.connect()];
      try {
        await writing.query('BEGIN');
        await writing.query('UPDATE channels SET name = name');
        await reading.query('BEGIN');
        await reading.query('SELECT count(*) FROM channels');
        const pidOf = async (client: typeof writing): Promise<number> =>
          (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
        const { rows } = await posthorn.deps.pool.query<{ pid: number }>(sqlAbout('backend_xid'));
        const pids = rows.map(({ pid }) => pid);
        expect(pids).toContain(await pidOf(writing));
        expect(pids).not.toContain(await pidOf(reading));
      } finally {
        await writing.query('ROLLBACK');
        await reading.query('ROLLBACK');
        writing.release();
        reading.release();
      }
    });

    test('shows what faults of the service hold', async () => {
      const { id: channelId } = await createChannel(posthorn);
      const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
      await publish(posthorn, channelId);
      const { pool } = posthorn.deps;
      await pool.query(
        `UPDATE deliveries SET held_reason = 'internal', held_since = now() WHERE subscription_id = $1`,
        [id],
      );
      expect((await pool.query(sqlAbout('held_reason'))).rows).toEqual([
        { held_reason: 'internal', subscription_id: id, held: '1', since: expect.any(Date) },
      ]);
    });

    test('shows the oldest message of each channel, and no channel that is deleted', async () => {
      const [{ id: channelId }, { id: deleted }] = [await createChannel(posthorn), await createChannel(posthorn)];
      const { id } = await publish(posthorn, channelId);
      await publish(posthorn, channelId);
      await publish(posthorn, deleted);
      await posthorn.request('DELETE', `/v1/channels/${deleted}`);
      const { pool, db } = posthorn.deps;
      const { rows } = await pool.query<{ id: string; oldest: Date }>(sqlAbout('AS oldest'));
      const { publishedAt } = await db.message.findUniqueOrThrow({ where: { id } });
      expect(rows.filter((row) => row.id === channelId).map(({ oldest }) => oldest)).toEqual([publishedAt]);
      expect(rows.map((row) => row.id)).not.toContain(deleted);
    });

    test('shows how many requests receivers get at a time', async () => {
      const { pool } = posthorn.deps;
      await pool.query(
        `INSERT INTO incarnations (id, expires_at) VALUES ('inc_1', now() + interval '1 hour'), ('inc_2', now())`,
      );
      for (const id of ['inc_1', 'inc_2'])
        await reportConcurrency(pool, id, [{ subscriptionId: 'sub_a', limit: 40, inFlight: 7, latencyMs: 90 }]);
      expect((await pool.query(sqlAbout('subscription_concurrency'))).rows).toEqual([
        { subscription_id: 'sub_a', allowed: '40', in_flight: '7', latency_ms: '90' },
      ]);
    });

    test('shows what is scheduled, what of it is late and what its channel holds', async () => {
      const { id: channelId } = await createChannel(posthorn);
      const { id: held } = await createChannel(posthorn);
      await publish(posthorn, channelId, { delay: 3_600_000 });
      await insertOverdue(posthorn, channelId, { agoMs: 60_000, count: 2 });
      await publish(posthorn, held, { delay: 3_600_000 });
      const { pool } = posthorn.deps;
      await pool.query('UPDATE scheduled_messages SET due_at = NULL WHERE channel_id = $1', [held]);
      expect((await pool.query(sqlAbout('scheduled_messages'))).rows).toEqual([
        { channel_id: channelId, waiting: '3', late: '2', held: '0', next: expect.any(Date) },
        { channel_id: held, waiting: '1', late: '0', held: '1', next: expect.any(Date) },
      ]);
    });

    test('lets streams show what a dump from a server with higher transactions has brought', async () => {
      const { id: channelId } = await createChannel(posthorn);
      const { id } = await publish(posthorn, channelId);
      const { pool } = posthorn.deps;
      await pool.query(`UPDATE messages SET transaction_id = '9000000000000' WHERE id = $1`, [id]);
      await pool.query(sqlAbout('SET transaction_id'));
      const { rows } = await pool.query('SELECT transaction_id::text AS "at" FROM messages WHERE id = $1', [id]);
      expect(rows).toEqual([{ at: '0' }]);
    });
  });
});

describe('operations examples', () => {
  const PAGE = 'docs/operations.md';
  const blocks = codeBlocksOf(PAGE).filter(({ language }) => language !== 'sql');
  const isSettings = (text: string): boolean =>
    text
      .trimEnd()
      .split('\n')
      .every((line) => /^[A-Z_]+=/.test(line));
  const settings = blocks.filter(({ language, text }) => language === 'text' && isSettings(text));

  const THIS = 'test/docs/examples.whole.test.ts';
  const OPERATIONS = 'test/docs/examples.whole.test.ts';
  /** Words of each other block, with the file that tries it. */
  const TRIED = {
    'npm run -s keys': OPERATIONS,
    'npx posthorn apps create': OPERATIONS,
    'crypto.randomBytes': OPERATIONS,
    'Cannot keep the filter of': 'test/filters/stored-filters.test.ts',
    'The service cannot reach its database just now': 'test/readiness/readiness.test.ts',
    '/metrics': 'test/observe/metrics.test.ts',
    'none missing and none changed': THIS,
    'LOG_LEVLE is no setting': THIS,
    "PosthornState = 'retrying'": THIS,
    '/readyz': THIS,
    '"status": "unavailable"': THIS,
    'kill -TERM': THIS,
    'npx posthorn migrate': THIS,
    timerProcessorMaxTimeShift: THIS,
    'npx posthorn admin reset-password': THIS,
  };

  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-examples-'));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (script: string, replaced: Record<string, string> = {}): ReturnType<typeof runScript> =>
    runScript(script, { replaced, databaseUrl: posthorn.database.url, requestsPath: join(folder, 'requests') });

  test('every block of the page is of settings, or has a test that tries it', () => {
    const others = blocks.filter((block) => !settings.includes(block));
    const words = Object.keys(TRIED);
    expect(others.filter(({ text }) => !words.some((word) => text.includes(word))).map(({ line }) => line)).toEqual([]);
    expect(words.filter((word) => !others.some(({ text }) => text.includes(word)))).toEqual([]);
    expect(Object.values(TRIED).filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  describe('settings', () => {
    test.each(settings.map(({ line, text }) => [line, text] as const))('at line %d are taken', (_line, text) => {
      const secrets = mkdtempSync(join(folder, 'secrets-'));
      writeFileSync(join(secrets, 'encryption_keys'), `k1:${Buffer.alloc(32, 7).toString('base64')}`);
      writeFileSync(join(secrets, 'oidc_client_secret'), 'secret');
      expect(() => readConfig(parseEnv(text.replaceAll('/run/secrets', secrets)))).not.toThrow();
      const misspelt = text.replace(/^[A-Z]/, 'Q');
      expect(() => readConfig(parseEnv(misspelt.replaceAll('/run/secrets', secrets)))).toThrow(/ is no setting/);
    });

    test('with a misspelt name end the process with the sentence of the page', () => {
      const shown = blockWith(PAGE, 'is no setting').replace('posthorn: ', '').trimEnd();
      expect(() => readConfig({ LOG_LEVLE: 'debug' })).toThrow(shown);
    });
  });

  test("the searches are those that Temporal's server takes", async () => {
    const searches = blockWith(PAGE, "PosthornState = 'retrying'").trimEnd().split('\n');
    expect(searches).toHaveLength(3);
    await posthorn.worker.start();
    const { workflow } = posthorn.temporal;
    // The server takes an attribute a while after it was added.
    await waitFor('the search attributes', () => workflow.count(searches[0]).then(Boolean, () => false));
    for (const search of searches.slice(1)) expect([search, (await workflow.count(search)).count]).toEqual([search, 0]);
    await expect(workflow.count(`PosthornStat${searches[0]?.slice(13)}`)).rejects.toThrow();
  });

  test("the dynamic config is that of Docker Compose's own server", () => {
    const file = readFileSync(join(ROOT, 'deploy/temporal/dynamic.yaml'), 'utf8').replaceAll(/^#.*\n/gm, '');
    expect(blockWith(PAGE, 'timerProcessorMaxTimeShift')).toBe(file);
  });

  test('the probe answers, and its refusal has the form of the page', async () => {
    const { exitCode, output } = await run(blockWith(PAGE, '/readyz\n'), { 'http://localhost:3000': posthorn.url });
    expect(exitCode).toBe(0);
    const shown = JSON.parse(blockWith(PAGE, '"unavailable"')) as { parts: object };
    const { parts } = JSON.parse(output) as { parts: object };
    expect(parts).toMatchObject(Object.fromEntries(Object.keys(shown.parts).map((part) => [part, expect.any(String)])));
  });

  test('the command that ends a start sends SIGTERM to the process that its data folder names', async () => {
    const data = join(folder, '.data');
    mkdirSync(data);
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    writeRunningState(data, {
      process: { pid: child.pid ?? 0, bornAt: '0' },
      apiUrl: posthorn.url,
      databaseUrl: posthorn.database.url,
      temporalAddress: 'localhost:7233',
      pids: {},
    });
    const { exitCode } = await run(blockWith(PAGE, 'kill -TERM'), { '.data/running.json': join(data, 'running.json') });
    if (exitCode !== 0) child.kill('SIGKILL');
    expect([exitCode, await ended]).toEqual([0, [null, 'SIGTERM']]);
  });

  test('an unbroken audit log is told as on the page', async () => {
    const { output } = await run('npx posthorn audit verify');
    const shown = blockWith(PAGE, 'none missing').replace(/^org_\S+: \d+/, '');
    expect(output.replace(/^org_\w{26}: \d+/, '')).toBe(shown);
  }, 270_000);

  test('migrate says that the database is up to date, and doctor looks at it', async () => {
    const { output } = await run(blockWith(PAGE, 'npx posthorn migrate'));
    expect(output).toMatch(/^The database is up to date\n[\s\S]*^ok +database /m);
  }, 270_000);

  test('a link for a person who has lost all factors is printed', async () => {
    await setUp(posthorn, { email: 'ada@example.com', name: 'Ada', password: 'tangerine orbit mill' });
    const { exitCode, output } = await run(blockWith(PAGE, 'admin reset-password'));
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/^http:\/\/\S+\/password-reset#code=\S+\n$/)]);
  }, 270_000);
});
