import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openSession, refuseDroppedSettings } from '../connection.ts';
import { makeLargeIndexes } from './large-indexes.ts';
import { BASELINE, type Migration, readMigrations, SELECT_APPLIED, whyRefused } from './migrations.ts';
import { ensureTenantRole } from '../tenant-role.ts';

// Any number, but the same in every process: the one that holds this lock migrates, and the others wait and find nothing to do.
const LOCK_NUMBER = 7_220_633;

// A statement that waits for a table lock makes everybody else wait behind it, publishes included. It gives up after this time and is
// tried again, so that nobody waits longer. A publish may take five seconds.
const LOCK_WITHIN_MS = 2_000;
const REST_MS = 3_000;
const TURN_EVERY_MS = 200;
// Time for a long report, or for noticing a forgotten transaction.
const LOCKED_FOR_MS = 600_000;
// A migration that takes longer reports it, and again after the same interval.
const TELL_EVERY_MS = 10_000;
// SQLSTATE lock_not_available.
const LOCK_TIMEOUT = '55P03';

// The table of Prisma's own tool, so that a database migrated with that tool can continue here, and vice versa.
const CREATE_LIST = `
CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  id varchar(36) PRIMARY KEY NOT NULL,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

export type MigrateOptions = {
  onProgress?: (line: string) => void;
  /** Whether `onProgress` gets a line for each applied migration. Default: true. */
  namesEach?: boolean;
  /** Aborts the run: the current migration is rolled back, and `migrate` rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Run before the first and after the last migration, while no other process migrates. If `before` throws, nothing is changed. */
  before?: (session: pg.Client) => Promise<void>;
  after?: (session: pg.Client) => Promise<void>;
  /** Default: those of this release. */
  migrations?: readonly Migration[];
  /** By default it also creates the role of services (src/platform/db/tenant-role.ts), or prints the SQL for an administrator. */
  hasTenantRole?: boolean;
};

/**
 * Brings the database at `url` to the newest migration and returns the names of those it applied. Safe in many processes at once, and
 * if it is killed at any point: a migration and its row are one transaction, and an index on a large table is created before it. If one
 * fails, throws with the migration's name in the message; earlier ones stay applied.
 */
export async function migrate(
  url: string,
  {
    onProgress,
    namesEach = true,
    signal,
    before,
    after,
    migrations = readMigrations(),
    hasTenantRole = true,
  }: MigrateOptions = {},
): Promise<string[]> {
  signal?.throwIfAborted();
  const session = openSession(url);
  await session.connect();
  const cancel = (): void => void cancelStatement(url, session);
  signal?.addEventListener('abort', cancel);
  try {
    // Otherwise the lock would belong to a session that a pooler gives to others.
    await refuseDroppedSettings(session);
    await takeTurn(session, signal);
    const found = await findApplied(session);
    await refuseOthers(session, found);
    const hasTables = found.length > 0 && !found.includes(BASELINE);
    await before?.(session);
    await session.query(CREATE_LIST);
    const applied: string[] = [];
    for (const migration of migrations.filter(({ name }) => !found.includes(name))) {
      if (hasTables && migration.name === BASELINE) {
        // Its tables exist; only the list of migrations has to record it.
        await noteApplied(session, migration);
        continue;
      }
      await makeLargeIndexes(session, migration, onProgress);
      await telling(onProgress, `Migration ${migration.name} is still running`, () =>
        applyOnceFree(session, migration, { onProgress, signal }),
      );
      if (namesEach) onProgress?.(`Applied migration ${migration.name}`);
      applied.push(migration.name);
    }
    await after?.(session);
    if (hasTenantRole) await makeTenantRole(session, onProgress);
    return applied;
  } catch (failure) {
    // The error of a cancelled statement says only that it was cancelled.
    signal?.throwIfAborted();
    throw failure;
  } finally {
    signal?.removeEventListener('abort', cancel);
    // Ending the session releases the lock.
    await session.end();
  }
}

/**
 * Waits until no other process migrates. Polls, because a statement that waits for the lock would have a snapshot, and CREATE INDEX
 * CONCURRENTLY of the process that holds the lock waits for all snapshots: a deadlock.
 */
async function takeTurn(session: pg.Client, signal: AbortSignal | undefined): Promise<void> {
  const text = 'SELECT pg_try_advisory_lock($1) AS "isOurs"';
  for (;;) {
    const { rows } = await session.query<{ isOurs: boolean }>(text, [LOCK_NUMBER]);
    if (rows[0]?.isOurs === true) return;
    await sleep(TURN_EVERY_MS, undefined, { signal });
  }
}

async function makeTenantRole(session: pg.Client, tell: MigrateOptions['onProgress']): Promise<void> {
  const left = await ensureTenantRole(session);
  if (left.length === 0) return;
  tell?.(
    'Row-level security is off, because this PostgreSQL user may not run the SQL below. Let an administrator run it, then migrate again',
  );
  tell?.('(docs/operate/network-and-hardening.md):');
  for (const line of left) tell?.(`  ${line}`);
}

/** Names of the applied migrations, in order; empty if the database has no list of them. */
async function findApplied(session: pg.Client): Promise<string[]> {
  const list = await session.query<{ isThere: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS "isThere"`,
  );
  if (list.rows[0]?.isThere !== true) return [];
  const { rows } = await session.query<{ name: string }>(`${SELECT_APPLIED} ORDER BY 1`);
  return rows.map(({ name }) => name);
}

