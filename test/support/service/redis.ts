import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { findFreePort } from '../../../local/ports.ts';
import { waitFor } from '../check/wait-for.ts';
import { describeWith } from './describe-with.ts';

/** A Redis for one test, which may stop, freeze and start it again. */
export type TestRedis = {
  url: string;
  /** Stops it immediately, like a crash. */
  kill(): Promise<void>;
  /** Starts it again at the same address, empty. */
  restart(): Promise<void>;
  /** Suspends it, and resumes it. */
  freeze(): void;
  thaw(): void;
};

/** Returns why there is no Redis to test with, or undefined if there is one. */
function missingRedis(): string | undefined {
  const { error } = spawnSync('redis-server', ['--version']);
  return error === undefined ? undefined : 'redis-server is not on the PATH (Debian: apt-get install redis-server)';
}

/** Tests that need a Redis, which is optional. */
export const describeWithRedis = (title: string, tests: () => void): void => describeWith(missingRedis(), title, tests);

/** Starts redis-server on a free loopback port, without persistence. */
export async function startRedis(): Promise<TestRedis> {
  const missing = missingRedis();
  if (missing !== undefined) throw new Error(missing);
  const port = await findFreePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess = await start(port, url);
  return {
    url,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async restart() {
      child = await start(port, url);
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

async function start(port: number, url: string): Promise<ChildProcess> {
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    { stdio: 'ignore' },
  );
  const probe = new Redis(url, { retryStrategy: () => 50 });
  probe.on('error', () => undefined);
  await waitFor('redis-server to answer', async () => (await probe.ping()) === 'PONG');
  probe.disconnect();
  return child;
}
