import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { writeRunningState } from '../../src/process/roles/serving/running-state.ts';
import { setUp } from '../support/make/people.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { blockWith, codeBlocksOf, ROOT } from './code-blocks.ts';
import { runScript } from './shell.ts';

const PAGE = 'docs/operations.md';
const blocks = codeBlocksOf(PAGE).filter(({ language }) => language !== 'sql');
const isSettings = (text: string): boolean =>
  text
    .trimEnd()
    .split('\n')
    .every((line) => /^[A-Z_]+=/.test(line));
const settings = blocks.filter(({ language, text }) => language === 'text' && isSettings(text));

const THIS = 'test/docs/operations-examples.test.ts';
const OPERATIONS = 'test/docs/operations.test.ts';
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

let posthorn: TestPosthorn;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-examples-'));
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(async () => {
  await posthorn.stop();
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
