import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { childEnvironment, readConfig } from '../../src/platform/config/config.ts';
import { SEARCH_ATTRIBUTES } from '../../src/kernel/contract/temporal-names.ts';
import { createOutages } from '../../src/platform/outages/outages.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { prepareService, type Settings } from '../support/service/processes.ts';
import { createTestTemporal } from '../support/service/temporal.ts';
import { blockWith, codeBlocksOf, ROOT } from './code-blocks.ts';

const PAGES = ['backup', 'temporal', 'logs', 'troubleshooting', 'upgrading', 'deployment'].map(
  (name) => `docs/${name}.md`,
);
const THIS = 'test/docs/operator-commands.whole.test.ts';
const RECOVERY = 'test/topology/recovery/archived-postgres.ts';
const CHART = 'test/deploy/chart/render.test.ts';

/** Words of each block of commands, settings or output, with the file that runs or checks it, and the words by which that file finds it. */
const TRIED: Readonly<Record<string, readonly [file: string, words: string]>> = {
  'archive_command =': [RECOVERY, 'archive_mode'],
  'pg_basebackup -D': [RECOVERY, 'pg_basebackup -D'],
  'recovery_target_time =': [RECOVERY, 'recovery_target_time'],
  'touch /restored/recovery.signal': [RECOVERY, 'recovery.signal'],
  'pg_dump -Fc': [RECOVERY, 'pg_dump -Fc'],
  'node -p': [THIS, 'node -p'],
  'grep -h': [THIS, 'grep -h'],
  '"linesLeftOut":297': [THIS, 'linesLeftOut'],
  'ok    database': [THIS, 'ok    database'],
  'sh deploy/compose/make-secrets.sh': [THIS, 'sh deploy/compose/make-secrets.sh'],
  'docker compose exec api': [THIS, 'docker compose exec api'],
  'TEMPORAL_ADDRESS=orders.a1b2c.tmprl.cloud': ['test/deploy/compose.test.ts', 'tmprl.cloud'],
  'image: { repository:': [CHART, 'image: { repository:'],
  'helm template posthorn': [CHART, 'helm template posthorn'],
  'temporal operator search-attribute create': [THIS, 'search-attribute create'],
};

