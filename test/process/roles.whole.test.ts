import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { TEST_DATABASE_PREFIX } from '../support/service/database-names.ts';
import { runPosthorn, type StartedPosthorn, startPosthorn } from '../support/service/command-line.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { currentRun } from '../support/service/run.ts';
import { waitFor } from '../support/check/wait-for.ts';

// An empty database: these roles bring their own tables.
const name = `${TEST_DATABASE_PREFIX}roles_${randomBytes(4).toString('hex')}`;
const { adminUrl, temporalAddress } = currentRun();
const databaseUrl = new URL(adminUrl);
databaseUrl.pathname = `/${name}`;
const DATABASE_URL = databaseUrl.href;
const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
// A `start` of another file at the same time would have the lock of the folder that is the default.
const dataFolder = mkdtempSync(join(tmpdir(), 'posthorn-roles-'));
const variables = {
  DATABASE_URL,
  DATA_FOLDER: dataFolder,
  ENCRYPTION_KEYS,
  TEMPORAL_ADDRESS: temporalAddress,
  PORT: '0',
  ALLOW_HTTP_WEBHOOKS: 'true',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
};

let receiver: Receiver;
let taken: Receiver;
const started: StartedPosthorn[] = [];

beforeAll(async () => {
  [receiver, taken] = await Promise.all([startReceiver(), startReceiver()]);
  await order(`CREATE DATABASE ${name}`);
});

afterAll(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL');
    await ended;
  }
  await Promise.all([receiver.close(), taken.close()]);
  await order(`DROP DATABASE ${name} WITH (FORCE)`);
  rmSync(dataFolder, { recursive: true, force: true });
});

async function order(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function startRole(role: string, ready: RegExp, further: Record<string, string> = {}): Promise<StartedPosthorn> {
  const posthorn = await startPosthorn(role, { ...variables, ...further }, ready);
  started.push(posthorn);
  return posthorn;
}

test('migrate, run by two at once, makes tables and environments once; a further run says so', async () => {
  const results = await Promise.all([runPosthorn(['migrate'], variables), runPosthorn(['migrate'], variables)]);
  expect(results.map(({ exitCode, errors }) => [exitCode, errors])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect((await runPosthorn(['migrate'], variables)).output).toBe('The database is up to date\n');
  const { output } = await runPosthorn(['keys', 'list'], variables);
  expect(output).toBe('ID  APP  ENVIRONMENT  TIER  STATUS  KEY  NAME\n');
});

test('api and worker, apart, deliver a message, send to nothing of their own, and SIGTERM ends both with exit code 0', async () => {
  const key = (await runPosthorn(['keys', 'create', '--env', 'live'], variables)).output.trim();
  // For the worker this receiver is the API: where callers reach that is all it knows of it.
  const api = await startRole('api', /"port":\d+/);
  const worker = await startRole('worker', /worker is ready/, { PUBLIC_BASE_URL: taken.url });
  const port = /"port":(\d+)/.exec(api.output())?.[1] ?? '';
  const call = async (path: string, body?: object): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const create = async (path: string, body: object): Promise<{ id: string }> => {
    const answer = await call(path, body);
    expect(answer.status).toBeLessThan(300);
    // As every created resource.
    return answer.body as { id: string };
  };
  const channel = await create('/v1/channels', { name: 'orders' });
  await create('/v1/subscriptions', { channelId: channel.id, webhookUrl: receiver.url });
  const message = await create(`/v1/channels/${channel.id}/messages`, { eventType: 'order.created', payload: {} });
  await waitFor('the message to arrive', () => receiver.countOf(message.id) === 1);

  for (const own of [port, databaseUrl.port, temporalAddress.split(':')[1]]) {
    const webhookUrl = `http://127.0.0.1:${own}/`;
    expect(await call('/v1/subscriptions', { channelId: channel.id, webhookUrl })).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'webhookUrl', reason: expect.stringContaining('of this service') } } },
    });
  }
  const other = await create('/v1/channels', { name: 'loop' });
  const once = { webhookUrl: taken.url, retryPolicy: { maxRetries: 0 } };
  await create('/v1/subscriptions', { channelId: other.id, ...once });
  const refused = await create(`/v1/channels/${other.id}/messages`, { eventType: 'order.created', payload: {} });
  await waitFor('the delivery to fail', async () => {
    const { body } = await call(`/v1/dlq?channelId=${other.id}`);
    return JSON.stringify(body).includes('"class":"blocked_address"');
  });
  expect(taken.countOf(refused.id)).toBe(0);
  for (const { child } of [api, worker]) child.kill('SIGTERM');
  expect(await Promise.all([api.ended, worker.ended])).toEqual([0, 0]);
  // Regression: the log of a role that was told to end stopped as that of a killed one does.
  for (const role of [api, worker]) {
    expect(role.output()).toContain('stopped by SIGTERM: finishing accepted work before exiting');
    expect(role.output()).toMatch(/"durationMs":\d+,"msg":"finished all accepted work; exiting"/);
  }
}, 120_000);

test.each([
  ['api', 'DATABASE_URL', 'DATABASE_URL must be set'],
  ['api', 'ENCRYPTION_KEYS', 'ENCRYPTION_KEYS must be set'],
  ['worker', 'TEMPORAL_ADDRESS', 'TEMPORAL_ADDRESS must be set'],
  ['migrate', 'DATABASE_URL', 'DATABASE_URL must be set'],
])('%s without %s says so in one sentence', async (role, missing, sentence) => {
  const { exitCode, output, errors } = await runPosthorn([role], { ...variables, [missing]: '' });
  expect([exitCode, output]).toEqual([1, '']);
  expect(errors).toMatch(new RegExp(`^posthorn: ${sentence}[^\n]*\n$`));
});

// Regression: "listen EADDRINUSE: address already in use :::3000", which names no setting.
test.each(['api', 'start'])('%s says in one sentence that its PORT is taken', async (role) => {
  const stranger = createServer();
  const port = await new Promise<number>((resolve) =>
    // `as`: a server that listens on TCP has no other kind of address.
    stranger.listen(0, () => resolve((stranger.address() as AddressInfo).port)),
  );
  try {
    const { exitCode, errors } = await runPosthorn([role], { ...variables, PORT: String(port) });
    expect([exitCode, errors.split('\n')[0]]).toEqual([
      1,
      `posthorn: PORT: ${port} is in use by another program; stop that program, or set another port`,
    ]);
  } finally {
    stranger.close();
  }
});
