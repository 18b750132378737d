import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../../platform/config/config.ts';
import { createCrashGuard } from '../../platform/crashes/crash-guard.ts';
import { createKeyRing } from '../../platform/credentials/key-ring.ts';
import { createDatabase } from '../../platform/db/client.ts';
import { createPool } from '../../platform/db/connection.ts';
import { createTenants } from '../../platform/db/tenants.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import { createFilters, type Filters } from '../../messaging/filters/filters.ts';
import { createCostlyTurns } from '../../platform/slices.ts';
import { createPublishingConfigs, type PublishingConfigs } from '../../messaging/publishing/configs/channel-configs.ts';
import { eventTriggerOf } from '../../automations/definitions/plan/events.ts';
import { loadPublishingConfig } from '../../messaging/publishing/configs/channel-configs.ts';
import { createSteadyClock, type SteadyClock } from '../../platform/steady-clock.ts';
import { createNewId } from '../../platform/new-id.ts';
import type { Meters } from '../../platform/observe/meters.ts';
import type { Tracing } from '../otlp.ts';
import { type AddressGuard, createAddressGuard } from '../../platform/outbound/guard/address-guard.ts';
import type { OwnAddresses } from '../../platform/outbound/guard/own-addresses.ts';
import { ownEndpoints } from './own-endpoints.ts';

// Connections of a command's processes together, and of each one at least and at most. Publishing, claiming and recording: two cores
// are busy with 20. With the 10 of Prisma, three processes fit PostgreSQL's default of 100, and so do eight with fewer each.
const POOL = { together: 60, least: 8, most: 20 } as const;
const PRISMA = { together: 30, least: 4, most: 10 } as const;

const shareOf = ({ together, least, most }: typeof POOL | typeof PRISMA, processes: number): number =>
  Math.max(least, Math.min(most, Math.floor(together / processes)));

/** Connections of PostgreSQL that one of the processes may have: its raw pool's and Prisma's, as chosen or a share of the command's. */
export const connectionsOf = ({
  processes,
  pools,
}: Pick<Config, 'processes' | 'pools'>): { pool: number; prisma: number } => ({
  pool: pools.statements ?? shareOf(POOL, processes),
  prisma: pools.prisma ?? shareOf(PRISMA, processes),
});

/**
 * Each of these stands once in a process, whatever roles it plays. Beside it a worker has one connection to Temporal, with one client
 * (start-worker.ts).
 */
export type ProcessDependencies = Dependencies & {
  /** One for the process: its evaluations share the turns of the event loop. */
  filters: Filters;
  /** Configurations of channels that publishing has read: requests and scheduled messages remember them together. */
  publishingConfigs: PublishingConfigs;
  /** Absent where METRICS_PORT is not set: then nothing is counted. */
  meters?: Meters | undefined;
  /** Absent without a collector in the settings: then nothing is traced. */
  tracing?: Tracing | undefined;
};

/** Told of everything that is counted and traced. */
export type Observers = Pick<ProcessDependencies, 'meters' | 'tracing'>;

/** Everything that has a connection, and how to close it. */
export type Connected = { deps: ProcessDependencies; disconnect(): Promise<void> };

/**
 * Builds what every role needs, and no other file makes a second one for the same process. PostgreSQL is asked for its time at once, and
 * nothing waits for the answer. Throws ConfigError for a setting the roles cannot do without. `own` holds endpoints that already listen for
 * this process; the ones of the settings are added.
 */
export function createDependencies(
  config: Config,
  log: Logger,
  own: OwnAddresses,
  { meters, tracing }: Observers = {},
): Connected {
  const { databaseUrl, pooledDatabaseUrl, encryptionKeys } = config;
  if (databaseUrl === undefined)
    throw new ConfigError('DATABASE_URL must be set: only `posthorn start` brings its own PostgreSQL');
  if (encryptionKeys.length === 0)
    throw new ConfigError('ENCRYPTION_KEYS must be set: <name>:<base64 of 32 bytes>, the same in every process');
  own.add(...ownEndpoints(config));
  const connections = connectionsOf(config);
  const db = createDatabase(pooledDatabaseUrl ?? databaseUrl, {
    isPooled: pooledDatabaseUrl !== undefined,
    max: connections.prisma,
    onPool: (prisma) => meters?.readPool('prisma', prisma, connections.prisma),
  });
  const pool = createPool(databaseUrl, { max: connections.pool });
  meters?.readPool('statements', pool, connections.pool);
  const clock = createSteadyClock();
  const following = followDatabaseClock({ pool, clock, log });
  const deps: ProcessDependencies = {
    config,
    log,
    clock: clock.now,
    newId: createNewId(() => clock.now().getTime()),
    db,
    pool,
    tenants: createTenants({ db, pool }, connections),
    keyRing: createKeyRing(encryptionKeys),
    filters: createFilters(),
    costly: createCostlyTurns(),
    own,
    crashes: createCrashGuard({ pool, log }),
    guard: createGuard(config, own),
    publishingConfigs: createConfigs(pool),
    meters,
    tracing,
  };
  return {
    deps,
    disconnect: async () => {
      await following.stop();
      await deps.crashes.stop();
      await Promise.all([db.$disconnect(), pool.end()]);
    },
  };
}

/** Remembers configurations of channels as this database has them. */
export const createConfigs = (pool: Pool): PublishingConfigs =>
  createPublishingConfigs((...which) => loadPublishingConfig({ pool, readTrigger: eventTriggerOf }, ...which));

/** Address guard that allows the operator's ranges and refuses own addresses. */
export const createGuard = (config: Config, own: OwnAddresses): AddressGuard =>
  createAddressGuard({ allowCidrs: config.webhookAllowCidrs, allowHttp: config.allowHttpWebhooks, own });

// A clock that jumps is seen at once; only one that was wrong from the beginning waits for a look.
const EVERY_MS = 30_000;
// Until the first answer has come.
const FIRST_EVERY_MS = 1_000;

/**
 * Compares the clock with PostgreSQL's, at once and every 30 s, for as long as the process lives: all processes and PostgreSQL then mean
 * the same by a due time, whatever a machine's clock shows. Writes a line when they come apart, and one when they agree again. A look that
 * fails changes nothing.
 */
export function followDatabaseClock({
  pool,
  clock,
  log,
  lookEveryMs = EVERY_MS,
}: {
  pool: Pool;
  clock: SteadyClock;
  log: Logger;
  lookEveryMs?: number;
}): { stop(): Promise<void> } {
  let isStopped = false;
  let isApart = false;
  let everyMs = FIRST_EVERY_MS;
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const askedAt = performance.now();
    const { rows } = await pool.query<{ theirs: number }>({
      name: 'read_clock',
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS theirs',
    });
    const aheadMs = clock.compare({ theirs: rows[0]?.theirs ?? Number.NaN, askedAt, answeredAt: performance.now() });
    everyMs = lookEveryMs;
    if (aheadMs !== 0 && !isApart)
      log.warn(
        { aheadMs },
        "this machine's clock differs from PostgreSQL's, whose time this process uses from now on; run a time service (NTP) on both",
      );
    if (aheadMs === 0 && isApart)
      log.info("this machine's clock agrees with PostgreSQL's again, and this process uses it");
    isApart = aheadMs !== 0;
  };
  const turn = async (): Promise<void> => {
    await look().catch(() => undefined);
    if (isStopped) return;
    timer = setTimeout(() => void (turning = turn()), everyMs);
    timer.unref();
  };
  let turning = turn();

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await turning;
    },
  };
}
