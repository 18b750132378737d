import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { createDatabase } from '../../../src/platform/db/client.ts';
import { createPool } from '../../../src/platform/db/connection.ts';
import { createTenants } from '../../../src/platform/db/tenants.ts';
import { findFreePort } from '../../../local/ports.ts';
import { ensureEnvironments } from '../../../src/process/seed.ts';
import { createLog } from '../../../src/platform/log.ts';
import { createNewId } from '../../../src/platform/new-id.ts';
import { BUILT } from './ensure-built.ts';
import { PATIENT } from './patience.ts';
import { waitFor } from '../check/wait-for.ts';
import { TEST_THRESHOLD } from './threshold.ts';
import { apiKeysOf } from '../make/credential-services.ts';

/** How a process ended, and how many ms after the signal. */
type Ending = { exitCode: number | null; signal: NodeJS.Signals | null; afterMs: number };

/** A command that runs as a separate process. */
export type PosthornProcess = {
  pid: number;
  /** Everything it has written to standard output and error so far. */
  output(): string;
  hasEnded(): boolean;
  /** Sends a signal and waits until the process is gone. SIGKILL is `kill -9`. Safe to call again. */
  end(signal: NodeJS.Signals): Promise<Ending>;
};

export type ApiProcess = PosthornProcess & { url: string; port: number };

/** Settings that the roles share, as environment variables. */
export type Settings = Readonly<Record<string, string>>;

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
// A command is ready after 1 to 3 s; on a machine that runs fifteen other programs, after more than a minute.
const READY_WITHIN_MS = 150_000;

/**
 * Service processes for each command that a test file starts: one, whatever the machine has, so that a file costs the same everywhere.
 * docs/contributing/testing.md says when to set it.
 */
export const TEST_PROCESSES = process.env['POSTHORN_TEST_PROCESSES'] ?? '1';

const running = new Set<PosthornProcess>();
const ofThisFile: { role: string; started: PosthornProcess }[] = [];
// Enough to show the cause of a failure, and few enough to read.
const LINES_SHOWN = 25;

