import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/platform/config/config.ts';
import type { RunningChild } from '../../../local/child.ts';
import { findFreePort } from '../../../local/ports.ts';
import { startPostgres } from '../../../local/postgres.ts';
import { startTemporal } from '../../../local/temporal.ts';

/** A server for a single test file, which it may kill: it comes back at the same address with the same data. */
export type OwnServer = {
  /** Kills it: PostgreSQL like `pg_ctl stop -m immediate`, Temporal like `kill -9`. */
  crash(): Promise<void>;
  /** Starts it again after a crash. */
  restart(): Promise<void>;
  /** Suspends it, like a machine that hangs: connections stay open and nothing responds. */
  freeze(): void;
  /** Ends a freeze. */
  thaw(): void;
};

export type OwnTemporal = OwnServer & {
  address: string;
  /** Deletes its whole store. Only after a crash. */
  lose(): void;
};

/** Its folder contains `postgres/`, the data, and `keys/`, its password. */
export type OwnPostgres = OwnServer & { url: string; folder: string; stop(): Promise<void> };

// The test's own pool, plus 30 for each of four processes.
const MAX_CONNECTIONS = 200;

/** Creates a data folder that PostgreSQL's user can access. */
export function makeDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-faults-'));
  chmodSync(folder, 0o711);
  return folder;
}

/** Starts a Temporal server for this file, with an empty store. `dynamicValues`: its dynamic configuration. */
export async function startOwnTemporal(
  dataFolder: string,
  { dynamicValues = [] }: { dynamicValues?: readonly string[] } = {},
): Promise<OwnTemporal & { stop(): Promise<void> }> {
  const port = await findFreePort();
  const start = () =>
    startTemporal({
      dataFolder,
      port,
      namespace: 'default',
      temporalCli: readConfig().temporalCli,
      dynamicValues,
      onProgress: () => undefined,
    });
  const { child, ...server } = await restartable(start, 'SIGKILL');
  return {
    ...server,
    address: `127.0.0.1:${port}`,
    lose() {
      for (const suffix of ['', '-wal', '-shm']) rmSync(join(dataFolder, `temporal.db${suffix}`), { force: true });
    },
    stop: () => child().stop(),
  };
}

/** Starts a PostgreSQL for this file with an empty database; durable, because it gets killed. */
export async function startOwnPostgres(dataFolder: string): Promise<OwnPostgres> {
  const port = await findFreePort();
  const start = () =>
    startPostgres({
      dataFolder,
      port,
      maxConnections: MAX_CONNECTIONS,
      database: 'posthorn',
      onProgress: () => undefined,
    });
  const { child, ...server } = await restartable(start, 'SIGQUIT');
  return { ...server, url: child().url, folder: dataFolder, stop: () => child().stop() };
}

async function restartable<T extends RunningChild & { port: number }>(
  start: () => Promise<T>,
  killSignal: NodeJS.Signals,
) {
  let isExpected = false;
  const watched = async (): Promise<T> => {
    const started = await start();
    isExpected = false;
    void started.ended.then((reason) => {
      if (isExpected) return;
      process.stderr.write(`Ended by itself and is started again: ${reason}\n`);
      restart().catch((failure: unknown) => process.stderr.write(`${String(failure)}\n`));
    });
    return {
      ...started,
      stop: () => {
        isExpected = true;
        return started.stop();
      },
    };
  };
  const restart = async (): Promise<void> => {
    current = await watched();
    if (current.port !== port) throw new Error(`Port ${port} was taken by another program meanwhile`);
  };
  let current = await watched();
  const { port } = current;
  return {
    child: () => current,
    async crash() {
      isExpected = true;
      process.kill(current.pid, killSignal);
      await current.ended;
    },
    restart,
    freeze: () => void process.kill(current.pid, 'SIGSTOP'),
    thaw: () => void process.kill(current.pid, 'SIGCONT'),
  };
}
