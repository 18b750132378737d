import type { Pool } from 'pg';
import type { Config, EncryptionKey } from '../../platform/config/config.ts';
import { describeEncryptionKeys } from '../../platform/credentials/encryption-keys.ts';
import { IS_ACTIVE } from '../../platform/db/sql/fragments.ts';
import { migrationNames } from '../../platform/db/migrations/migrations.ts';
import { messageOf, NotReady } from '../../kernel/errors.ts';
import { lengthOf } from '../../platform/outages.ts';
import { type DatabasePlace, databaseTrouble } from '../../platform/readiness/database-trouble.ts';
import { rowSecurityCheck, databaseCheck, schemaCheck } from '../../platform/readiness/start-checks.ts';
import { connectionsOf } from '../assembly/create-dependencies.ts';
import { fail, type Finding, lookInto, ok, warn } from './finding.ts';
import { openPoolBehindPooler } from '../../platform/db/connection.ts';

type Examined = { pool: Pool; config: Config };

// The oldest release that PostgreSQL still maintains.
const OLDEST_SERVER = 14;
// Webhook signatures and access tokens contain the time: a receiver rejects a webhook that is five minutes off, and a client's proof
// expires sooner.
const CLOCK = { warnMs: 2_000, failMs: 60_000 } as const;
// A delivery starts within a second if nothing holds it back.
const BACKLOG = { warnMs: 60_000, failMs: 900_000 } as const;
/** Vacuum is behind in a table that has more dead rows than this, and more than a fifth of its live rows. */
const DEAD_ROWS = 100_000;
// For psql, a dump, and monitoring.
const CONNECTIONS_OF_OTHERS = 10;

const explainIn =
  (place: DatabasePlace) =>
  (failure: unknown): string =>
    (failure instanceof NotReady ? failure : databaseTrouble(failure, place))?.advice ?? messageOf(failure);

/** PostgreSQL responds, accepts writes, and is not too old. */
export const checkDatabase = ({ pool, config }: Examined): Promise<Finding> =>
  lookInto(
    'database',
    async () => {
      await databaseCheck({ pool, config }).run();
      const askedAt = performance.now();
      const version = await one(pool, `SELECT current_setting('server_version') AS "is"`);
      const tookMs = Math.round(performance.now() - askedAt);
      const major = Number.parseInt(version, 10);
      if (major < OLDEST_SERVER)
        return fail(
          'database',
          `PostgreSQL ${version} is too old: Posthorn needs ${OLDEST_SERVER} or later; upgrade the server`,
        );
      return ok('database', `PostgreSQL ${version} responds within ${tookMs} ms and accepts writes`);
    },
    explainIn(config),
  );

/** The database has the migrations of this release. */
export const checkMigrations = ({ pool, config }: Examined): Promise<Finding> =>
  lookInto(
    'migrations',
    async () => {
      await schemaCheck({ pool, config }, migrationNames()).run();
      return ok('migrations', 'all migrations of this release are applied');
    },
    explainIn(config),
  );

/** PostgreSQL itself isolates tenants. The service works without, so this is a warning. */
export async function checkRowSecurity({ pool, config }: Examined): Promise<Finding> {
  const found = await lookInto(
    'rowSecurity',
    async () => {
      await rowSecurityCheck(pool).run();
      return ok('rowSecurity', 'row-level security is on: PostgreSQL isolates tenants');
    },
    explainIn(config),
  );
  return found.verdict === 'fail' ? warn('rowSecurity', `row-level security is off: ${found.says}`) : found;
}

