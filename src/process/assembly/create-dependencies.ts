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
import {
  createPublishingConfigs,
  type PublishingConfigs,
  loadPublishingConfig,
} from '../../messaging/publishing/configs/channel-configs.ts';
import { eventTriggerOf } from '../../automations/definitions/plan/events.ts';
import { createSteadyClock, type SteadyClock } from '../../platform/steady-clock.ts';
import { createNewId } from '../../platform/new-id.ts';
import type { Meters } from '../../platform/observe/meters.ts';
import type { Tracing } from '../otlp.ts';
import { type AddressGuard, createAddressGuard } from '../../platform/outbound/guard/address-guard.ts';
import type { OwnAddresses } from '../../platform/outbound/guard/own-addresses.ts';
import { ownEndpoints } from './own-endpoints.ts';

// Database connections: in total for the processes of a command, and the minimum and maximum for each. With 20 for publishing, claiming
// and recording, two cores are busy. Together with Prisma's 10, three processes fit PostgreSQL's default of 100, and so do eight with
// fewer each.
const POOL = { together: 60, least: 8, most: 20 } as const;
const PRISMA = { together: 30, least: 4, most: 10 } as const;

const shareOf = ({ together, least, most }: typeof POOL | typeof PRISMA, processes: number): number =>
  Math.max(least, Math.min(most, Math.floor(together / processes)));

/** Maximum PostgreSQL connections of one process, for its raw pool and for Prisma: as set, or a share of the command's total. */
export const connectionsOf = ({
  processes,
  pools,
}: Pick<Config, 'processes' | 'pools'>): { pool: number; prisma: number } => ({
  pool: pools.statements ?? shareOf(POOL, processes),
  prisma: pools.prisma ?? shareOf(PRISMA, processes),
});

/**
 * Each of these exists once per process, whatever it runs. A worker also has one connection to Temporal, with one client
 * (start-worker.ts).
 */
export type ProcessDependencies = Dependencies & {
  /** One per process, so that its evaluations share the turns of the event loop. */
  filters: Filters;
  /** Cache of channel configurations for publishing, shared by requests and scheduled messages. */
  publishingConfigs: PublishingConfigs;
  /** Absent if METRICS_PORT is not set: nothing is counted then. */
  meters?: Meters | undefined;
  /** Absent if the settings have no collector: nothing is traced then. */
  tracing?: Tracing | undefined;
};

/** Receives everything that is counted and traced. */
export type Observers = Pick<ProcessDependencies, 'meters' | 'tracing'>;

/** Everything that has a connection, and a function that closes it. */
export type Connected = { deps: ProcessDependencies; disconnect(): Promise<void> };

/**
 * Builds what every command needs; no other file creates a second one in the same process. Asks PostgreSQL for its time at once,
 * without waiting for the reply. Throws ConfigError if a required setting is missing. `own` contains endpoints that already listen for
 * this process; those of the settings are added.
 */
export function createDependencies(
  config: Config,
  log: Logger,
  own: OwnAddresses,
  { meters, tracing }: Observers = {},
): Connected {
  const { databaseUrl, pooledDatabaseUrl, encryptionKeys } = config;
  if (databaseUrl === undefined)
    throw new ConfigError('DATABASE_URL must be set; only `posthorn start` has an embedded PostgreSQL');
  if (encryptionKeys.length === 0)
    throw new ConfigError('ENCRYPTION_KEYS must be set to <name>:<base64 of 32 bytes>, the same in every process');
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

/** Caches the configurations of channels in this database. */
export const createConfigs = (pool: Pool): PublishingConfigs =>
  createPublishingConfigs((...which) => loadPublishingConfig({ pool, readTrigger: eventTriggerOf }, ...which));

/** Address guard that allows the operator's ranges and rejects the service's own addresses. */
export const createGuard = (config: Config, own: OwnAddresses): AddressGuard =>
  createAddressGuard({ allowCidrs: config.webhookAllowCidrs, allowHttp: config.allowHttpWebhooks, own });

// A clock that jumps is noticed at once; only one that was wrong from the start waits for the next comparison.
const EVERY_MS = 30_000;
// Until the first reply has arrived.
const FIRST_EVERY_MS = 1_000;

/**
 * Compares the clock with PostgreSQL's, at once and every 30 s, as long as the process lives, so that all processes and PostgreSQL
 * agree on due times, whatever a machine's clock shows. Logs when the clocks start to differ, and when they agree again. A failed
 * comparison changes nothing.
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
        "this machine's clock differs from PostgreSQL's; this process now uses PostgreSQL's time. Run a time service (NTP) on both",
      );
    if (aheadMs === 0 && isApart)
      log.info("this machine's clock agrees with PostgreSQL's again; this process uses it again");
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
