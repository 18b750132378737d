import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Connection } from '@temporalio/client';
import { childEnvironment } from '../src/platform/config/config.ts';
import { type RunningChild, type ChildOptions, endOrphan, startChild, waitUntilHealthy } from './child.ts';
import { listeningPorts, choosePort, findFreePort, whilePortsAreTaken } from './ports.ts';
import { findTemporalBinary } from './temporal-binary.ts';
import { promises as timers } from 'node:timers';

export type EmbeddedTemporalOptions = {
  /** Contains `temporal.db` and `state/`. */
  dataFolder: string;
  /** Used if it is free, otherwise another one. */
  port: number;
  /** The port of the Web UI, chosen the same way; without it there is no UI. */
  uiPort?: number;
  namespace: string;
  temporalCli?: string | undefined;
  /** Further dynamic configuration of the server, each as `key=value`. */
  dynamicValues?: readonly string[];
  onProgress: (line: string) => void;
  /** Called once a child process does the work (the server or its download); from then on the event loop may be busy. */
  onChildRunning?: () => void;
};

export type EmbeddedTemporal = RunningChild & {
  readonly address: string;
  readonly port: number;
  readonly uiUrl?: string;
  /**
   * All ports that it listens on: gRPC, the HTTP API, metrics and the Web UI. On Linux also the ports between its own parts, which
   * differ at each start.
   */
  readonly ports: readonly number[];
};

// Timeout in ms: 1.5 s is usual, but the first start creates the database, and a long history is read again.
const READY_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 10_000;
/** Timeout of one request while waiting, in ms; the next one follows at once. */
const ANSWER_PATIENCE_MS = 1_000;
const STOP_SIGNAL = 'SIGTERM';
// Codes of Temporal's API: a task queue of this type and a workflow that do not exist, and the gRPC status of that response.
const NOTHING = 'posthorn-is-anyone-there';
const WORKFLOW_TASKS = 1;
const NOT_FOUND = 5;

/**
 * Starts Temporal's development server on 127.0.0.1 with its store in `<dataFolder>/temporal.db`, and waits until the namespace
 * responds. Ends a server that an earlier, killed start left running, and kills this one if its store breaks. Throws one sentence that
 * names the remedy.
 */
export const startTemporal = (options: EmbeddedTemporalOptions): Promise<EmbeddedTemporal> =>
  whilePortsAreTaken(() => startOnce(options), options.onProgress);

async function startOnce(options: EmbeddedTemporalOptions): Promise<EmbeddedTemporal> {
  const { namespace, onProgress } = options;
  const dataFolder = resolve(options.dataFolder);
  const stateFolder = join(dataFolder, 'state');
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const stopping = {
    identityPath: join(stateFolder, 'temporal.pid.json'),
    stopSignal: STOP_SIGNAL,
    stopPatienceMs: STOP_PATIENCE_MS,
  } as const;
  if (await endOrphan(stopping)) onProgress('Ended the Temporal server that an earlier start had left running');
  const command = await findTemporalBinary(options);
  const port = await choosePort('Temporal', options.port, onProgress);
  const uiPort =
    options.uiPort === undefined ? undefined : await choosePort("Temporal's Web UI", options.uiPort, onProgress);
  // The server would use random ports for these two, which only Linux reports afterwards. Its HTTP API needs no credentials.
  const httpPort = await findFreePort();
  const metricsPort = await findFreePort();
  const address = `127.0.0.1:${port}`;
  const store = join(dataFolder, 'temporal.db');
  const childOptions: ChildOptions = {
    ...stopping,
    name: 'Temporal',
    command,
    args: [
      'server',
      'start-dev',
      '--ip',
      '127.0.0.1',
      '--port',
      String(port),
      '--http-port',
      String(httpPort),
      '--metrics-port',
      String(metricsPort),
      '--namespace',
      namespace,
      '--db-filename',
      store,
      ...tuning,
      ...(options.dynamicValues ?? []).flatMap((value) => ['--dynamic-config-value', value]),
      ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ],
    logPath: join(stateFolder, 'temporal.log'),
    environment: childEnvironment(),
  };
  const child = await startChild(childOptions);
  options.onChildRunning?.();
  await waitUntilHealthy(child, childOptions, READY_PATIENCE_MS, () => answers(address, namespace));
  // The server makes these files readable for everybody on this machine; they name subscriptions and their failures.
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(store + suffix)) chmodSync(store + suffix, 0o600);
  endWithBrokenStore(child, { address, onProgress });
  const chosen = [port, httpPort, metricsPort, ...(uiPort === undefined ? [] : [uiPort])];
  // Ready means that each part responds to the others, so all of them listen.
  const ports = [...new Set([...chosen, ...listeningPorts(child.pid)])];
  return { ...child, address, port, ports, ...(uiPort !== undefined && { uiUrl: `http://127.0.0.1:${uiPort}` }) };
}

