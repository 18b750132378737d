import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig, readEncryptionKeys, SETTINGS } from '../../src/config.ts';
import { diff } from '../support/check/schema-diff/schema-diff.ts';
import { reportConcurrency } from '../../src/dispatch/admission/concurrency-store.ts';
import { DEFAULT_PORTS } from '../../local/ports.ts';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPES } from '../../src/contract/temporal-names.ts';
import { createChannel, createSubscription, publish } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { insertOverdue } from '../support/world/scheduled.ts';
import { blockWith, codeBlocksOf, readPage, tableRowsOf } from './code-blocks.ts';
import { runScript } from './shell.ts';

const PAGE = 'docs/operations.md';
const blocks = codeBlocksOf(PAGE);
const makeKeys = blockWith(PAGE, 'npm run -s keys -- create');
const manageApps = blockWith(PAGE, 'npx posthorn apps create');
const newEncryptionKey = blockWith(PAGE, 'crypto.randomBytes');

describe('the settings table', () => {
  const rows = tableRowsOf(PAGE).filter(([name]) => /^`[A-Z_]+`$/.test(name ?? ''));
  const shown = new Map(rows.map(([name = '', value = '']) => [name.replaceAll('`', ''), value]));

  test('names every variable that src/config.ts reads, and no other', () => {
    expect(SETTINGS.length).toBeGreaterThan(10);
    expect(new Set(shown.keys())).toEqual(new Set(SETTINGS));
    expect(rows).toHaveLength(SETTINGS.length);
  });

  test('shows the defaults of src/config.ts', () => {
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
    await pool.query(`UPDATE deliveries SET held_reason = 'internal', held_since = now() WHERE subscription_id = $1`, [
      id,
    ]);
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

  test.each([
    ['0013', 'deliveries_due'],
    ['0048', 'deliveries_slow'],
  ])('makes the index of migration %s beforehand, with nothing stopped', async (_, index) => {
    const { pool } = posthorn.deps;
    await pool.query(`DROP INDEX ${index}`);
    expect(await diff(posthorn.database.url, 'database', 'schema')).toContain(index);
    await pool.query(sqlAbout(`IF NOT EXISTS ${index}`));
    expect(await diff(posthorn.database.url, 'database', 'schema')).toBe('');
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
