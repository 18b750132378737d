import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe } from '@jest/globals';
import { Redis } from 'ioredis';
import { findFreePort } from '../../../local/ports.ts';
import { waitFor } from '../check/wait-for.ts';

/** A Redis of the test's own, which it may stop, freeze and start again. */
export type TestRedis = {
  url: string;
  /** Stops it at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again at the same address, empty. */
  restart(): Promise<void>;
  /** Lets it hang, and go on. */
  freeze(): void;
  thaw(): void;
};

/** Why there is no Redis to test with; undefined when there is one. */
function missingRedis(): string | undefined {
  const { error } = spawnSync('redis-server', ['--version']);
  return error === undefined ? undefined : 'redis-server is not on the PATH (Debian: apt-get install redis-server)';
}

/**
 * Tests that need a Redis. Redis is optional and `npm test` must pass on a machine that has only Node: there they do not run, and
 * say so. Where CI is set, which has it, its absence is a failure.
 */
export function describeWithRedis(title: string, tests: () => void): void {
  const missing = missingRedis();
  const mayRun = missing === undefined || process.env['CI'] !== undefined;
  if (!mayRun) process.stderr.write(`\n*** DID NOT RUN: ${title}: ${missing}\n\n`);
  // oxlint-disable-next-line jest/no-disabled-tests -- the one thing tested here that npm ci does not bring; it says so above
  const suite = mayRun ? describe : describe.skip;
  suite(title, tests);
}

/** Starts redis-server on a free port of loopback, without a file on disk. */
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
