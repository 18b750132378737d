import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { type RunningChild, type ChildOptions, endOrphan, startChild, waitUntilHealthy } from './child.ts';
import { choosePort, whilePortsAreTaken } from './ports.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { chooseDatabaseFolder, passwordPath } from './postgres-folder.ts';
import { choosePostgresUser, type PostgresUser } from './postgres-user.ts';
import { endProcess, identifyProcess, readCommandLine } from './process-identity.ts';

export type EmbeddedPostgresOptions = {
  /** Holds `postgres/` (or its substitute's name is printed), `keys/` and `state/`. */
  dataFolder: string;
  /** Taken where it is free, otherwise another one. */
  port: number;
  maxConnections: number;
  database: string;
  /** Further settings, which win. */
  settings?: Record<string, string>;
  onProgress: (line: string) => void;
  /** Called once a child process does the work: the event loop may be busy from then on. */
  onChildRunning?: () => void;
};

export type EmbeddedPostgres = RunningChild & { readonly url: string; readonly port: number };

// Patience with recovery after a crash, which replays the write-ahead log: seconds as a rule, more with a large log and a slow disk.
const READY_PATIENCE_MS = 120_000;
// Patience with a fast shutdown, which writes a checkpoint. Killing the server earlier is safe too and only slows the next start.
const STOP_PATIENCE_MS = 30_000;
// Fast shutdown: open sessions are ended. SIGTERM would wait for every connected program to leave.
const STOP_SIGNAL = 'SIGINT';
const SUPERUSER = 'postgres';
/** Folder of root for data that PostgreSQL's user must reach and cannot reach in the checkout. */
const FALLBACK_FOLDER = '/var/lib/posthorn';

/**
 * Starts PostgreSQL on 127.0.0.1 with a password of its own, durable (fsync and synchronous_commit on), its data in
 * `<dataFolder>/postgres`. Makes the data folder and `database` where missing. A server that an earlier, killed start left running is
 * ended first. Throws with one sentence that names the remedy.
 */
export const startPostgres = (options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> =>
  whilePortsAreTaken(() => startOnce(options), options.onProgress);

async function startOnce(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { onProgress } = options;
  const dataFolder = resolve(options.dataFolder);
  const stateFolder = join(dataFolder, 'state');
  makePrivateFolders(dataFolder, stateFolder);
  const user = choosePostgresUser(join(dataFolder, 'postgres'));
  const folder = chooseDatabaseFolder({ dataFolder, user, fallbackFolder: FALLBACK_FOLDER, onProgress });
  const binaries = findPostgresBinaries(user, FALLBACK_FOLDER);
  const logPath = join(stateFolder, 'postgres.log');
  const stopping = {
    identityPath: join(stateFolder, 'postgres.pid.json'),
    stopSignal: STOP_SIGNAL,
    stopPatienceMs: STOP_PATIENCE_MS,
  } as const;
  if ((await endOrphan(stopping)) || (await endPostmaster(folder)))
    onProgress('Ended the PostgreSQL that an earlier start left behind');
  const password = readPassword(dataFolder);
  if (!existsSync(folder)) {
    onProgress('Creating the database, which takes a few seconds');
    const making = initialise(binaries.initdb, folder, password, user);
    options.onChildRunning?.();
    await making;
  }
  const port = await choosePort('PostgreSQL', options.port, onProgress);
  const urlOf = (database: string): string => `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: options.maxConnections,
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...options.settings,
  };
  const childOptions: ChildOptions = {
    ...stopping,
    name: 'PostgreSQL',
    command: binaries.postgres,
    args: ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    logPath,
    environment: { LC_ALL: 'C', TZ: 'UTC' },
    ...(user !== undefined && { runAs: { uid: user.uid, gid: user.gid } }),
  };
  const child = await startChild(childOptions);
  options.onChildRunning?.();
  try {
    await waitUntilHealthy(child, childOptions, READY_PATIENCE_MS, () => canConnect(urlOf('postgres')));
    await createDatabaseOnce(urlOf('postgres'), options.database);
  } catch (failure) {
    await child.stop();
    if (!(failure instanceof pg.DatabaseError) || failure.code !== WRONG_PASSWORD) throw failure;
    throw new Error(
      `The password in ${passwordPath(dataFolder)} is not the one ${folder} was made with: put the old file back, or move that folder away to begin anew`,
      { cause: failure },
    );
  }
  return { ...child, url: urlOf(options.database), port };
}

/** PostgreSQL's user may enter .data (x only); keys and state are readable by this user alone. */
function makePrivateFolders(dataFolder: string, stateFolder: string): void {
  mkdirSync(dataFolder, { recursive: true });
  chmodSync(dataFolder, 0o711);
  for (const folder of [stateFolder, join(dataFolder, 'keys')]) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function readPassword(dataFolder: string): string {
  const path = passwordPath(dataFolder);
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(path, 'utf8').trim();
}

async function initialise(
  initdb: string,
  folder: string,
  password: string,
  user: PostgresUser | undefined,
): Promise<void> {
  // initdb works in a folder beside it, renamed when whole: a start that is killed here leaves no half database.
  const making = `${folder}.new`;
  const passwordFile = join(making, 'password');
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) for (const path of [making, passwordFile]) chownSync(path, user.uid, user.gid);
  const args = [
    '-D',
    join(making, 'data'),
    '-U',
    SUPERUSER,
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
  ];
  // In a process group of its own, as the servers (child.ts): a terminal's Ctrl-C would break it off with pages of SQL.
  const child = spawn(initdb, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
    ...(user !== undefined && { uid: user.uid, gid: user.gid }),
  });
  const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`PostgreSQL's initdb could not make the database: ${said.trim()}`);
  renameSync(join(making, 'data'), folder);
  rmSync(making, { recursive: true, force: true });
}

/** Ends a server whose identity file was lost: its own postmaster.pid names it, and its command line the folder. */
async function endPostmaster(folder: string): Promise<boolean> {
  const path = join(folder, 'postmaster.pid');
  if (!existsSync(path)) return false;
  const pid = Number(readFileSync(path, 'utf8').split('\n')[0]);
  const identity = Number.isInteger(pid) && pid > 1 ? identifyProcess(pid) : undefined;
  if (identity === undefined || !readCommandLine(pid).includes(`-D ${folder} `)) return false;
  await endProcess(identity, STOP_SIGNAL, STOP_PATIENCE_MS);
  return true;
}

// SQLSTATE invalid_password: waiting longer would not help.
const WRONG_PASSWORD = '28P01';

/** A server that ends emits `error` beside rejecting the query. That event must not end this process. */
function openSession(url: string, settings: pg.ClientConfig = {}): pg.Client {
  const client = new pg.Client({ connectionString: url, ...settings });
  client.on('error', () => undefined);
  return client;
}

async function canConnect(url: string): Promise<boolean> {
  const client = openSession(url, { connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (failure) {
    if (failure instanceof pg.DatabaseError && failure.code === WRONG_PASSWORD) throw failure;
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createDatabaseOnce(url: string, name: string): Promise<void> {
  const client = openSession(url);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