/** Every key that stored rows need is configured with the right bytes. Writes nothing: a new key gets its check value at the next start. */
export const checkEncryptionKeys = (pool: Pool, keys: readonly EncryptionKey[]): Promise<Finding> =>
  lookInto('encryptionKeys', async () => {
    if (keys.length === 0)
      return fail(
        'encryptionKeys',
        'ENCRYPTION_KEYS is not set, so `posthorn api` and `posthorn worker` refuse to start; set it to the keys in use',
      );
    const known = await describeEncryptionKeys(pool, keys);
    const bad = known.filter(({ state }) => state === 'missing' || state === 'other bytes');
    if (bad.length > 0)
      return fail(
        'encryptionKeys',
        bad
          .map(({ id, state }) =>
            state === 'missing'
              ? `the key ${id} has encrypted rows but is not in ENCRYPTION_KEYS; add it`
              : `the key ${id} differs from the key of that name that has encrypted rows; set the right one`,
          )
          .join(', and '),
      );
    return ok(
      'encryptionKeys',
      `${keys.length === 1 ? 'the key matches' : `all ${keys.length} keys match`} this database`,
    );
  });

/** PostgreSQL has enough connections for an api, a worker and other clients. */
export const checkConnections = ({ pool, config }: Examined): Promise<Finding> =>
  lookInto('connections', async () => {
    const { rows } = await pool.query<{ most: number; used: number }>(`
      SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0) AS most,
        (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used`);
    const { most = 0, used = 0 } = rows[0] ?? {};
    const { processes } = config;
    const { pool: ofPool, prisma } = connectionsOf(config);
    const ofRole = processes * (ofPool + prisma);
    const facts = `${most} for users and ${used} in use; one command with PROCESSES=${processes} uses up to ${ofRole}`;
    if (ofRole > most)
      return fail(
        'connections',
        `too few connections: ${facts}; raise max_connections, or lower PROCESSES, DATABASE_POOL_DELIVERY or DATABASE_POOL_API`,
      );
    if (2 * ofRole + CONNECTIONS_OF_OTHERS > most)
      return warn(
        'connections',
        `few connections: ${facts}, and an api and a worker together twice as many; raise max_connections to ${2 * ofRole + CONNECTIONS_OF_OTHERS + 10} or more`,
      );
    return ok('connections', facts);
  });