/** Returns the last warnings and errors of this test file's processes, and whether they still run: for a test that has failed. */
export const describeProcesses = (): string =>
  ofThisFile
    .map(({ role, started: { pid, output, hasEnded } }) => {
      // A line that is not JSON comes from a crash.
      const complaints = output()
        .split('\n')
        .filter((line) => line !== '' && !/^\{"level":"(trace|debug|info)"/.test(line));
      return [`${role} ${pid} ${hasEnded() ? 'has ended' : 'runs'}`, ...complaints.slice(-LINES_SHOWN)].join('\n  ');
    })
    .join('\n');

/** Returns unexpected exits of a command, and of each service process that its supervisor has replaced, as sentences. */
export const deathsOf = ({ pid, output, hasEnded }: PosthornProcess): string[] => [
  ...(hasEnded() ? [`process ${pid} has ended`] : []),
  ...(output().match(/process \d+ of \d+ ended \([^"]*(?=; restarting it)/g) ?? []),
];

/** Ends the processes that a test has left running. */
export async function endAllProcesses(): Promise<void> {
  await Promise.all([...running].map((each) => each.end('SIGKILL')));
}

/** Creates the organisation and a live API key in a migrated, empty database. Returns the key and the settings for `api` and `worker`. */
export async function prepareService(
  databaseUrl: string,
  temporalAddress: string,
): Promise<{ key: string; settings: Settings }> {
  const db = createDatabase(databaseUrl, PATIENT);
  const pool = createPool(databaseUrl, { max: 1, ...PATIENT });
  const tenants = createTenants({ db, pool }, PATIENT);
  try {
    const deps = { db, tenants, newId: createNewId(Date.now), clock: () => new Date(), log: createLog('silent') };
    await ensureEnvironments(deps);
    const { key } = await apiKeysOf(deps).operator.create({
      environment: 'live',
      name: 'Faults',
      tier: 'enterprise',
      limits: { batchPerMinute: 100_000 },
    });
    return {
      key,
      settings: {
        DATABASE_URL: databaseUrl,
        TEMPORAL_ADDRESS: temporalAddress,
        ENCRYPTION_KEYS: `faults:${randomBytes(32).toString('base64')}`,
        ALLOW_HTTP_WEBHOOKS: 'true',
        WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
        LOG_LEVEL: 'info',
        DELIVERY_BURST_THRESHOLD: TEST_THRESHOLD,
      },
    };
  } finally {
    await Promise.all([db.$disconnect(), pool.end()]);
  }
}

/** `posthorn api`, ready when /readyz says so. With `port` it starts where an earlier one was. */
export const startApiProcess = (settings: Settings, port?: number): Promise<ApiProcess> =>
  onPort(port, async (chosen) => {
    const started = spawnRole('api', { ...settings, PORT: String(chosen) });
    const url = `http://127.0.0.1:${chosen}`;
    await untilReady(started, 'the API', () => isReady(url));
    return { ...started, url, port: chosen };
  });

const PORTS_TRIED = 3;

/** Starts on `port`, or on a free one: on another if a server of a concurrent test file took that one meanwhile. */
async function onPort(port: number | undefined, start: (port: number) => Promise<ApiProcess>): Promise<ApiProcess> {
  if (port !== undefined) return start(port);
  for (let left = PORTS_TRIED; ; left -= 1) {
    try {
      return await start(await findFreePort());
    } catch (failure) {
      if (left === 1 || !String(failure).includes('is in use by another program')) throw failure;
    }
  }
}

/** `posthorn worker`, ready when its log says so. */
export async function startWorkerProcess(settings: Settings): Promise<PosthornProcess> {
  const started = spawnRole('worker', settings);
  const isAlone = (settings['PROCESSES'] ?? TEST_PROCESSES) === '1';
  const line = isAlone ? 'the worker is ready' : 'all processes of the worker are ready';
  await untilReady(started, 'the worker', () => started.output().includes(line));
  return started;
}

/** `posthorn start` with embedded servers in that data folder, ready when it has printed its addresses and responds. */
export const startWholeProcess = (dataFolder: string, port: number, further: Settings = {}): Promise<ApiProcess> =>
  startService(
    {
      // An empty value counts as not set: the settings of the test run are not for this process.
      DATABASE_URL: '',
      TEMPORAL_ADDRESS: '',
      ENCRYPTION_KEYS: '',
      REDIS_URL: '',
      DATA_FOLDER: dataFolder,
      ...further,
    },
    port,
  );

/** `posthorn start` with the servers of the settings. */
export const startService = (settings: Settings, chosen?: number): Promise<ApiProcess> =>
  onPort(chosen, async (port) => {
    const started = spawnRole('start', { ...settings, PORT: String(port) });
    const url = `http://127.0.0.1:${port}`;
    await untilReady(
      started,
      'posthorn start',
      async () => started.output().includes('Posthorn is ready') && (await isReady(url)),
    );
    return { ...started, url, port };
  });

function spawnRole(role: string, settings: Settings): PosthornProcess {
  // A single process, without npx or a shell in between, so that a signal reaches the command itself.
  const child = spawn(process.execPath, [BUILT.main, role], {
    cwd: ROOT,
    env: childEnvironment({ PROCESSES: TEST_PROCESSES, ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid === undefined) throw new Error(`posthorn ${role} could not be started`);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = endOf(child);
  const started: PosthornProcess = {
    pid: child.pid,
    output: () => output,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async end(signal) {
      const from = performance.now();
      if (!started.hasEnded()) child.kill(signal);
      return { ...(await ended), afterMs: performance.now() - from };
    },
  };
  running.add(started);
  ofThisFile.push({ role, started });
  void ended.then(() => running.delete(started));
  return started;
}

const endOf = (child: ChildProcess): Promise<Omit<Ending, 'afterMs'>> =>
  new Promise((resolve) => {
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });

async function untilReady(
  started: PosthornProcess,
  name: string,
  look: () => boolean | Promise<boolean>,
): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    if (started.hasEnded()) throw new Error(`${name} ended while starting:\n${started.output()}`);
    return look();
  };
  await waitFor(`${name} to be ready`, isThere, READY_WITHIN_MS).catch((failure: unknown) => {
    throw new Error(`${String(failure)}\n${started.output()}`);
  });
}

/** All of its service processes. */
const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    async (answer) => {
      // `as`: as src/api/http/health.ts describes it.
      const { processes = [] } = (await answer.json()) as { processes?: { state: string }[] };
      return answer.ok && processes.every(({ state }) => state === 'running');
    },
    () => false,
  );