// Tables of an extension do not count as data.
const OTHER_TABLES = `
  SELECT relname AS name FROM pg_class c
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname <> '_prisma_migrations'
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
  ORDER BY relname LIMIT 3`;

/** Throws, before anything is changed, for a database of another program or of a version that cannot be upgraded. */
async function refuseOthers(session: pg.Client, applied: readonly string[]): Promise<void> {
  const reason = whyRefused(applied);
  if (reason !== undefined) throw new Error(reason);
  if (applied.length > 0) return;
  const { rows } = await session.query<{ name: string }>(OTHER_TABLES);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name).join(', ');
  throw new Error(`This database has tables of another program, such as ${names}; use an empty database`);
}

/** Prints the line at intervals for as long as the work takes. */
async function telling<T>(tell: MigrateOptions['onProgress'], line: string, work: () => Promise<T>): Promise<T> {
  const from = performance.now();
  const timer = setInterval(
    () => tell?.(`${line} after ${Math.round((performance.now() - from) / 1_000)} s`),
    TELL_EVERY_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Applies a migration as soon as no other transaction is in its way. Reports once which one is. */
async function applyOnceFree(
  session: pg.Client,
  migration: Migration,
  { onProgress, signal }: { [name in 'onProgress' | 'signal']: MigrateOptions[name] | undefined },
): Promise<void> {
  let hasTold = false;
  for (const deadline = performance.now() + LOCKED_FOR_MS; ; await sleep(REST_MS, undefined, { signal })) {
    try {
      return await apply(session, migration, signal);
    } catch (failure) {
      const isLocked = failure instanceof Error && isLockTimeout(failure.cause);
      if (!isLocked || performance.now() > deadline) throw failure;
    }
    if (!hasTold) onProgress?.(`Migration ${migration.name} waits for ${await oldestTransaction(session)} to end`);
    hasTold = true;
  }
}

const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === LOCK_TIMEOUT;

async function oldestTransaction(session: pg.Client): Promise<string> {
  const { rows } = await session.query<{ pid: number; name: string; seconds: number }>(
    `SELECT pid, application_name AS name, extract(epoch FROM now() - xact_start)::int AS seconds FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL ORDER BY xact_start LIMIT 1`,
  );
  const [oldest] = rows;
  if (oldest === undefined) return 'another transaction';
  const { pid, name, seconds } = oldest;
  return `the transaction of ${seconds} s in the session ${pid}${name === '' ? '' : ` (${name})`}`;
}

async function apply(session: pg.Client, migration: Migration, signal: AbortSignal | undefined): Promise<void> {
  const { name, sql } = migration;
  await session.query('BEGIN');
  try {
    await session.query(`SET LOCAL lock_timeout = ${LOCK_WITHIN_MS}`);
    // A row without an end was left by a run that was killed before its commit, or by a failure. This run replaces it.
    await session.query(
      'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1 AND rolled_back_at IS NULL',
      [name],
    );
    await session.query(sql);
    await noteApplied(session, migration);
    signal?.throwIfAborted();
    await session.query('COMMIT');
  } catch (failure) {
    await session.query('ROLLBACK').catch(() => undefined);
    throw new Error(`Migration ${name} failed and was rolled back`, { cause: failure });
  }
}

async function noteApplied(session: pg.Client, { name, checksum }: Migration): Promise<void> {
  await session.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}

/** Cancels the session's current statement, even one that waits for a lock. If PostgreSQL does not respond, ends the session instead. */
async function cancelStatement(url: string, session: pg.Client): Promise<void> {
  const helper = openSession(url);
  try {
    await helper.connect();
    // `as`: pg has this member, but its types do not; it is PostgreSQL's process id of the session.
    await helper.query('SELECT pg_cancel_backend($1)', [(session as pg.Client & { processID: number }).processID]);
  } catch {
    await session.end();
  } finally {
    await helper.end().catch(() => undefined);
  }
}
