import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import {
  type ApiProcess,
  endAllProcesses,
  type PosthornProcess,
  prepareService,
  startApiProcess,
  type Settings,
  startWorkerProcess,
} from '../support/service/processes.ts';
import { currentRun } from '../support/service/run.ts';
import { startTcpProxy, type TcpProxy } from '../support/service/tcp-proxy.ts';

const NAMESPACE = 'outages';

type Line = Record<string, unknown> & { level: string; msg: string; server?: string };

let database: TestDatabase;
let postgres: TcpProxy;
let temporal: TcpProxy;
let api: ApiProcess;
let variables: Settings;
let worker: PosthornProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  postgres = await startTcpProxy(database.url);
  temporal = await startTcpProxy(`http://${currentRun().temporalAddress}`);
  const { settings } = await prepareService(database.url, new URL(temporal.url).host);
  variables = { ...settings, DATABASE_URL: postgres.url, TEMPORAL_NAMESPACE: NAMESPACE, PROCESSES: '1' };
  [api, worker] = await Promise.all([startApiProcess(variables), startWorkerProcess(variables)]);
}, 400_000);
afterAll(async () => {
  await endAllProcesses();
  await Promise.all([postgres?.stop(), temporal?.stop()]);
  await database?.drop();
});

/** Lines of the process behind the first `from` characters of its output. */
const linesOf = (started: PosthornProcess, from = 0): Line[] =>
  started
    .output()
    .slice(from)
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    // `as`: each line of the log is such an object.
    .map((line) => JSON.parse(line) as Line);
/**
 * Lines about that server or with an error. A busy machine has others: an event loop that was late, or another server that gave no
 * answer for 3 s.
 */
const complaintsOf = (server: string, lines: readonly Line[]): string[] =>
  lines
    .filter(({ level }) => level === 'warn' || level === 'error')
    .filter((line) => (line.server === undefined ? 'err' in line || 'error' in line : line.server === server))
    .map(({ msg }) => msg);

/** Takes the server away until each process has told it, and for a while longer. Returns what each process has written. */
async function outageOf(
  server: string,
  proxy: TcpProxy,
  processes: readonly PosthornProcess[],
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<Line[][]> {
  const from = processes.map((each) => each.output().length);
  const written = (): Line[][] => processes.map((each, index) => linesOf(each, from[index]));
  const haveTold = (what: RegExp) => (): boolean =>
    written().every((lines) => lines.some(({ msg, server: of }) => of === server && what.test(msg)));
  await proxy.cut();
  await waitFor(`the absence of ${server} to be told`, haveTold(/ is unavailable: /));
  await meanwhile();
  // The loops of a worker rest a second after each failure: without the outage each of them complains here.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  await proxy.mend();
  await waitFor(`the return of ${server} to be told`, haveTold(/ is available again after /), 120_000);
  return written();
}

/** A pass of the reconciler, as its schedule begins one each minute. Its tries end before a short outage does. */
async function failToReconcile(): Promise<void> {
  const connection = await Connection.connect({ address: currentRun().temporalAddress });
  const { workflow } = new Client({ connection, namespace: NAMESPACE });
  const pass = { workflowId: 'reconcile/in-an-outage', taskQueue: TASK_QUEUE };
  await expect(workflow.execute(WORKFLOW_TYPES.reconcileDeliveries, pass)).rejects.toThrow('execution failed');
  await connection.close();
}

test('posthorn doctor finds no fault in a deployment of an API and a worker', async () => {
  const settings = { ...variables, PORT: String(api.port), PUBLIC_BASE_URL: api.url };
  const { exitCode, output } = await runPosthorn(['doctor'], settings);
  expect(output).toContain('0 faults');
  expect(exitCode).toBe(0);
  for (const check of ['workers', 'taskQueue', 'port', 'publicBaseUrl'])
    expect(output).toMatch(new RegExp(`^ok +${check} `, 'm'));
}, 400_000);

// Regression: 97 lines of a worker in 20 s, of five loops that each say the same, and not one of an API without calls.
test('while PostgreSQL is away an idle API and a busy worker write two lines each: where it was, what follows, how long', async () => {
  const [ofApi = [], ofWorker = []] = await outageOf('PostgreSQL', postgres, [api, worker], failToReconcile);
  const begin = (meanwhile: string) =>
    expect.stringMatching(
      new RegExp(`^PostgreSQL is unavailable: DATABASE_URL: 127\\.0\\.0\\.1:\\d+ .+; ${meanwhile}$`),
    );
  const end = expect.stringMatching(/^PostgreSQL is available again after \d+(\.\d)? s; this process uses it again$/);
  expect(complaintsOf('PostgreSQL', ofApi)).toEqual([begin('calls are answered with 503'), end]);
  const meanwhile = 'nothing is claimed, and results wait to be recorded';
  expect(complaintsOf('PostgreSQL', ofWorker)).toEqual([begin(meanwhile), end]);
  expect(
    ofWorker.at(-1)?.['suppressedLines'] ?? ofWorker.find(({ msg }) => msg.includes('back'))?.['suppressedLines'],
  ).toBeGreaterThan(0);
}, 400_000);

// Regression: 101 lines in 20 s, among them "gRPC call poll_activity_task_queue retried 7 times".
test('while Temporal is away a worker writes two lines, and an API none', async () => {
  const from = api.output().length;
  const [ofWorker = []] = await outageOf('Temporal', temporal, [worker]);
  expect(complaintsOf('Temporal', ofWorker)).toEqual([
    expect.stringMatching(
      /^Temporal is unavailable: TEMPORAL_ADDRESS: .+; deliveries wait in PostgreSQL and publishing continues$/,
    ),
    expect.stringMatching(/^Temporal is available again after \d+(\.\d)? s; this process uses it again$/),
  ]);
  expect(complaintsOf('Temporal', linesOf(api, from))).toEqual([]);
}, 400_000);

test('every line says which process of which role on which host has written it, and no error in it is empty', () => {
  for (const [started, role] of [
    [api, 'api'],
    [worker, 'worker'],
  ] as const) {
    const lines = linesOf(started);
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines)
      expect(line).toMatchObject({
        pid: started.pid,
        role,
        host: expect.any(String),
        version: expect.stringMatching(/^\d/),
      });
    expect(started.output()).not.toMatch(/"(err|error)":\{\}/);
  }
});
