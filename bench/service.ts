import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../local/ports.ts';
import { nowMs } from './clock.ts';

/** DELIVERY_BURST_THRESHOLD by the name it is shown under: one Temporal workflow each, as delivered, all drained. */
export const MODES = { strict: 'off', default: '', drain: '0' } as const;
export type Mode = keyof typeof MODES;
export const MODE_NAMES: readonly Mode[] = ['strict', 'default', 'drain'];

/** The Node program and the built `main.js` that make a service. */
export type Program = { node: string; main: string };

export type ServiceOptions = {
  databaseUrl: string;
  temporalAddress: string;
  encryptionKeys: string;
  /** Working directory, data folder and log; holds the authority of the receivers with TLS. */
  folder: string;
  mode: Mode;
  /** Default 1, whatever the machine has. */
  processes?: number;
  /** By default what is built here, with the Node of this process. */
  program?: Program;
  /** Further settings. */
  variables?: Readonly<Record<string, string>>;
  /** Opens the inspector, for profiles. */
  isInspected?: boolean;
};

/** A running `posthorn start` in a process of its own. */
export type Service = {
  readonly pid: number;
  readonly url: string;
  /** From spawning to ready, ms. */
  readonly readyAfterMs: number;
  /** Printed at the first start on a database only. */
  readonly key: string | undefined;
  /** The same, of the test environment: another tenant. */
  readonly testKey: string | undefined;
  readonly inspectorUrl: string | undefined;
  stop(): Promise<void>;
  /** As a crash does: SIGKILL. */
  kill(): Promise<void>;
};

/** The certificate in PEM that the service trusts beside the well-known authorities. */
export const AUTHORITY_FILE = 'authority.pem';

export const OWN_PROGRAM: Program = {
  node: process.execPath,
  main: fileURLToPath(new URL('../dist/src/main.js', import.meta.url)),
};
const READY_PATIENCE_MS = 60_000;
const STOP_PATIENCE_MS = 60_000;

/** Starts the build with the addresses given, and waits until it is ready. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const startedAt = nowMs();
  const port = await findFreePort();
  const logPath = join(options.folder, `service-${options.mode}.log`);
  const log = openSync(logPath, 'w');
  const { node, main } = options.program ?? OWN_PROGRAM;
  const isOwn = main === OWN_PROGRAM.main;
  const child = spawn(node, [...(options.isInspected ? ['--inspect=127.0.0.1:0'] : []), main, 'start'], {
    // A .env of the checkout must not decide here.
    cwd: options.folder,
    stdio: ['ignore', log, log],
    detached: true,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      // As bin/launch.js does.
      ...(isOwn && { MALLOC_ARENA_MAX: '2' }),
      PORT: String(port),
      DATA_FOLDER: options.folder,
      DATABASE_URL: options.databaseUrl,
      TEMPORAL_ADDRESS: options.temporalAddress,
      ENCRYPTION_KEYS: options.encryptionKeys,
      ALLOW_HTTP_WEBHOOKS: 'true',
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: join(options.folder, AUTHORITY_FILE),
      LOG_LEVEL: 'warn',
      DELIVERY_BURST_THRESHOLD: MODES[options.mode],
      PROCESSES: String(options.processes ?? 1),
      ...options.variables,
    },
  });
  closeSync(log);
  // The service ends with the benchmark, however that ends.
  process.once('exit', () => child.kill('SIGKILL'));
  const said = (): string => readFileSync(logPath, 'utf8');
  while (!said().includes('Posthorn is ready')) {
    if (hasEnded(child)) throw new Error(`The service did not start:\n${said()}`);
    if (nowMs() - startedAt > READY_PATIENCE_MS) {
      await end(child, 'SIGKILL');
      throw new Error(`The service was not ready after ${READY_PATIENCE_MS / 1_000} s:\n${said()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    readyAfterMs: nowMs() - startedAt,
    key: /^ {2}live {2}(\S+)$/m.exec(said())?.[1],
    testKey: /^ {2}test {2}(\S+)$/m.exec(said())?.[1],
    inspectorUrl: /ws:\/\/\S+/.exec(said())?.[0],
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  return new Promise((resolve) => {
    if (hasEnded(child)) return resolve();
    const patience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
    child.once('exit', () => {
      clearTimeout(patience);
      resolve();
    });
    child.kill(signal);
  });
}
