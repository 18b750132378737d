import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { findFreePort } from '../../local/ports.ts';
import { runPosthorn, type StartedPosthorn, startPosthorn } from '../support/service/command-line.ts';
import { TEST_DATABASE_PREFIX } from '../support/service/database-names.ts';
import { currentRun } from '../support/service/run.ts';
import { waitFor } from '../support/check/wait-for.ts';

const { adminUrl, temporalAddress } = currentRun();
const admin = new pg.Client({ connectionString: adminUrl });
const name = `${TEST_DATABASE_PREFIX}waiting_${randomBytes(4).toString('hex')}`;
/** The URL of the test's database with one part changed. */
const urlWith = (part: Partial<Pick<URL, 'hostname' | 'port' | 'password' | 'pathname' | 'search'>>): string =>
  Object.assign(new URL(adminUrl), { pathname: `/${name}`, ...part }).href;
// A `start` of another file at the same time would have the lock of the folder that is the default.
const dataFolder = mkdtempSync(join(tmpdir(), 'posthorn-waiting-'));
const variables = {
  DATA_FOLDER: dataFolder,
  DATABASE_URL: urlWith({}),
  TEMPORAL_ADDRESS: temporalAddress,
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  PORT: '0',
};
const running: StartedPosthorn[] = [];
let closedPort: number;

beforeAll(async () => {
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  closedPort = await findFreePort();
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});
afterAll(async () => {
  await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
  await admin.end();
  rmSync(dataFolder, { recursive: true, force: true });
});

async function start(role: string, changed: Record<string, string>, ready: string | RegExp): Promise<StartedPosthorn> {
  const started = await startPosthorn(role, { ...variables, ...changed }, ready);
  running.push(started);
  return started;
}

// Regression: the API was "ready" and answered 500 to every call; the worker ended with "relation does not exist".
test('api and worker on a database without tables say what they wait for, take nothing, and go on by themselves after migrate', async () => {
  const reason = /The database lacks migration 0100_baseline and \d+ more of this release/;
  const advice =
    /the database lacks migration 0100_baseline and \d+ more of this release; run `posthorn migrate`; waiting for it/;
  const [api, worker] = await Promise.all([start('api', {}, advice), start('worker', {}, advice)]);
  const port = /"port":(\d+)/.exec(api.output())?.[1] ?? '';
  for (const path of ['/readyz', '/v1/channels']) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await answer.json()).toMatchObject({
      error: { code: 'UNAVAILABLE', message: expect.stringMatching(reason) },
    });
  }
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  expect(api.output() + worker.output()).not.toContain('is ready');
  expect((await runPosthorn(['migrate'], variables)).exitCode).toBe(0);
  await waitFor('the API to be ready', () => api.output().includes('the API is ready'));
  await waitFor('the worker to be ready', () => worker.output().includes('the worker is ready'));
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  for (const { child } of [api, worker]) child.kill('SIGTERM');
  expect(await Promise.all([api.ended, worker.ended])).toEqual([0, 0]);
}, 300_000);

// Regression: the log had "connect ECONNREFUSED" and no setting. Redis is no reason not to start: limits are counted per process.
test('the API on a Redis that is not there is ready and names REDIS_URL once', async () => {
  const api = await start('api', { REDIS_URL: `redis://:secret@127.0.0.1:${closedPort}` }, 'the API is ready');
  const sentence = `REDIS_URL: Redis at 127.0.0.1:${closedPort} cannot be used: nothing listens there`;
  await waitFor('the sentence', () => api.output().includes(sentence));
  expect(api.output().split(sentence)).toHaveLength(2);
  expect(api.output()).not.toContain('secret');
});

type Fault<Sentence> = [role: string, setting: string, wrong: () => string, sentence: Sentence];

describe('a fault that time can mend', () => {
  // Regression: ECONNREFUSED, getaddrinfo ENOTFOUND and tonic::transport::Error, which name no setting, and an end.
  test.each<Fault<RegExp>>([
    ['api', 'DATABASE_URL', () => urlWith({ port: String(closedPort) }), /DATABASE_URL: 127\.0\.0\.1:\d+ is not there/],
    [
      'worker',
      'DATABASE_URL',
      () => urlWith({ hostname: 'nowhere.invalid' }),
      /DATABASE_URL: nowhere\.invalid:\d+ names a host/,
    ],
    [
      'start',
      'DATABASE_URL',
      () => urlWith({ port: String(closedPort) }),
      /DATABASE_URL: 127\.0\.0\.1:\d+ is not there/,
    ],
    [
      'worker',
      'TEMPORAL_ADDRESS',
      () => `127.0.0.1:${closedPort}`,
      /TEMPORAL_ADDRESS: nothing listens at 127\.0\.0\.1:\d+/,
    ],
    ['worker', 'TEMPORAL_ADDRESS', () => 'nowhere.invalid:7233', /TEMPORAL_ADDRESS: the host of nowhere\.invalid:7233/],
    [
      'start',
      'TEMPORAL_ADDRESS',
      () => `127.0.0.1:${closedPort}`,
      /TEMPORAL_ADDRESS: nothing listens at 127\.0\.0\.1:\d+/,
    ],
  ])(
    '%s names %s and waits, until it is stopped',
    async (role, setting, value, sentence) => {
      const waiting = await start(role, { [setting]: value() }, sentence);
      expect(waiting.output()).toContain('waiting for it');
      expect(waiting.output()).not.toMatch(/is ready/);
      waiting.child.kill('SIGTERM');
      expect(await waiting.ended).toBe(0);
    },
    150_000,
  );
});

describe('a fault that only another setting can mend', () => {
  // Regression: the raw message of the library, or, in the API, none: it came up and answered nothing but 503.
  test.each<Fault<string>>([
    ['api', 'DATABASE_URL', () => urlWith({ password: 'wrong' }), 'rejects the user name or the password'],
    ['worker', 'DATABASE_URL', () => urlWith({ pathname: '/no_such' }), 'has no database with that name'],
    ['migrate', 'DATABASE_URL', () => urlWith({ password: 'wrong' }), 'rejects the user name or the password'],
    ['keys list', 'DATABASE_URL', () => urlWith({ pathname: '/no_such' }), 'has no database with that name'],
    ['start', 'DATABASE_URL', () => urlWith({ search: '?sslmode=verify-full' }), 'does not offer TLS'],
    ['migrate', 'DATABASE_URL', () => urlWith({ port: String(closedPort) }), 'is not running: nothing listens there'],
    ['worker', 'TEMPORAL_TLS', () => 'true', `TEMPORAL_TLS: ${temporalAddress} does not use TLS`],
    [
      'worker',
      'TEMPORAL_API_KEY',
      () => 'key',
      `TEMPORAL_API_KEY: it implies TLS, which ${temporalAddress} does not use`,
    ],
  ])(
    'ends %s with one sentence that names %s',
    async (role, setting, value, sentence) => {
      const { exitCode, errors } = await runPosthorn(role.split(' '), { ...variables, [setting]: value() });
      expect([exitCode, errors.split('\n')[0]]).toEqual([1, expect.stringContaining(sentence)]);
      expect(errors).toMatch(new RegExp(`^posthorn: ${setting}: `));
      expect(errors).not.toMatch(/wrong|tonic.*tonic/);
    },
    150_000,
  );
});
