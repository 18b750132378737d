import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { type FirstProcess, startFirstProcess } from '../support/service/first-process.ts';
import { createTestTemporal } from '../support/service/temporal.ts';
import { waitFor } from '../support/check/wait-for.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'posthorn-signals-'));
// Starting from source takes a while on a machine that is busy otherwise.
const PATIENCE_MS = 120_000;
let database: TestDatabase;
let running: FirstProcess | undefined;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => running?.kill('SIGKILL'));
afterAll(async () => {
  await database.drop();
  rmSync(dataFolder, { recursive: true, force: true });
});

const encryptionKeys = `k1:${randomBytes(32).toString('base64')}`;

const variables = (): Record<string, string> => ({
  DATABASE_URL: database.url,
  TEMPORAL_ADDRESS: createTestTemporal().address,
  ENCRYPTION_KEYS: encryptionKeys,
  DATA_FOLDER: dataFolder,
  PORT: '0',
});

async function endOf(started: FirstProcess, name: string): Promise<number | null> {
  running = started;
  let end: { code: number | null } | undefined;
  void started.ended.then((code) => {
    end = { code };
  });
  await waitFor(`${name} to end`, () => end !== undefined, PATIENCE_MS).catch((failure: unknown) => {
    throw new Error(`${String(failure)}\n${started.output()}`);
  });
  return end?.code ?? null;
}

// Regression: nothing listened for signals until every module of the role was loaded, and `keys` never did; Node's own
// default is lost on the first process of a container, so that it was killed at the end of its grace period.
test.each<[command: string, processes: string, stopAt: string, ends: number[]]>([
  ['start', '1', '/node_modules/commander/', [0, 143]],
  ['api', '1', '/node_modules/commander/', [0, 143]],
  ['api', '1', '/node_modules/koa/', [0, 143]],
  ['worker', '1', '/node_modules/@temporalio/worker/', [0, 143]],
  ['keys list', '1', '/src/platform/db/client.', [143]],
  // The first process is a supervisor, and what it runs is loaded by its service processes.
  ['api', '3', '/src/process/supervisor/supervise.', [0]],
  ['start', '3', '/node_modules/koa/', [0]],
  ['api', '3', '/node_modules/koa/', [0]],
  ['worker', '3', '/node_modules/@temporalio/worker/', [0]],
])(
  '%s in %s processes, the first of a container, stops on a SIGTERM that comes while %s is loaded',
  async (command, processes, stopAt, ends) => {
    const started = startFirstProcess(command.split(' '), { ...variables(), PROCESSES: processes }, { stopAt });
    // The modules of a role may load within one turn of the event loop: the role has begun then, and ends as after any stop.
    expect(ends).toContain(await endOf(started, command));
    expect(started.output()).not.toContain('; restarting it');
  },
  150_000,
);

// systemd tells every process of a unit to end, and a service process that still loads is gone at once.
test.each([
  ['api', '/node_modules/koa/'],
  ['worker', '/node_modules/@temporalio/worker/'],
])(
  '%s starts no process again when its supervisor and its processes are all told to end while %s is loaded',
  async (command, stopAt) => {
    const several = { ...variables(), PROCESSES: '3' };
    const started = startFirstProcess([command], several, { stopAt, isForAll: true });
    expect(await endOf(started, command)).toBe(0);
    expect(started.output()).not.toContain('; restarting it');
  },
  150_000,
);
