import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { runPosthorn, type StartedPosthorn, startPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { currentRun } from '../support/service/run.ts';

const newKey = (kid: string): string => `${kid}:${randomBytes(32).toString('base64')}`;
const RIGHT = newKey('k1');
const READY = /"port":\d+|worker is ready|Ctrl-C stops Posthorn/;

const dataFolder = mkdtempSync(join(tmpdir(), 'posthorn-keys-'));
let database: TestDatabase;
const started: StartedPosthorn[] = [];

const variablesWith = (keys: string) => ({
  DATABASE_URL: database.url,
  TEMPORAL_ADDRESS: currentRun().temporalAddress,
  // Others use the same server: the schedules of this start are its own.
  TEMPORAL_NAMESPACE: database.name,
  ENCRYPTION_KEYS: keys,
  PORT: '0',
  DATA_FOLDER: dataFolder,
});

async function start(role: string, keys: string): Promise<StartedPosthorn> {
  const posthorn = await startPosthorn(role, variablesWith(keys), READY);
  started.push(posthorn);
  return posthorn;
}

async function stopAll(): Promise<void> {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
}

// One installation: a subscription whose secret is sealed with k1.
beforeAll(async () => {
  database = await createTestDatabase();
  await runPosthorn(['migrate'], variablesWith(RIGHT));
  const key = (await runPosthorn(['keys', 'create', '--env', 'live'], variablesWith(RIGHT))).output.trim();
  const api = await start('api', RIGHT);
  const url = `http://127.0.0.1:${/"port":(\d+)/.exec(api.output())?.[1] ?? ''}`;
  const post = async (path: string, body: object): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  // As every created resource.
  const { id: channelId } = (await (await post('/v1/channels', { name: 'orders' })).json()) as { id: string };
  const { status } = await post('/v1/subscriptions', { channelId, webhookUrl: 'https://example.com/' });
  expect(status).toBe(201);
  await stopAll();
}, 180_000);
afterEach(stopAll);
afterAll(async () => {
  rmSync(dataFolder, { recursive: true, force: true });
  await database.drop();
});

/** How a role that must not start ends. */
async function refusalOf(role: string, keys: string): Promise<string> {
  try {
    await start(role, keys);
    return 'started';
  } catch (failure) {
    return String(failure);
  }
}

// Regression: an API with other keys said ready and sealed secrets that no worker could open; a worker compared names alone.
test.each(['api', 'worker'])(
  '%s refuses keys that are not those of the database',
  async (role) => {
    expect(await refusalOf(role, newKey('k1'))).toContain(
      'posthorn: The encryption key k1 differs from the key of that name that this database was encrypted with. That key has encrypted 1 row of subscription_secrets.',
    );
    expect(await refusalOf(role, newKey('k2'))).toContain(
      'posthorn: The encryption key k1 is missing. It has encrypted 1 row of subscription_secrets.',
    );
  },
  180_000,
);

// Regression: the first request had them proved again, by a count of every sealed row, after start itself had proved them.
test('start proves its keys once, for itself and for /readyz', async () => {
  const { child, output, ended } = await start('start', RIGHT);
  const url = /http:\/\/localhost:\d+/.exec(output())?.[0];
  // Another proof would be refused.
  await database.pool.query(`UPDATE encryption_keys SET check_value = 'none' || check_value`);
  const readyz = await fetch(`${url}/readyz`);
  await database.pool.query(`UPDATE encryption_keys SET check_value = substr(check_value, 5)`);
  child.kill('SIGTERM');
  await ended;
  expect(await readyz.json()).toMatchObject({ status: 'ready', parts: { encryptionKeys: 'up', temporal: 'up' } });
}, 180_000);

test('a lost key is given up by the command that the refusal names, after which the roles start', async () => {
  const other = variablesWith(newKey('k2'));
  expect((await runPosthorn(['encryption-keys', 'list'], other)).output).toMatch(
    /^ID +STATE +FIRST USED +SUBSCRIPTION_SECRETS +IDEMPOTENCY_KEYS +MACHINE_CREDENTIAL_SECRETS +INBOUND_WEBHOOK_SECRETS +CONNECTIONS +SECRETS +TOTP_FACTORS +TOKEN_SIGNING_KEYS\nk2 +seals +never +0 +0 +0 +0 +0 +0 +0 +0\nk1 +missing +\S+Z +1 +0 +0 +0 +0 +0 +0 +0\n$/,
  );
  const configured = await runPosthorn(['encryption-keys', 'discard', 'k1', '--yes'], variablesWith(RIGHT));
  expect([configured.exitCode, configured.errors]).toEqual([
    1,
    expect.stringMatching(/^posthorn: The encryption key k1 is configured/),
  ]);
  const keyless = await runPosthorn(['encryption-keys', 'discard', 'k1', '--yes'], {
    ...other,
    ENCRYPTION_KEYS: '',
    DATA_FOLDER: '/nonexistent',
  });
  expect([keyless.exitCode, keyless.errors]).toEqual([1, expect.stringContaining('ENCRYPTION_KEYS must be set')]);
  const asked = await runPosthorn(['encryption-keys', 'discard', 'k1'], other);
  expect([asked.exitCode, asked.output]).toEqual([
    1,
    expect.stringMatching(
      /^subscription_secrets: 1 to be removed\nidempotency_keys: 0 to be removed\nmachine_credential_secrets: 0 to be removed\ninbound_webhook_secrets: 0 to be removed\nconnections: 0 to be removed\nsecrets: 0 to be removed\ntotp_factors: 0 to be removed\ntoken_signing_keys: 0 to be removed\n.*\nNothing was changed\. Add --yes/,
    ),
  ]);

  const done = await runPosthorn(['encryption-keys', 'discard', 'k1', '--yes'], other);

  expect([done.exitCode, done.output]).toEqual([
    0,
    'subscription_secrets: 1 removed\nidempotency_keys: 0 removed\nmachine_credential_secrets: 0 removed\ninbound_webhook_secrets: 0 removed\nconnections: 0 removed\nsecrets: 0 removed\ntotp_factors: 0 removed\ntoken_signing_keys: 0 removed\n' +
      'Discarded the rows of the encryption key k1\n',
  ]);
  expect(await refusalOf('api', other.ENCRYPTION_KEYS)).toBe('started');
}, 180_000);