/** Autovacuum is on for every table, and keeps up. */
export const checkAutovacuum = ({ pool }: Pick<Examined, 'pool'>): Promise<Finding> =>
  lookInto('autovacuum', async () => {
    const isOn = await one(
      pool,
      `SELECT (current_setting('autovacuum')::bool AND current_setting('track_counts')::bool)::text AS "is"`,
    );
    if (isOn !== 'true')
      return fail(
        'autovacuum',
        'autovacuum is off, so tables grow without bound and become slow; set autovacuum and track_counts to on',
      );
    const { rows: off } = await pool.query<{ name: string }>(`
      SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
        AND 'autovacuum_enabled=false' = ANY (c.reloptions) ORDER BY 1`);
    const [first] = off;
    if (first !== undefined)
      return fail(
        'autovacuum',
        `autovacuum is off for ${namesOf(off)}; run ALTER TABLE ${first.name} RESET (autovacuum_enabled), and so on`,
      );
    const { rows: behind } = await pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_stat_user_tables WHERE schemaname = 'public' AND n_dead_tup > $1 AND n_dead_tup > n_live_tup / 5 ORDER BY n_dead_tup DESC`,
      [DEAD_ROWS],
    );
    if (behind.length > 0)
      return warn(
        'autovacuum',
        `autovacuum is behind in ${namesOf(behind)}; look for long transactions in pg_stat_activity, and raise autovacuum_vacuum_cost_limit`,
      );
    return ok('autovacuum', 'autovacuum is on and keeps up');
  });

/** The clocks of this machine and PostgreSQL agree. */
export const checkClock = (pool: Pool, clock: () => Date = () => new Date()): Promise<Finding> =>
  lookInto('clock', async () => {
    const before = clock().getTime();
    const theirs = Number(await one(pool, `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS "is"`));
    const after = clock().getTime();
    // PostgreSQL read its clock between the two.
    const apartMs = theirs < before ? before - theirs : Math.max(0, theirs - after);
    const says = `the clocks of this machine and of PostgreSQL are ${lengthOf(apartMs)} apart`;
    if (apartMs < CLOCK.warnMs) return ok('clock', says);
    const remedy = `${says}; run a time service (NTP) on both`;
    return apartMs < CLOCK.failMs
      ? warn('clock', remedy)
      : fail('clock', `${remedy}; until then, signatures and tokens are rejected`);
  });

/** At least one worker is running. */
export const checkWorkers = ({ pool }: Pick<Examined, 'pool'>): Promise<Finding> =>
  lookInto('workers', async () => {
    const { rows } = await pool.query<{ host: string | null; pid: number | null }>(
      'SELECT host, pid FROM incarnations WHERE expires_at > now() ORDER BY id',
    );
    if (rows.length === 0)
      return fail('workers', 'no worker is running, so nothing is delivered; start `posthorn worker`');
    const where = rows.map(({ host, pid }) => `${host ?? 'unknown host'} (pid ${pid ?? 'unknown'})`).join(', ');
    return ok(
      'workers',
      `${rows.length === 1 ? 'one worker process is' : `${rows.length} worker processes are`} running: ${where}`,
    );
  });

/** No delivery has been due for long without a reason to wait. */
export const checkBacklog = ({ pool }: Pick<Examined, 'pool'>): Promise<Finding> =>
  lookInto('backlog', async () => {
    const oldest = Number(
      await one(
        pool,
        `SELECT coalesce((SELECT extract(epoch FROM now() - d.due_at) * 1000 FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
           WHERE num_nulls(d.due_at) = 0 AND num_nonnulls(d.holder, d.carrier) = 0 AND d.due_at <= now() AND d.held_reason IS NULL
             AND ${IS_ACTIVE} AND s.circuit_opened_at IS NULL
           ORDER BY d.due_at LIMIT 1), 0)::text AS "is"`,
      ),
    );
    if (oldest < BACKLOG.warnMs)
      return ok('backlog', 'no delivery has been due for more than a minute without a reason');
    const says = `a delivery has been due for ${lengthOf(oldest)} and nothing holds it back; check the rate limits of its subscription, Temporal, and the number of workers`;
    return oldest < BACKLOG.failMs ? warn('backlog', says) : fail('backlog', says);
  });

const namesOf = (rows: readonly { name: string }[]): string => rows.map(({ name }) => name).join(', ');

async function one(pool: Pool, sql: string): Promise<string> {
  const { rows } = await pool.query<{ is: string }>(sql);
  return rows[0]?.is ?? '';
}

/** No two servers started in the same microsecond and have a database of the same name. */
const WHICH_DATABASE = `SELECT current_database() || ' of ' || extract(epoch FROM pg_postmaster_start_time()) AS "is"`;

/** If DATABASE_URL is a pooler, it leads to the same database as DIRECT_DATABASE_URL, which `pool` is connected to. */
export function checkPooler(
  pool: Pool,
  { pooledDatabaseUrl, connectWithinMs }: { pooledDatabaseUrl: string; connectWithinMs: number },
): Promise<Finding> {
  const check = 'pooler';
  return lookInto(
    check,
    async () => {
      const behind = openPoolBehindPooler(pooledDatabaseUrl, 1, { connectWithinMs });
      try {
        const [direct, pooled] = await Promise.all([whichDatabase(pool), whichDatabase(behind)]);
        if (direct !== pooled)
          return fail(check, 'DATABASE_URL and DIRECT_DATABASE_URL lead to different databases; correct one of them');
        return ok(
          check,
          `DATABASE_URL: ${new URL(pooledDatabaseUrl).host} leads to the same database as DIRECT_DATABASE_URL`,
        );
      } finally {
        await behind.end();
      }
    },
    explainIn({ databaseUrl: pooledDatabaseUrl }),
  );
}

async function whichDatabase(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ is: string }>(WHICH_DATABASE);
  return rows[0]?.is ?? '';
}
