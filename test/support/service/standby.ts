import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type OwnPostgres, startOwnPostgres } from './own-servers.ts';
import { waitFor } from '../check/wait-for.ts';

/** A standby that follows a primary, without which the primary commits nothing. */
export type Standby = OwnPostgres & {
  /** Promotes it; returns once it accepts writes. It has everything that was committed. */
  promote(): Promise<void>;
};

// Recreated by the standby, or specific to the running primary.
const NOT_COPIED = new Set(['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'pg_stat_tmp', 'pgsql_tmp']);

/**
 * A standby of the primary in `primaryFolder`, with its data below `folder`: a base backup (PostgreSQL's manual §25.3) by hand,
 * since the npm package has no pg_basebackup. Returns once it has caught up and the primary waits for it at each commit, so that
 * nothing that was answered can be lost by promoting it.
 */
export async function startStandby(primary: OwnPostgres, folder: string): Promise<Standby> {
  const session = new pg.Client({ connectionString: primary.url });
  session.on('error', () => undefined);
  await session.connect();
  try {
    // Its session keeps the backup open: one function starts it and the other ends it.
    await session.query(`SELECT pg_backup_start('standby', fast => true)`);
    copyFolder(join(primary.folder, 'keys'), join(folder, 'keys'));
    copyFolder(join(primary.folder, 'postgres'), join(folder, 'postgres'));
    const { rows } = await session.query<{ label: string; tablespaces: string }>(
      'SELECT labelfile AS label, spcmapfile AS tablespaces FROM pg_backup_stop(wait_for_archive => false)',
    );
    const data = join(folder, 'postgres');
    const { username, password, hostname, port } = new URL(primary.url);
    const name = `standby_${port}`;
    const conninfo = `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`;
    writeOwned(data, 'backup_label', rows[0]?.label ?? '');
    writeOwned(data, 'standby.signal', '');
    for (const empty of NOT_COPIED) if (empty.startsWith('pg_')) makeOwned(join(data, empty), data);
    appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
    const standby = await startOwnPostgres(folder);

    await session.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await session.query('SELECT pg_reload_conf()');
    await waitFor('the standby to have caught up', async () => {
      const { rowCount } = await session.query(
        `SELECT FROM pg_stat_replication WHERE application_name = $1 AND sync_state = 'sync'
           AND replay_lsn >= pg_current_wal_flush_lsn()`,
        [name],
      );
      return rowCount === 1;
    });
    return { ...standby, promote: () => promote(standby.url) };
  } finally {
    await session.end();
  }
}

async function promote(url: string): Promise<void> {
  const session = new pg.Client({ connectionString: url });
  session.on('error', () => undefined);
  await session.connect();
  try {
    const { rows } = await session.query<{ isDone: boolean }>('SELECT pg_promote(true, 60) AS "isDone"');
    if (rows[0]?.isDone !== true) throw new Error('The standby was not promoted within 60 s');
  } finally {
    await session.end();
  }
}

/** With owners and modes, because PostgreSQL's user reads the files. A temporary file that disappears meanwhile is skipped. */
function copyFolder(from: string, to: string): void {
  const { uid, gid, mode } = statSync(from);
  mkdirSync(to, { recursive: true });
  chmodSync(to, mode);
  chownSync(to, uid, gid);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (NOT_COPIED.has(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else copyFile(source, target);
  }
}

function copyFile(from: string, to: string): void {
  try {
    const { uid, gid, mode } = statSync(from);
    copyFileSync(from, to);
    chmodSync(to, mode);
    chownSync(to, uid, gid);
  } catch (failure) {
    if (!(failure instanceof Error && 'code' in failure && failure.code === 'ENOENT')) throw failure;
  }
}

function writeOwned(folder: string, name: string, text: string): void {
  const { uid, gid } = statSync(folder);
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  chownSync(join(folder, name), uid, gid);
}

function makeOwned(path: string, like: string): void {
  const { uid, gid } = statSync(like);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, uid, gid);
}
