import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { type FirstProcess, startFirstProcess } from '../support/service/first-process.ts';
import { endAllProcesses, prepareService, type Settings, startWorkerProcess } from '../support/service/processes.ts';
import { childrenOf } from '../support/service/service-processes.ts';
import { createTestTemporal } from '../support/service/temporal.ts';

// Connections of callers that one process takes: a quarter of its open files.
const BOUND = 60;
let database: TestDatabase;
let settings: Settings;
let api: FirstProcess | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
  const { address } = createTestTemporal();
  ({ settings } = await prepareService(database.url, address));
  settings = { ...settings, TEMPORAL_NAMESPACE: 'several', PROCESSES: '2' };
});
afterAll(async () => {
  api?.kill('SIGKILL');
  await endAllProcesses();
  await database.drop();
}, 60_000);

type Line = { pid: number; process?: number; msg: string };

const linesOf = (output: string): Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    // `as`: as src/platform/log.ts writes them.
    .map((line) => JSON.parse(line) as Line);

/** The command below `unshare`, or the command itself where the system lets us make no process namespace. */
function commandOf(pid: number): number {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,comm='], { encoding: 'utf8' }).split('\n');
  const words = lines.map((line) => line.trim().split(/\s+/));
  const isUnshare = words.some(([own, , name]) => Number(own) === pid && name === 'unshare');
  return isUnshare ? Number(words.find(([, parent]) => Number(parent) === pid)?.[0]) : pid;
}

test('api as the first process of a container: both processes log their number, share any port, and SIGTERM drains both', async () => {
  const started = startFirstProcess(['api'], { ...settings, PORT: '0', LOG_LEVEL: 'info' }, { openFiles: 4 * BOUND });
  api = started;
  await waitFor('both to be ready', () => started.output().includes('all processes of the api are ready'), 150_000);
  const ready = linesOf(started.output()).filter(({ msg }) => msg === 'the API is ready');
  expect(new Set(ready.map((line) => line.process))).toEqual(new Set([1, 2]));
  expect(new Set(ready.map(({ pid }) => pid)).size).toBe(2);
  const ports = new Set(started.output().match(/"port":\d+/g));
  expect(ports.size).toBe(1);
  const url = `http://127.0.0.1:${/\d+/.exec([...ports][0] ?? '')?.[0]}`;
  expect((await fetch(`${url}/v1/channels`)).status).toBe(401);

  // Regression: a process that had its fill of connections passed a further one on to the next, which did the same, for ever.
  const sockets = Array.from({ length: 2 * BOUND + 5 }, () => connect(Number(new URL(url).port), '127.0.0.1').resume());
  let closed = 0;
  for (const socket of sockets) socket.on('close', () => (closed += 1)).on('error', () => undefined);
  await waitFor('those beyond the bound to be closed', () => closed >= 5);
  for (const socket of sockets) socket.destroy();
  await waitFor('room for callers', async () => (await fetch(`${url}/healthz`).catch(() => undefined))?.status === 200);

  process.kill(commandOf(started.pid), 'SIGTERM');
  expect(await started.ended).toBe(0);
}, 200_000);

test('five deaths within a minute, each before the process was ready, end a worker with a sentence; the other process has drained before', async () => {
  const worker = await startWorkerProcess(settings);
  const [stays = 0, dies = 0] = childrenOf(worker.pid);
  process.kill(dies, 'SIGKILL');
  for (let deaths = 1; deaths <= 5; deaths += 1) {
    const [next = 0] = await waitFor('another process', () => {
      const others = childrenOf(worker.pid).filter((pid) => pid !== stays);
      const hasBeenTold = worker.output().split('; restarting it').length > deaths;
      return hasBeenTold && others.length === 1 && others;
    });
    process.kill(next, 'SIGKILL');
  }
  await waitFor('the worker to end', () => worker.hasEnded(), 100_000);
  expect((await worker.end('SIGTERM')).exitCode).toBe(1);
  expect(worker.output()).toMatch(
    /process \d of 2 ended \(SIGKILL\) before it was ready, the fifth within a minute; stopping/,
  );
  const { rows } = await database.pool.query('SELECT id FROM incarnations WHERE expires_at > now()');
  // A drained process has given its lease back.
  expect(rows).toEqual([]);
}, 300_000);

test.each([
  ['api', 'ENCRYPTION_KEYS', 'ENCRYPTION_KEYS must be set'],
  ['worker', 'TEMPORAL_ADDRESS', 'TEMPORAL_ADDRESS must be set'],
])(
  '%s without %s ends with one sentence and starts nothing again',
  async (role, missing, sentence) => {
    const { exitCode, output, errors } = await runPosthorn([role], { ...settings, [missing]: '' });
    expect([exitCode, output]).toEqual([1, '']);
    expect(errors).toMatch(new RegExp(`^posthorn: ${sentence}[^\n]*\n$`));
  },
  100_000,
);
