import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_PORTS } from '../../local/ports.ts';
import { reportConcurrency } from '../../src/delivery/limits/concurrency-store.ts';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import { readConfig, readEncryptionKeys } from '../../src/platform/config/config.ts';
import { writeRunningState } from '../../src/process/roles/serving/running-state.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { insertOverdue } from '../support/world/scheduled.ts';
import { blockWith, codeBlocksOf, PAGES, readPage, ROOT } from './code-blocks.ts';
import { runScript } from './shell.ts';

const OPERATE = PAGES.filter((page) => page.startsWith('docs/operate/'));
const REFERENCE = ['settings', 'command-line', 'logs', 'metrics', 'errors'].map((name) => `docs/reference/${name}.md`);
const COMMANDS = 'docs/reference/command-line.md';
const operate = (name: string): string => `docs/operate/${name}.md`;
const [BACKUP, CAPACITY, HARDENING] = [operate('backup'), operate('capacity'), operate('network-and-hardening')];
const [KEYS, RUNNING, TEMPORAL] = [operate('keys-and-secrets'), operate('running'), operate('temporal')];
const [TROUBLE, UPGRADING] = [operate('troubleshooting'), operate('upgrading')];

const THIS = 'test/docs/operate.whole.test.ts';
const OTHER = 'test/docs/operator-commands.whole.test.ts';
const RECOVERY = 'test/topology/recovery/archived-postgres.ts';
const CHART = 'test/deploy/chart/render.test.ts';
const GENERATED = 'test/docs/generated.test.ts';

const blocks = [...OPERATE, ...REFERENCE].flatMap(codeBlocksOf);
const isSettings = (text: string): boolean =>
  text
    .trimEnd()
    .split('\n')
    .every((line) => /^[A-Z_]+=/.test(line));
const settings = blocks.filter(({ language, text }) => language === 'text' && isSettings(text));
/** Files of secrets in examples are of the operator's machine. */
const isOfCompose = (text: string): boolean => text.includes('OWN_TEMPORAL');
const statements = blocks.filter(({ language }) => language === 'sql');
const others = blocks.filter((block) => !settings.includes(block) && !statements.includes(block));

/** Words of each other block, with the file that runs or checks it, and the words by which that file finds it. */
const TRIED: Readonly<Record<string, readonly [file: string, words: string]>> = {
  'archive_command =': [RECOVERY, 'archive_mode'],
  'pg_basebackup -D': [RECOVERY, 'pg_basebackup -D'],
  'recovery_target_time =': [RECOVERY, 'recovery_target_time'],
  'touch /restored/recovery.signal': [RECOVERY, 'recovery.signal'],
  'pg_dump -Fc': [RECOVERY, 'pg_dump -Fc'],
  "node -p \"'k1:'": [OTHER, 'node -p'],
  'jq -c \'select(.level == "error" or': [OTHER, 'every recipe'],
  "jq -c 'select(.deliveryId": [OTHER, 'every recipe'],
  'jq -r': [OTHER, 'every recipe'],
  '"suppressedLines":297': [OTHER, 'suppressedLines'],
  'ok    database': [OTHER, 'ok    database'],
  'sh deploy/compose/make-secrets.sh': [OTHER, 'sh deploy/compose/make-secrets.sh'],
  'docker compose exec api': [OTHER, 'docker compose exec api'],
  'temporal operator search-attribute create': [OTHER, 'search-attribute create'],
  'OWN_TEMPORAL=0': ['test/deploy/compose.test.ts', 'tmprl.cloud'],
  'image: { repository:': [CHART, 'image: { repository:'],
  'helm template posthorn': [CHART, 'helm template posthorn'],
  'Cannot keep the filter of': ['test/filters/stored-filters.test.ts', 'Cannot keep the filter of'],
  '/metrics': ['test/observe/metrics.test.ts', '/metrics'],
  INVALID_REQUEST: [GENERATED, 'the example of docs/reference/errors.md'],
  'none missing and none changed': [THIS, 'is reported as on the page'],
  'npx posthorn audit verify\n': [THIS, 'is reported as on the page'],
  'LOG_LEVLE is not a setting': [THIS, 'is not a setting'],
  "PosthornState = 'retrying'": [THIS, "PosthornState = 'retrying'"],
  '"status": "unavailable"': [THIS, '"unavailable"'],
  '/readyz\n': [THIS, '/readyz'],
  'kill -TERM': [THIS, 'kill -TERM'],
  'npx posthorn doctor\n': [THIS, 'npx posthorn migrate'],
  timerProcessorMaxTimeShift: [THIS, 'timerProcessorMaxTimeShift'],
  "'k' + crypto.randomBytes": [THIS, 'crypto.randomBytes'],
  'encryption-keys reencrypt\n': ['test/credentials/encryption-keys.test.ts', 'reseal'],
  'npx posthorn encryption-keys discard k1\n': ['test/credentials/encryption-keys.test.ts', 'abandon'],
  'The encryption key k1 is missing.': ['test/credentials/encryption-keys.test.ts', 'is missing'],
  'npx posthorn keys create': [THIS, 'npx posthorn keys create'],
  'npx posthorn apps create': [THIS, 'npx posthorn apps create'],
  'npx posthorn machine-credentials': [GENERATED, 'every example of a command'],
  'npx posthorn members': [GENERATED, 'every example of a command'],
  'npx posthorn admin': [GENERATED, 'every example of a command'],
};

