import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { childEnvironment } from '../../src/config.ts';
import { type Child, endOrphan, startChild } from '../../src/embedded/child.ts';
import { keepRunning } from '../../src/embedded/keep-running.ts';
import { choosePort, findFreePort } from '../../src/embedded/ports.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { identifyProcess, isRunning, takeLock, writeIdentity } from '../../src/embedded/process-identity.ts';
import { findTemporalBinary } from '../../src/embedded/temporal-binary.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-embedded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stopping = { stopSignal: 'SIGTERM', stopPatienceMs: 1_000 } as const;
const sleeper = (name: string, script = 'setTimeout(() => {}, 60_000)'): Promise<Child> =>
  startChild({
    ...stopping,
    name,
    command: process.execPath,
    args: ['-e', script],
    logPath: join(folder, `${name}.log`),
    identityPath: join(folder, `${name}.json`),
    environment: childEnvironment(),
  });

describe('processes', () => {
  test('an orphan is ended, but a stranger that got its number is left alone', async () => {
    const orphan = await sleeper('orphan');
    expect(await endOrphan({ ...stopping, identityPath: join(folder, 'orphan.json') })).toBe(true);
    expect(await orphan.ended).toContain('SIGTERM');
    const stranger = await sleeper('stranger');
    writeIdentity(join(folder, 'old.json'), { pid: stranger.pid, bornAt: 'long ago' });
    expect(await endOrphan({ ...stopping, identityPath: join(folder, 'old.json') })).toBe(false);
    expect(stranger.hasEnded()).toBe(false);
    await stranger.stop();
  });

  test('a child that ignores the stop signal is killed when its patience is over', async () => {
    const stubborn = await sleeper('stubborn', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)");
    await stubborn.stop();
    expect(await stubborn.ended).toMatch(/SIG(KILL|TERM)/);
  });

  test('a lock is refused while its holder runs and free once it is dead', async () => {
    const path = join(folder, 'lock');
    const holder = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
    const identity = identifyProcess(holder.pid ?? 0);
    if (identity === undefined) throw new Error('the holder cannot be identified');
    writeIdentity(path, identity);
    expect(takeLock(path)).toEqual(identity);
    const gone = new Promise((resolve) => holder.once('exit', resolve));
    holder.kill('SIGKILL');
    await gone;
    expect(isRunning(identity)).toBe(false);
    const unlock = takeLock(path);
    expect(typeof unlock).toBe('function');
    if (typeof unlock === 'function') unlock();
  });

  test('a lock file that a crash has cut off is nobody’s', () => {
    writeFileSync(join(folder, 'cut'), '{"pid":');
    expect(typeof takeLock(join(folder, 'cut'))).toBe('function');
  });

  test('a child that keeps dying is started again five times and then given up', async () => {
    let starts = 0;
    const reason = await new Promise<string>((resolve, reject) => {
      const start = (): Promise<Child> => {
        starts += 1;
        return sleeper('dying', '');
      };
      keepRunning({ start, onProgress: () => undefined, onGivenUp: resolve }).catch(reject);
    });
    expect(starts).toBe(6);
    expect(reason).toBe('dying ended (exit code 0), for the 6th time within a minute');
  });
});

describe('ports', () => {
  let stranger: Server;
  let taken: number;
  beforeAll(async () => {
    taken = await findFreePort();
    stranger = createServer();
    await new Promise<void>((resolve) => stranger.listen(taken, '127.0.0.1', resolve));
  });
  afterAll(() => {
    stranger.close();
  });

  test('a taken port gives way to a free one, and says so', async () => {
    const lines: string[] = [];
    const port = await choosePort('PostgreSQL', taken, (line) => lines.push(line));
    expect(port).not.toBe(taken);
    expect(lines).toEqual([`Port ${taken} is taken by another program: PostgreSQL listens on ${port}`]);
  });
});

describe('PostgreSQL', () => {
  const options = {
    dataFolder: join(folder, 'data'),
    maxConnections: 20,
    database: 'posthorn',
    onProgress: () => undefined,
  };

  test('is durable, thinks in UTC, wants its password, and keeps what it has over a restart', async () => {
    const first = await startPostgres({ ...options, port: await findFreePort() });
    await withClient(first.url, async (client) => {
      const { rows } = await client.query(
        "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit, current_setting('timezone') AS zone",
      );
      expect(rows).toEqual([{ fsync: 'on', commit: 'on', zone: 'UTC' }]);
      await client.query('CREATE TABLE kept AS SELECT 1 AS number');
    });
    const wrong = new URL(first.url);
    wrong.password = 'wrong';
    await expect(withClient(wrong.href, async () => undefined)).rejects.toMatchObject({ code: '28P01' });
    await first.stop();
    const second = await startPostgres({ ...options, port: await findFreePort() });
    await withClient(second.url, async (client) =>
      expect((await client.query('SELECT number FROM kept')).rows).toEqual([{ number: 1 }]),
    );
    await second.stop();
  });

  test('whose password file was lost says which files to put back', async () => {
    rmSync(join(options.dataFolder, 'keys', 'postgres'));
    await expect(startPostgres({ ...options, port: await findFreePort() })).rejects.toThrow(
      /^The password in .* is not the one .* was made with: put the old file back/,
    );
  });
});

describe('the Temporal server', () => {
  test('TEMPORAL_CLI that is another program is refused', async () => {
    await expect(findTemporalBinary({ temporalCli: process.execPath, onProgress: () => undefined })).rejects.toThrow(
      `TEMPORAL_CLI names ${process.execPath}, which is not the temporal command line tool`,
    );
  });

  test('that cannot be had in any way ends with one error that names every way', async () => {
    // In a process of its own: nothing on the PATH, an empty cache, and a proxy that nobody listens behind.
    const nowhere = `http://127.0.0.1:${await findFreePort()}`;
    const script =
      "import('./src/embedded/temporal-binary.ts').then(({ findTemporalBinary }) => findTemporalBinary({ cacheFolder: process.argv[1], onProgress: (line) => console.log(line) })).catch((failure) => console.log(failure.message))";
    const env = childEnvironment({
      PATH: '',
      HTTPS_PROXY: nowhere,
      HTTP_PROXY: nowhere,
      ALL_PROXY: nowhere,
      NO_PROXY: '',
    });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '-e', script, join(folder, 'cache')],
      { env },
    );
    for (const way of [
      'TEMPORAL_ADDRESS',
      'TEMPORAL_CLI',
      'on the PATH',
      'the official download failed',
      'go install github.com/temporalio/cli/cmd/temporal@v1.5.1 (go is not on the PATH)',
    ])
      expect(stdout).toContain(way);
  }, 60_000);
});

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
