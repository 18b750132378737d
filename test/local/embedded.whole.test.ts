import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { type RunningChild, endOrphan, startChild, keepRunning } from '../../local/child.ts';
import { listeningPorts, choosePort, findFreePort, isPortFree } from '../../local/ports.ts';
import { startPostgres } from '../../local/postgres.ts';
import { identifyProcess, isRunning, takeLock, writeIdentity } from '../../local/process-identity.ts';
import { findTemporalBinary } from '../../local/temporal-binary.ts';
import { waitFor } from '../support/check/wait-for.ts';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-embedded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stopping = { stopSignal: 'SIGTERM', stopPatienceMs: 1_000 } as const;
const sleeper = (name: string, script = 'setTimeout(() => {}, 60_000)'): Promise<RunningChild> =>
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
      const start = (): Promise<RunningChild> => {
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
  const strangers: Server[] = [];
  const listen = async (port: number, host: string): Promise<void> => {
    const stranger = createServer();
    strangers.push(stranger);
    await new Promise<void>((resolve) => stranger.listen(port, host, resolve));
  };
  /** Others of this run take ports too: some behind the wanted one may be theirs. */
  const few = 10;
  /** The first of two ports side by side; both were free a moment ago. */
  const findTwo = async (): Promise<number> => {
    for (;;) {
      const port = await findFreePort();
      if (await isPortFree(port + 1)) return port;
    }
  };
  afterAll(() => {
    for (const stranger of strangers) stranger.close();
  });

  // Regression: any port between 20,000 and 32,000, which nobody looks for: 23225 where 3001 was free.
  test('a taken port gives way to the next free one, and says so', async () => {
    const taken = await findTwo();
    await listen(taken, '127.0.0.1');
    await listen(taken + 1, '127.0.0.1');
    const lines: string[] = [];
    const port = await choosePort('PostgreSQL', taken, (line) => lines.push(line));
    expect(port).toBeGreaterThan(taken + 1);
    expect(port).toBeLessThanOrEqual(taken + few);
    expect(lines).toEqual([`Port ${taken} is in use by another program; PostgreSQL listens on ${port} instead`]);
  });

  // Regression: only 127.0.0.1 was tried, and the API, which listens on every address, then failed at its start.
  test('a port that a program has on another address of this machine is not free for the API', async () => {
    const taken = await findTwo();
    await listen(taken, '127.0.0.2');
    expect([await isPortFree(taken), await isPortFree(taken, 'everywhere')]).toEqual([true, false]);
    expect(await choosePort('the API', taken, () => undefined, 'everywhere')).toBeGreaterThan(taken);
  });
});

test.each(['127.0.0.1', '0.0.0.0', '::'])(
  'the ports that a process listens on at %s are read, and no others',
  async (host) => {
    // The child takes free ports and says which: a try whether a given port is taken would hold that port for a moment.
    const child = await sleeper(
      `listener on ${host}`,
      `const { connect, createServer } = require('node:net');
     const { once } = require('node:events');
     const servers = [createServer(), createServer()];
     Promise.all(servers.map((server) => once(server.listen(0, '${host}'), 'listening'))).then(() => {
       const ports = servers.map((server) => server.address().port);
       // A connection has ports as well.
       connect(ports[1], '127.0.0.1').once('connect', () => console.log(JSON.stringify(ports)));
     });`,
    );
    const isTold = process.platform === 'linux';
    try {
      const ports = await waitFor('both to be listened on', () => {
        const [line, rest] = readFileSync(join(folder, `listener on ${host}.log`), 'utf8').split('\n');
        return rest === undefined ? undefined : (JSON.parse(line ?? '') as number[]);
      });
      expect(new Set(listeningPorts(child.pid))).toEqual(new Set(isTold ? ports : []));
    } finally {
      await child.stop();
    }
    expect(listeningPorts(child.pid)).toEqual([]);
  },
);

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

  // Regression: the new checkout made itself a password, found the folder of the old one, and ended: "is not the one … was made with".
  test('begins anew for a checkout that was removed and made again at the same path, and leaves the old one whole', async () => {
    const checkout = mkdtempSync(join(tmpdir(), 'posthorn-again-'));
    const lines: string[] = [];
    const own = {
      ...options,
      dataFolder: join(checkout, '.data'),
      onProgress: (line: string) => void lines.push(line),
    };
    const folderIn = (text: string[]): string | undefined =>
      text.map((line) => /stores its data in (\S+)/.exec(line)?.[1]).find((found) => found !== undefined);
    const start = async (): Promise<{ folder: string | undefined; tables: string[]; said: string }> => {
      const server = await startPostgres({ ...own, port: await findFreePort() });
      const said = lines.splice(0);
      let tables: string[] = [];
      await withClient(server.url, async (client) => {
        const { rows } = await client.query<{ name: string }>(
          `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
        );
        await client.query(`CREATE TABLE IF NOT EXISTS table_${rows.length} ()`);
        tables = rows.map(({ name }) => name);
      });
      await server.stop();
      return { folder: folderIn(said), tables, said: said.join('\n') };
    };
    const folders: string[] = [];
    try {
      // As under the home of root: PostgreSQL's user, which is another one only where this runs as root, cannot reach it.
      chmodSync(checkout, 0o700);
      const first = await start();
      rmSync(own.dataFolder, { recursive: true });
      const anew = await start();
      const again = await start();
      folders.push(...[first, anew].flatMap(({ folder: made }) => made ?? []));

      expect([first.tables, anew.tables, again.tables]).toEqual([[], [], ['table_0']]);
      expect(again.folder).toBe(anew.folder);
      const isSubstituted = process.getuid?.() === 0;
      expect(first.folder !== undefined).toBe(isSubstituted);
      if (isSubstituted) {
        expect(anew.folder).toBe(`${first.folder}-2`);
        expect(anew.said).toContain(`${first.folder} is the database of an earlier installation at this path`);
        expect(existsSync(join(first.folder ?? '', 'PG_VERSION'))).toBe(true);
      }
    } finally {
      for (const path of [checkout, ...folders]) rmSync(path, { recursive: true, force: true });
    }
  });

  test('whose password file was lost says which files to put back', async () => {
    rmSync(join(options.dataFolder, 'keys', 'postgres'));
    await expect(startPostgres({ ...options, port: await findFreePort() })).rejects.toThrow(
      /^The password in .* is not the one that .* was created with; restore the old file/,
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
      "import('./local/temporal-binary.ts').then(({ findTemporalBinary }) => findTemporalBinary({ cacheFolder: process.argv[1], onProgress: (line) => console.log(line) })).catch((failure) => console.log(failure.message))";
    const env = childEnvironment({
      PATH: '',
      HTTPS_PROXY: nowhere,
      HTTP_PROXY: nowhere,
      ALL_PROXY: nowhere,
      NO_PROXY: '',
    });
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script, join(folder, 'cache')], { env });
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