/** Commands that no test runs, by their first words. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'docker compose up':
    'no Docker engine where the tests run; npm run image replays the Dockerfile and reads the file by compose-go',
  'kubectl create namespace': 'no cluster of Kubernetes where the tests run',
  'kubectl --namespace': 'no cluster of Kubernetes where the tests run',
  'helm upgrade --install': 'no cluster of Kubernetes where the tests run; it renders what helm template does',
  'helm test': 'no cluster of Kubernetes where the tests run',
};

const blocks = PAGES.flatMap((page) => codeBlocksOf(page)).filter(({ language }) => language !== 'sql');

test('every block of these pages is run or checked by a test that names it, or all of its commands have a reason not to be', () => {
  const unknown = blocks.filter(({ text }) => {
    if (Object.keys(TRIED).some((words) => text.includes(words))) return false;
    const commands = text.split('\n').filter((line) => /^\S/.test(line));
    return !commands.every((line) => Object.keys(NOT_RUN).some((words) => line.startsWith(words)));
  });
  expect(unknown.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  const isThere = (words: string): boolean => blocks.some(({ text }) => text.includes(words));
  expect([...Object.keys(TRIED), ...Object.keys(NOT_RUN)].filter((words) => !isThere(words))).toEqual([]);
  for (const [file, words] of Object.values(TRIED)) expect(readFileSync(join(ROOT, file), 'utf8')).toContain(words);
});

test('the command of docs/temporal.md makes a key that the codec takes', () => {
  const script = blockWith('docs/temporal.md', 'node -p').replace(/^node /, `'${process.execPath}' `);
  const key = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim();
  expect(() => readConfig({ TEMPORAL_CODEC_KEYS: key })).not.toThrow();
  expect(() => readConfig({ TEMPORAL_CODEC_KEYS: key.slice(0, -8) })).toThrow();
});

test('the command of docs/temporal.md adds every search attribute of the code as Keyword, and no other', () => {
  const added = blockWith('docs/temporal.md', 'search-attribute create').matchAll(/--type Keyword --name (\w+)/g);
  expect(Array.from(added, ([, name = '']) => name).toSorted()).toEqual([...SEARCH_ATTRIBUTES].toSorted());
});

test('the command of docs/logs.md finds the lines of deliveries in a file, and no others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-docs-logs-'));
  const of = (deliveryId: string): string => JSON.stringify({ level: 'info', deliveryId, msg: 'delivered' });
  const lines = [of('dlv_1'), JSON.stringify({ level: 'info', msg: 'ready' }), of('dlv_2'), of('dlv_3'), of('dlv_4')];
  writeFileSync(join(folder, 'posthorn.log'), `${lines.join('\n')}\n`);
  const found = execFileSync('bash', ['-c', blockWith('docs/logs.md', 'grep -h')], { cwd: folder, encoding: 'utf8' });
  expect(found.trimEnd().split('\n')).toEqual([of('dlv_1'), of('dlv_2'), of('dlv_3')]);
  rmSync(folder, { recursive: true });
});

test('the lines of docs/reference/logs.md about an outage are those that a process writes', async () => {
  const shown = blockWith('docs/reference/logs.md', 'linesLeftOut')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { server: string; msg: string; awayMs?: number; linesLeftOut?: number });
  const [, , last] = shown;
  const told: { server: unknown; awayMs?: unknown; msg: string }[] = [];
  let [now, isThere, asked] = [0, false, 0];
  const outages = createOutages(
    ({ server, awayMs }, msg) => told.push({ server, ...(awayMs !== undefined && { awayMs }), msg }),
    () => now,
    { askEveryMs: 1, askAgainMs: 1, settlesMs: 0, tellEveryMs: 60_000 },
  );
  outages.watch('PostgreSQL', {
    ask: () => {
      asked += 1;
      return isThere ? Promise.resolve() : Promise.reject(new Error('nothing listens'));
    },
    explain: () => 'DATABASE_URL: db:5432 is not there: nothing listens; start PostgreSQL, or correct host and port',
    meanwhile: 'nothing is claimed, and results wait to be recorded',
  });
  const untilTold = (count: number): Promise<boolean> => waitFor(`line ${count}`, () => told.length >= count);
  await untilTold(1);
  now = shown[1]?.awayMs ?? 0;
  await untilTold(2);
  const before = asked;
  now = last?.awayMs ?? 0;
  isThere = true;
  await waitFor('an answer', () => asked > before);
  await untilTold(3);
  outages.stop();
  expect(told).toEqual(
    shown.map(({ server, awayMs, msg }) => ({ server, ...(awayMs !== undefined && { awayMs }), msg })),
  );
});

test('the script of docs/deployment.md makes each secret, and leaves alone what is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-docs-secrets-'));
  cpSync(join(ROOT, 'deploy/compose'), join(folder, 'deploy/compose'), { recursive: true });
  const script = blockWith('docs/deployment.md', 'sh deploy/compose/make-secrets.sh');
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

test('the commands that docs/deployment.md gives to the container of the API make a key and the link of the first administrator', () => {
  const exec = 'docker compose exec api node dist/src/main.js ';
  const lines = blockWith('docs/deployment.md', 'docker compose exec api').trimEnd().split('\n');
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

test('posthorn doctor says the lines of docs/troubleshooting.md where no worker runs', async () => {
  const { output } = await runPosthorn(['doctor'], {
    ...settings,
    PUBLIC_BASE_URL: 'https://posthorn.example.com',
    TRUSTED_PROXY_HOPS: '',
  });
  for (const line of blockWith('docs/troubleshooting.md', 'ok    database').trimEnd().split('\n')) {
    const words = line.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    expect(output).toMatch(new RegExp(`^${words.replaceAll(/\d+/g, String.raw`\d+`).replace('…', '.*')}$`, 'm'));
  }
});

/** The test that shows for each of the fifteen symptoms how its query, metric or command settles it: the file, and words of its title. */
const SETTLED: Readonly<Record<number, readonly [file: string, words: string]>> = {
  1: [THIS, 'says the lines of docs/troubleshooting.md where no worker runs'],
  2: ['test/docs/examples.whole.test.ts', 'the statement about late deliveries shows a delivery that is due'],
  3: ['test/docs/troubleshooting.whole.test.ts', 'the statement about a subscription that gets nothing shows'],
  4: ['test/docs/troubleshooting.whole.test.ts', 'the statement about dead letters shows'],
  5: ['test/readiness/readiness.test.ts', 'that is read-only is not ready, and callers are told why nothing is stored'],
  6: [
    'test/process/several-processes.whole.test.ts',
    'a limit holds for all of them together, and the headers count down',
  ],
  7: ['test/docs/troubleshooting.whole.test.ts', 'posthorn keys list shows'],
  8: ['test/docs/troubleshooting.whole.test.ts', 'the statement about a message twice shows'],
  9: ['test/process/doctor.test.ts', 'with another time is at fault when it is a minute off'],
  10: ['test/docs/examples.whole.test.ts', 'names the transactions that hold streams back, and no others'],
  11: ['test/docs/troubleshooting.whole.test.ts', 'the statement about a growing disk shows'],
  12: ['test/docs/troubleshooting.whole.test.ts', 'the statement about waiting statements shows'],
  13: ['test/automations/inbound-webhooks.test.ts', 'for its signature is INVALID_REQUEST, stands in the log'],
  14: ['test/docs/troubleshooting.whole.test.ts', 'the statement about runs that do not begin shows'],
  15: ['test/process/doctor.test.ts', 'the command looks at all of them that the settings name'],
};

test('each of the fifteen symptoms has a test that shows how it is settled', () => {
  expect(Object.keys(SETTLED)).toHaveLength(15);
  for (const [file, words] of Object.values(SETTLED)) {
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(words);
  }
});