// wal and normal: a commit is one write without a flush. Killing the server loses nothing. A power failure may lose the last moments,
// but PostgreSQL is the record. One partition instead of four: with a single worker, the others would only be polled.
const tuning = [
  ...['journal_mode=wal', 'synchronous=normal'].flatMap((pragma) => ['--sqlite-pragma', pragma]),
  ...[
    'matching.numTaskqueueReadPartitions=1',
    'matching.numTaskqueueWritePartitions=1',
    // The server checks for due timers up to this long after their time, 1 s by default. All retry delays below a second would then
    // take a second (measured: 100 ms took 1.0 s, with this setting 0.12 s).
    'history.timerProcessorMaxTimeShift="10ms"',
  ].flatMap((value) => ['--dynamic-config-value', value]),
  '--log-level',
  'warn',
  '--log-format',
  'json',
];

async function answers(address: string, namespace: string): Promise<boolean> {
  const connection = askingOnce(address);
  try {
    await connection.withDeadline(Date.now() + ANSWER_PATIENCE_MS, () => askAllParts(connection, namespace));
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** The frontend responds before the parts behind it do: matching, which distributes tasks, and history, which stores workflows. */
async function askAllParts({ workflowService }: Connection, namespace: string): Promise<void> {
  await workflowService.describeNamespace({ namespace });
  await workflowService.describeTaskQueue({ namespace, taskQueue: { name: NOTHING }, taskQueueType: WORKFLOW_TASKS });
  await workflowService.describeWorkflowExecution({ namespace, execution: { workflowId: NOTHING } }).catch((error) => {
    if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return;
    throw error;
  });
}

// Timeout of one check, in ms. It is long, because a call that its caller gives up is what breaks the store.
const LOOK_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 2_000;
// One failed read may be a coincidence; a broken store rejects all.
const REFUSED_LOOKS = 3;
// The gRPC status of a server that cannot read its store. A server that hangs or is starting has other ones.
const INTERNAL = 13;

/**
 * A connection without retries. The SDK's own interceptor repeats a rejected call for half a minute, even after its connection was
 * closed, and a process that has nothing else to do waits for that. Lazy, because a connection that cannot be opened would stay behind
 * unclosed.
 */
const askingOnce = (address: string): Connection => Connection.lazy({ address, interceptors: [] });

/**
 * Kills a Temporal development server whose SQLite store rejects every statement ("interrupted (9)"), so that it is restarted: it
 * responds, but starts nothing and never recovers. The SQLite driver of server 1.29 leaves a statement open if a caller gives up at the
 * moment of the reply, and SQLite keeps an interruption while any statement is open. Nothing committed is lost. Checks every 2 s until
 * the server ends.
 */
function endWithBrokenStore(
  { pid, hasEnded, ended }: Pick<RunningChild, 'pid' | 'hasEnded' | 'ended'>,
  { address, onProgress }: { address: string; onProgress: (line: string) => void },
): void {
  const connection = askingOnce(address);
  const over = new AbortController();
  void ended.then(() => over.abort());
  const pause = (): Promise<void> =>
    timers.setTimeout(LOOK_EVERY_MS, undefined, { signal: over.signal, ref: false }).catch(() => undefined);

  const watch = async (): Promise<void> => {
    for (let refused = 0; refused < REFUSED_LOOKS; ) {
      await pause();
      if (hasEnded()) return;
      refused = (await refusesReads(connection)) ? refused + 1 : 0;
    }
    if (hasEnded()) return;
    onProgress("Temporal's store refuses every read (a fault of its SQLite driver)");
    process.kill(pid, 'SIGKILL');
  };
  void watch().finally(() => void connection.close());
}

/** Listing Nexus endpoints reads the store. Other calls hide its failure behind half a minute of retries. */
async function refusesReads(connection: Connection): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + LOOK_WITHIN_MS, () =>
      connection.operatorService.listNexusEndpoints({ pageSize: 1 }),
    );
    return false;
  } catch (failure) {
    return failure instanceof Error && 'code' in failure && failure.code === INTERNAL;
  }
}
