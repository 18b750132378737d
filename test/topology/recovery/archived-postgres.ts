import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type RunningChild, type ChildOptions, startChild, waitUntilHealthy } from '../../../local/child.ts';
import { findFreePort } from '../../../local/ports.ts';
import { choosePostgresUser } from '../../../local/postgres-user.ts';
import { blockWith } from '../../docs/code-blocks.ts';
import { replaceAll } from '../../docs/shell.ts';
import { waitFor } from '../../support/check/wait-for.ts';
import type { OwnPostgres } from '../../support/service/own-servers.ts';
import { ProgramUnavailable } from '../../support/service/unavailable.ts';

/** Debian's PostgreSQL with an archive of its log. Settings and commands are those of the page, as they stand there. */
const PAGE = 'docs/operate/backup.md';

export type ArchivedPostgres = OwnPostgres & {
  /** Version of Debian's package, such as '15'. */
  version: string;
  /** Takes a base backup beside what goes on, and checks it against its manifest. */
  takeBaseBackup(): Promise<void>;
  /** Loses the disk of the server, which has ended; the base backup and the archive stay. */
  loseData(): void;
  /** Begins on a copy of the base backup and goes on by the archive until that time; returns once it takes writes. */
  restoreTo(time: string): Promise<void>;
  /** Dumps the database and restores the dump into one of another name; returns its URL. */
  copyByDump(): Promise<string>;
};

const PROGRAMS = 'initdb postgres pg_ctl pg_basebackup pg_verifybackup psql pg_dump createdb pg_restore'.split(' ');
const PACKAGES = '/usr/lib/postgresql/*/bin';
const SUPERUSER = 'postgres';
// The docs say 60 s for a server that is used; a test would wait for it.
const ARCHIVE_TIMEOUT_SECONDS = 3;
// Recovery reads some segments of 16 MB and writes a checkpoint, on a machine that does ten other things as well.
const READY_PATIENCE_MS = 120_000;
const STOP_PATIENCE_MS = 30_000;

const execute = promisify(execFile);

/** Folder of Debian's newest PostgreSQL that has every program. Throws with a sentence where there is none. */
export function findDebianPostgres(): { version: string; folder: string } {
  const versionOf = (folder: string): number => Number(folder.split('/').at(-2));
  const found = globSync(PACKAGES)
    .filter((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))))
    .toSorted((one, other) => versionOf(other) - versionOf(one));
  const [folder] = found;
  if (folder === undefined)
    throw new ProgramUnavailable(
      `A base backup needs PostgreSQL's own programs, and ${PACKAGES} has none of them (Debian: apt-get install postgresql)`,
    );
  return { version: String(versionOf(folder)), folder };
}