/** Blocks that no test runs. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'kubectl create namespace': 'no cluster of Kubernetes where the tests run',
  scrape_configs: 'settings of Prometheus; test/observe starts a real one with a job of that name',
  'node bin/posthorn.js api': 'the tests of processes start them from dist',
};

test('every block of these pages is run or checked by a test that names it, or has a reason not to be', () => {
  const known = [...Object.keys(TRIED), ...Object.keys(NOT_RUN)];
  const unknown = others.filter(({ text }) => !known.some((words) => text.includes(words)));
  expect(unknown.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  expect(known.filter((words) => !blocks.some(({ text }) => text.includes(words)))).toEqual([]);
  for (const [file, words] of Object.values(TRIED)) {
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    expect([words, readFileSync(join(ROOT, file), 'utf8').includes(words)]).toEqual([words, true]);
  }
});

describe('settings', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-settings-'));
    writeFileSync(join(folder, 'encryption_keys'), `k1:${Buffer.alloc(32, 7).toString('base64')}`);
    writeFileSync(join(folder, 'temporal_api_key'), 'secret');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(settings.filter(({ text }) => !isOfCompose(text)).map(({ page, line, text }) => [`${page}:${line}`, text]))(
    'at %s are valid',
    (_, text) => {
      const given = text.replaceAll('/run/secrets', folder);
      expect(() => readConfig(parseEnv(given))).not.toThrow();
      expect(() => readConfig(parseEnv(given.replace(/^[A-Z]/, 'Q')))).toThrow(/ is not a setting/);
    },
  );

  test('with a misspelt name end the command with the sentence of the page', () => {
    const shown = blockWith('docs/reference/settings.md', 'is not a setting').replace('posthorn: ', '').trimEnd();
    expect(() => readConfig({ LOG_LEVLE: 'debug' })).toThrow(shown);
  });
});

test('the pages name the ports, Temporal workflows, search attributes and dynamic settings of the code', () => {
  for (const port of Object.values(DEFAULT_PORTS)) expect(readPage(RUNNING)).toContain(String(port));
  for (const type of Object.values(WORKFLOW_TYPES)) expect(readPage(TEMPORAL)).toContain(`\`${type}\``);
  for (const name of SEARCH_ATTRIBUTES) expect(readPage(TEMPORAL)).toContain(name);
  const file = readFileSync(join(ROOT, 'deploy/temporal/dynamic.yaml'), 'utf8').replaceAll(/^#.*\n/gm, '');
  expect(blockWith(TEMPORAL, 'timerProcessorMaxTimeShift')).toBe(file);
});

describe('a service without a worker', () => {
  let posthorn: TestPosthorn;
  let folder: string;
  let ids: { subscription: string; message: string };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'posthorn-operate-'));
    posthorn = await startPosthorn({ withWorker: false });
    const { id: channelId } = await createChannel(posthorn);
    const webhookUrl = 'http://127.0.0.1:4000/';
    const { id: subscription } = await createSubscription(posthorn, { channelId, webhookUrl });
    const { id: message } = await publish(posthorn, channelId);
    ids = { subscription, message };
  });
  afterAll(async () => {
    await posthorn.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (script: string, replaced: Record<string, string> = {}): ReturnType<typeof runScript> =>
    runScript(script, { replaced, databaseUrl: posthorn.database.url, requestsPath: join(folder, 'requests') });

  test.each(
    // The role belongs to the whole server of the tests; test/db creates it by this statement.
    statements
      .filter(({ text }) => !text.includes('CREATE ROLE'))
      .map(({ page, line, text }) => [`${page}:${line}`, text] as const),
  )('the statement at %s runs on the tables of this release', async (_, text) => {
    const sql = text.replace('sub_…', ids.subscription).replace('msg_…', ids.message);
    expect(Array.isArray((await posthorn.deps.pool.query(sql)).rows)).toBe(true);
  });

  test('the statement about messages at risk counts what waits, and what is on hold', async () => {
    const { pool } = posthorn.deps;
    const sql = blockWith(TROUBLE, 'dead_letters_today');
    expect((await pool.query(sql)).rows).toMatchObject([{ waiting: '1', due: '1', on_hold: '0' }]);
    const hold = `UPDATE deliveries SET held_reason = $1, held_since = now() WHERE subscription_id = $2`;
    await pool.query(hold, ['internal', ids.subscription]);
    expect((await pool.query(sql)).rows).toMatchObject([{ waiting: '1', due: '1', on_hold: '1' }]);
    expect((await pool.query(blockWith(TROUBLE, "IN ('secret_unreadable', 'internal') AND"))).rows).toEqual([
      { held_reason: 'internal', subscription_id: ids.subscription, held: '1', since: expect.any(Date) },
    ]);
    await pool.query('UPDATE deliveries SET held_reason = NULL, held_since = NULL WHERE subscription_id = $1', [
      ids.subscription,
    ]);
  });

  test('the statement about late deliveries shows a delivery that is due', async () => {
    const { rows } = await posthorn.deps.pool.query(blockWith(TROUBLE, 'rate_limit'));
    expect(rows).toMatchObject([{ id: ids.subscription, due: '1' }]);
  });

  test('the examples create and list API keys', async () => {
    const { exitCode, output } = await run(blockWith(COMMANDS, 'npx posthorn keys create').replace(/.*…\n/, ''));
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^svc_live_\w+\n/);
    expect(output).toMatch(/key_\w{26} +\w+ +live +pro +active +svc_live_\S+ +Order service/);
  }, 270_000);

  test('the examples create an app, suspend it and activate it', async () => {
    const { exitCode, output } = await run(blockWith(COMMANDS, 'npx posthorn apps create'));
    expect(exitCode).toBe(0);
    expect(output).toMatch(
      /^app_\w{26}\n[\s\S]*second-shop[\s\S]*\nSuspended second-shop \S+\nActivated second-shop \S+\n$/,
    );
  }, 270_000);

  test('the command creates an encryption key as ENCRYPTION_KEYS accepts it', async () => {
    const { output } = await run(blockWith(KEYS, 'crypto.randomBytes'));
    expect(readEncryptionKeys(output)).toHaveLength(1);
  }, 270_000);

  test('an unbroken audit log is reported as on the page', async () => {
    const { output } = await run(blockWith(KEYS, 'npx posthorn audit verify'));
    const shown = blockWith(KEYS, 'none missing').replace(/^org_\S+: \d+/, '');
    expect(output.replace(/^org_\w{26}: \d+/, '')).toBe(shown);
  }, 270_000);

  test('migrate reports that the database is up to date, and doctor checks it', async () => {
    const { output } = await run(blockWith(UPGRADING, 'npx posthorn migrate'));
    expect(output).toMatch(/^The database is up to date\n[\s\S]*^ok +database /m);
  }, 270_000);

  test('the example of admin reset-password prints a link', async () => {
    await setUp(posthorn, { email: 'ada@example.com', name: 'Ada', password: 'tangerine orbit mill' });
    const [command = ''] = /.*admin reset-password.*/.exec(blockWith(COMMANDS, 'admin reset-password')) ?? [];
    const { exitCode, output } = await run(command);
    expect([exitCode, output]).toEqual([0, expect.stringMatching(/^http:\/\/\S+\/password-reset#code=\S+\n$/)]);
  }, 270_000);

  test('the probe answers, and its refusal has the form of the page', async () => {
    const { exitCode, output } = await run(blockWith(RUNNING, '/readyz\n'), { 'http://localhost:3000': posthorn.url });
    expect(exitCode).toBe(0);
    const shown = JSON.parse(blockWith(RUNNING, '"unavailable"')) as { parts: object };
    const { parts } = JSON.parse(output) as { parts: object };
    expect(parts).toMatchObject(Object.fromEntries(Object.keys(shown.parts).map((part) => [part, expect.any(String)])));
  });

  test('the command that stops a start sends SIGTERM to the process that its data folder names', async () => {
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
    const replaced = { '.data/running.json': join(data, 'running.json') };
    const { exitCode } = await run(blockWith(RUNNING, 'kill -TERM'), replaced);
    if (exitCode !== 0) child.kill('SIGKILL');
    expect([exitCode, await ended]).toEqual([0, [null, 'SIGTERM']]);
  });

  test('the statement about dead receivers shows what open circuit breakers hold back', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const webhookUrl = 'http://127.0.0.1:4001/';
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl });
    await publish(posthorn, channelId);
    const at = new Date();
    await posthorn.deps.db.subscription.update({ where: { id }, data: { circuitOpenedAt: at, circuitProbeAt: at } });
    expect((await posthorn.deps.pool.query(blockWith(CAPACITY, 'circuit_probe_failed_at'))).rows).toMatchObject([
      { id, webhook_url: webhookUrl, held: '1', never_attempted: '1', final_attempt_due: '0' },
    ]);
  });

  test('the statement about receivers shows how many requests they get at a time', async () => {
    const { pool } = posthorn.deps;
    await pool.query(
      `INSERT INTO incarnations (id, expires_at) VALUES ('inc_1', now() + interval '1 hour'), ('inc_2', now())`,
    );
    for (const id of ['inc_1', 'inc_2'])
      await reportConcurrency(pool, id, [{ subscriptionId: 'sub_a', limit: 40, inFlight: 7, latencyMs: 90 }]);
    expect((await pool.query(blockWith(CAPACITY, 'subscription_concurrency'))).rows).toEqual([
      { subscription_id: 'sub_a', allowed: '40', in_flight: '7', latency_ms: '90' },
    ]);
  });

  test('the statement about streams names the transactions that hold them back, and no others', async () => {
    const [writing, reading] = [await posthorn.deps.pool.connect(), await posthorn.deps.pool.connect()];
    try {
      await writing.query('BEGIN');
      await writing.query('UPDATE channels SET name = name');
      await reading.query('BEGIN');
      await reading.query('SELECT count(*) FROM channels');
      const pidOf = async (client: typeof writing): Promise<number> =>
        (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;
      const { rows } = await posthorn.deps.pool.query<{ pid: number }>(blockWith(TROUBLE, 'backend_xid'));
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

  test('the statement about retention shows the oldest message of each channel, and no channel that is deleted', async () => {
    const [{ id: channelId }, { id: deleted }] = [await createChannel(posthorn), await createChannel(posthorn)];
    const { id } = await publish(posthorn, channelId);
    await publish(posthorn, channelId);
    await publish(posthorn, deleted);
    await posthorn.request('DELETE', `/v1/channels/${deleted}`);
    const { pool, db } = posthorn.deps;
    const { rows } = await pool.query<{ id: string; oldest: Date }>(blockWith(RUNNING, 'AS oldest'));
    const { publishedAt } = await db.message.findUniqueOrThrow({ where: { id } });
    expect(rows.filter((row) => row.id === channelId).map(({ oldest }) => oldest)).toEqual([publishedAt]);
    expect(rows.map((row) => row.id)).not.toContain(deleted);
  });

  test('the statement about scheduled messages shows which wait, are late and are held', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id: held } = await createChannel(posthorn);
    await publish(posthorn, channelId, { delay: 3_600_000 });
    await insertOverdue(posthorn, channelId, { agoMs: 60_000, count: 2 });
    await publish(posthorn, held, { delay: 3_600_000 });
    const { pool } = posthorn.deps;
    await pool.query('UPDATE scheduled_messages SET due_at = NULL WHERE channel_id = $1', [held]);
    expect((await pool.query(blockWith(RUNNING, 'scheduled_messages'))).rows).toEqual([
      { channel_id: channelId, waiting: '3', late: '2', held: '0', next: expect.any(Date) },
      { channel_id: held, waiting: '1', late: '0', held: '1', next: expect.any(Date) },
    ]);
  });

  test('the statement about a dump lets streams show what a server with higher transactions has brought', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const { id } = await publish(posthorn, channelId);
    const { pool } = posthorn.deps;
    await pool.query(`UPDATE messages SET transaction_id = '9000000000000' WHERE id = $1`, [id]);
    await pool.query(blockWith(BACKUP, 'SET transaction_id'));
    const { rows } = await pool.query('SELECT transaction_id::text AS "at" FROM messages WHERE id = $1', [id]);
    expect(rows).toEqual([{ at: '0' }]);
  });

  test('the statement that creates the role is the one that migrate prints', () => {
    const [create = ''] = blockWith(HARDENING, 'CREATE ROLE').split('\n');
    expect(readFileSync(join(ROOT, 'src/platform/db/tenant-role.ts'), 'utf8')).toContain(
      create.replace('posthorn_tenant', '${TENANT_ROLE}').replace(';', ''),
    );
  });

  // Last: the worker delivers from here on.
  test("the searches are those that Temporal's server accepts", async () => {
    const searches = blockWith(TEMPORAL, "PosthornState = 'retrying'").trimEnd().split('\n');
    expect(searches).toHaveLength(3);
    await posthorn.worker.start();
    const { workflow } = posthorn.temporal;
    // The server accepts an attribute a while after it was added.
    await waitFor('the search attributes', () => workflow.count(searches[0]).then(Boolean, () => false));
    for (const search of searches.slice(1)) expect([search, (await workflow.count(search)).count]).toEqual([search, 0]);
    await expect(workflow.count(`PosthornStat${searches[0]?.slice(13)}`)).rejects.toThrow();
  });
});
