import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { childEnvironment, readConfig } from '../../src/platform/config/config.ts';
import { SEARCH_ATTRIBUTES } from '../../src/kernel/contract/temporal-names.ts';
import { createOutages } from '../../src/platform/outages.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { prepareService, type Settings } from '../support/service/processes.ts';
import { createTestTemporal } from '../support/service/temporal.ts';
import { blockWith, ROOT } from './code-blocks.ts';

const page = (name: string): string => `docs/operate/${name}.md`;
const LOGS = 'docs/reference/logs.md';

test('the command of the page about Temporal creates a key that the codec accepts', () => {
  const script = blockWith(page('temporal'), 'node -p').replace(/^node /, `'${process.execPath}' `);
  const key = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim();
  expect(() => readConfig({ TEMPORAL_CODEC_KEYS: key })).not.toThrow();
  expect(() => readConfig({ TEMPORAL_CODEC_KEYS: key.slice(0, -8) })).toThrow();
});

test('the command of the page about Temporal adds every search attribute of the code as Keyword, and no other', () => {
  const added = blockWith(page('temporal'), 'search-attribute create').matchAll(/--type Keyword --name (\w+)/g);
  expect(Array.from(added, ([, name = '']) => name).toSorted()).toEqual([...SEARCH_ATTRIBUTES].toSorted());
});

test('every recipe of docs/reference/logs.md finds its lines in a file, and no others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-docs-logs-'));
  const common = { pid: 1, host: 'vm', version: '0.9.0' };
  const ids = { deliveryId: 'dlv_01m8b3efdwe008vqmx1r3n8fhg' };
  const lines = [
    { level: 'info', ...ids, msg: 'delivered' },
    { level: 'error', ...common, msg: 'broken' },
    { level: 'warn', ...ids, msg: 'late' },
    { level: 'warn', deliveryId: 'dlv_2', msg: 'late' },
  ];
  writeFileSync(join(folder, 'posthorn.log'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const run = (words: string): string[] =>
    execFileSync('bash', ['-c', blockWith(LOGS, words)], { cwd: folder, encoding: 'utf8' })
      .trimEnd()
      .split('\n');
  expect(run('"error" or')).toEqual([JSON.stringify({ level: 'error', msg: 'broken' })]);
  expect(run('.deliveryId')).toEqual([lines[0], lines[2]].map((line) => JSON.stringify(line)));
  expect(run('uniq -c').map((line) => line.trim())).toEqual(['2 late']);
  rmSync(folder, { recursive: true });
});

test('the lines of docs/reference/logs.md about an outage are those that a process writes', async () => {
  const shown = blockWith(LOGS, 'suppressedLines')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { server: string; msg: string; outageMs?: number; suppressedLines?: number });
  const [, , last] = shown;
  const told: { server: unknown; outageMs?: unknown; msg: string }[] = [];
  let [now, isThere, asked] = [0, false, 0];
  const outages = createOutages(
    ({ server, outageMs }, msg) => told.push({ server, ...(outageMs !== undefined && { outageMs }), msg }),
    () => now,
    { askEveryMs: 1, askAgainMs: 1, settlesMs: 0, tellEveryMs: 60_000 },
  );
  outages.watch('PostgreSQL', {
    ask: () => {
      asked += 1;
      return isThere ? Promise.resolve() : Promise.reject(new Error('nothing listens'));
    },
    explain: () =>
      'DATABASE_URL: db:5432 is not running: nothing listens there; start PostgreSQL, or correct host and port',
    meanwhile: 'nothing is claimed, and results wait to be recorded',
  });
  const untilTold = (count: number): Promise<boolean> => waitFor(`line ${count}`, () => told.length >= count);
  await untilTold(1);
  now = shown[1]?.outageMs ?? 0;
  await untilTold(2);
  const before = asked;
  now = last?.outageMs ?? 0;
  isThere = true;
  await waitFor('an answer', () => asked > before);
  await untilTold(3);
  outages.stop();
  expect(told).toEqual(
    shown.map(({ server, outageMs, msg }) => ({ server, ...(outageMs !== undefined && { outageMs }), msg })),
  );
});

test('the script of the page about deployment makes each secret, and leaves alone what is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-docs-secrets-'));
  cpSync(join(ROOT, 'deploy/compose'), join(folder, 'deploy/compose'), { recursive: true });
  const script = blockWith(page('deployment'), 'sh deploy/compose/make-secrets.sh');
  const make = (): Record<string, string> => {
    expect(spawnSync('bash', ['-ec', script], { cwd: folder }).status).toBe(0);
    const names = readdirSync(join(folder, 'secrets'));
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, 'secrets', name), 'utf8')]));
  };
  const made = make();
  expect(Object.keys(made)).toEqual(expect.arrayContaining(['database_url', 'encryption_keys', 'redis_url']));
  expect(Object.entries(made).filter(([, secret]) => secret.trim() === '')).toEqual([]);
  expect(make()).toEqual(made);
  rmSync(folder, { recursive: true });
});

let database: TestDatabase;
let settings: Settings;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ settings } = await prepareService(database.url, createTestTemporal().address));
});
afterAll(() => database.drop());

test('the commands that the page about deployment gives to the container of the API make a key and the link of the first administrator', () => {
  const exec = 'docker compose exec api node dist/src/main.js ';
  const lines = blockWith(page('deployment'), 'docker compose exec api').trimEnd().split('\n');
  const printed = lines
    .filter((line) => line.startsWith(exec))
    .map((line) => {
      const words = line.slice(exec.length).split(' ');
      const env = childEnvironment({ ...settings, PUBLIC_BASE_URL: 'https://posthorn.example.com' });
      const main = join(ROOT, 'dist/src/main.js');
      return execFileSync(process.execPath, [main, ...words], { cwd: ROOT, env, encoding: 'utf8' });
    });
  expect(printed).toEqual([
    expect.stringMatching(/svc_test_\w+/),
    expect.stringMatching(/https:\/\/posthorn\.example\.com\/\S+/),
  ]);
});

test('posthorn doctor prints the lines of the page about troubleshooting where no worker runs', async () => {
  const { output } = await runPosthorn(['doctor'], {
    ...settings,
    PUBLIC_BASE_URL: 'https://posthorn.example.com',
    TRUSTED_PROXY_HOPS: '',
  });
  for (const line of blockWith(page('troubleshooting'), 'ok    database').trimEnd().split('\n')) {
    const words = line.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    expect(output).toMatch(new RegExp(`^${words.replaceAll(/\d+/g, String.raw`\d+`).replace('…', '.*')}$`, 'm'));
  }
});