/** Starts it on new data in `parent`, with an empty database `posthorn`. */
export async function startArchivedPostgres(parent: string): Promise<ArchivedPostgres> {
  const { version, folder: programs } = findDebianPostgres();
  const folder = join(parent, 'archived-postgres');
  const user = choosePostgresUser(folder);
  const [data, base, wal] = ['data', 'base', 'wal'].map((name) => join(folder, name)) as [string, string, string];
  for (const each of [folder, wal]) {
    mkdirSync(each, { mode: 0o700 });
    if (user !== undefined) chownSync(each, user.uid, user.gid);
  }
  const runAs = user === undefined ? {} : { uid: user.uid, gid: user.gid };
  const port = await findFreePort();
  const password = randomBytes(16).toString('hex');
  const environment = { LC_ALL: 'C', TZ: 'UTC', PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: SUPERUSER };
  const run = (program: string, ...parameters: string[]): Promise<unknown> =>
    execute(program, parameters, {
      ...runAs,
      env: { PATH: '/usr/bin:/bin', ...environment, PGPASSWORD: password },
      cwd: '/',
    });
  let scripts = 0;
  /** Runs a script of the page in the folder, with Debian's programs before others; returns what it printed. */
  const runScript = async (script: string): Promise<string> => {
    // A file of its own: a server that the script starts goes on writing into it, and would hold a pipe open.
    scripts += 1;
    const output = join(folder, `script-${scripts}.log`);
    await execute('bash', ['-euo', 'pipefail', '-c', `exec >'${output}' 2>&1\n${script}`], {
      ...runAs,
      env: { PATH: `${programs}:/usr/bin:/bin`, ...environment, PGPASSWORD: password, PGCTLTIMEOUT: '120' },
      cwd: folder,
    }).catch((failure: unknown) => {
      throw new Error(`the page's script failed:\n${script}\n${readFileSync(output, 'utf8')}`, { cause: failure });
    });
    return readFileSync(output, 'utf8');
  };
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) chownSync(passwordFile, user.uid, user.gid);
  await run(
    join(programs, 'initdb'),
    '-D',
    data,
    '-U',
    SUPERUSER,
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
  );
  appendFileSync(
    join(data, 'postgresql.conf'),
    [
      `port = ${port}`,
      `listen_addresses = '127.0.0.1'`,
      `unix_socket_directories = ''`,
      'max_connections = 200',
      `timezone = 'UTC'`,
      replaceAll(blockWith(PAGE, 'archive_mode'), { '/backup/wal': wal, '60s': `${ARCHIVE_TIMEOUT_SECONDS}s` }),
    ].join('\n'),
  );
  const urlOf = (database: string): string => `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
  const options: ChildOptions = {
    name: `PostgreSQL ${version}`,
    command: join(programs, 'postgres'),
    args: ['-D', data],
    logPath: join(parent, 'postgres.log'),
    identityPath: join(parent, 'postgres.pid.json'),
    stopSignal: 'SIGINT',
    stopPatienceMs: STOP_PATIENCE_MS,
    environment,
    ...(user !== undefined && { runAs: { uid: user.uid, gid: user.gid } }),
  };
  let child: RunningChild;
  const start = async (): Promise<void> => {
    child = await startChild(options);
    await waitUntilHealthy(child, options, READY_PATIENCE_MS, () => takesWrites(urlOf('postgres')));
  };
  await start();
  await ask(urlOf('postgres'), 'CREATE DATABASE posthorn');
  return {
    version,
    url: urlOf('posthorn'),
    folder,
    async crash() {
      process.kill(child.pid, 'SIGQUIT');
      await child.ended;
    },
    restart: start,
    freeze: () => void process.kill(child.pid, 'SIGSTOP'),
    thaw: () => void process.kill(child.pid, 'SIGCONT'),
    stop: () => child.stop(),
    async takeBaseBackup() {
      await runScript(replaceAll(blockWith(PAGE, 'pg_basebackup -D'), { '/backup/base': base }));
    },
    loseData: () => rmSync(data, { recursive: true }),
    async restoreTo(time) {
      await run('cp', '-a', base, data);
      appendFileSync(
        join(data, 'postgresql.auto.conf'),
        replaceAll(blockWith(PAGE, 'recovery_target_time'), { '/backup/wal': wal, '2026-11-23 03:54:35+00': time }),
      );
      const restore = replaceAll(blockWith(PAGE, 'recovery.signal'), { '/restored': data });
      const asks = restore.trimEnd().split('\n').at(-1) ?? '';
      await runScript(restore);
      await waitFor('the recovery to be done', async () => (await runScript(asks)).trim() === 'f', READY_PATIENCE_MS);
      // From here on it is a child of the test again.
      await run(join(programs, 'pg_ctl'), '-D', data, '-w', '-m', 'fast', 'stop');
      await start();
    },
    async copyByDump() {
      await runScript(blockWith(PAGE, 'pg_dump -Fc'));
      return urlOf('posthorn_new');
    },
  };
}

/** Whether it answers and has ended its recovery. */
async function takesWrites(url: string): Promise<boolean> {
  try {
    const [row] = await ask<{ is: boolean }>(url, 'SELECT NOT pg_is_in_recovery() AS is');
    return row?.is === true;
  } catch {
    return false;
  }
}

async function ask<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // A server that ends says so beside rejecting the query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Row>(sql);
    return rows;
  } finally {
    await client.end();
  }
}
