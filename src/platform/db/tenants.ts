import type { Pool, PoolClient } from 'pg';
import type { Database, DatabaseReader, DatabaseTransaction } from './client.ts';
import { CONNECT_TIMEOUT_MS, type PoolPatience } from './connection.ts';
import { beginAs, enter, readAsTenant, type Tenant } from './tenant-query.ts';
import { findRoleGap, type RoleGap } from './tenant-role.ts';
import { inTransaction } from './transaction.ts';

/**
 * How services access PostgreSQL for everything that callers request, except the hot statements (decision 37). Each call is one
 * transaction as the role posthorn_tenant: PostgreSQL shows it only the rows of the tenant, and rejects writes to others. If the role
 * is missing, it is an ordinary transaction of the system connection's user. An environment uses at most its share of the connections
 * (`createConnectionShares`), so `work` must not call these again for the same tenant.
 */
export type Tenants = {
  within<T>(tenant: Tenant, work: (transaction: DatabaseTransaction) => Promise<T>, options?: Patience): Promise<T>;
  /**
   * For reads, in one round trip per statement: each is a transaction of its own. A transaction around them would take two more round
   * trips, and twice the CPU time of a call by id.
   */
  read<T>(tenant: Tenant, work: (reader: DatabaseReader) => Promise<T>): Promise<T>;
  /** For lists, with a timeout of 30 s. */
  list<T>(tenant: Tenant, work: (transaction: DatabaseTransaction) => Promise<T>): Promise<T>;
  /** For raw SQL on a connection of the pool, without a time limit. */
  onConnection<T>(tenant: Tenant, work: (connection: PoolClient) => Promise<T>): Promise<T>;
};

/** The transaction fails after this many ms. Default: 5,000. */
type Patience = { timeout?: number };

// The slowest known list took 10 s from a cold disk; Prisma's own limit for a transaction is half of that.
const FOR_LISTS: Patience = { timeout: 30_000 };

// The time between the starts of Prisma's clock and ours: one round trip on a busy machine.
const CLOCKS_APART_MS = 50;

// An administrator may create the role while the service runs. Until then, each process checks for it at this interval.
const LOOK_AGAIN_MS = 60_000;

/** Prisma has ended a transaction at its time limit. The code is that of Prisma's own error for it. */
class TransactionExpired extends Error {
  override readonly name = 'TransactionExpired';
  readonly code = 'P2028';
}

/**
 * Runs the work and turns its failures after the limit into TransactionExpired. Prisma rolls back at the limit, even in the middle of a
 * call that stores a row and reads it again: the call then returns null, and an error derived from that null would be misleading.
 */
const withinTime =
  <T>(work: (transaction: DatabaseTransaction) => Promise<T>, { timeout = CONNECT_TIMEOUT_MS }: Patience = {}) =>
  async (transaction: DatabaseTransaction): Promise<T> => {
    const begunAt = performance.now();
    try {
      return await work(transaction);
    } catch (failure) {
      // Prisma's own clock started slightly earlier.
      if (performance.now() - begunAt < timeout - CLOCKS_APART_MS) throw failure;
      throw new TransactionExpired(`The transaction took more than ${timeout} ms`, { cause: failure });
    }
  };

/** Connections of each pool, which are shared by environments, and by organisations outside their environments. */
export type PoolSizes = { prisma: number; pool: number };
// The pools' own defaults.
const SIZES: PoolSizes = { prisma: 10, pool: 20 };

const ownerOf = ({ organisationId, environmentId }: Tenant): string => environmentId ?? organisationId;

/** `db` is a client of `createDatabase`. */
export function createTenants(
  { db, pool }: { db: Database; pool: Pool },
  options: Partial<PoolSizes> & PoolPatience = {},
): Tenants {
  const sizes = { ...SIZES, ...options };
  const ofPrisma = createConnectionShares(sizes.prisma, options);
  const ofPool = createConnectionShares(sizes.pool, options);
  let known: { at: number; gap: Promise<RoleGap> } | undefined;

  /** Once found, the role is never checked again: if it disappears, calls fail instead of running without isolation. */
  const isOn = async (): Promise<boolean> => {
    known ??= { at: performance.now(), gap: findRoleGap(pool) };
    const { at, gap } = known;
    const found = await gap.catch((failure: unknown) => {
      known = undefined;
      throw failure;
    });
    if (found !== null && performance.now() - at > LOOK_AGAIN_MS) known = undefined;
    return found === null;
  };

  const transact: Tenants['within'] = async (tenant, work, options) => {
    const inTime = withinTime(work, options);
    if (!(await isOn())) return db.$transaction(inTime, options);
    return enter(tenant, (hasEntered) =>
      db.$transaction(async (transaction) => {
        if (!hasEntered()) throw new Error('A transaction began without its tenant');
        return inTime(transaction);
      }, options),
    );
  };

  const within: Tenants['within'] = (tenant, work, options) =>
    ofPrisma(ownerOf(tenant), () => transact(tenant, work, options));

  return {
    within,
    read: (tenant, work) =>
      ofPrisma(ownerOf(tenant), async () => ((await isOn()) ? readAsTenant(tenant, () => work(db)) : work(db))),
    list: (tenant, work) => within(tenant, work, FOR_LISTS),
    onConnection: (tenant, work) =>
      ofPool(ownerOf(tenant), async () => inTransaction(pool, work, (await isOn()) ? beginAs(tenant) : undefined)),
  };
}

/** An environment has waited for a connection for the maximum time. fromDatabaseError knows the `code`. */
class ShareTaken extends Error {
  override readonly name = 'ShareTaken';
  readonly code = 'SHARE_TAKEN';
}

/** Runs `work` once its owner may use another connection. Throws ShareTaken after `connectWithinMs`. */
type ConnectionShares = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

type Waiter = { begin(): void };
type Share = { inUse: number; waiting: Set<Waiter> };

/**
 * Limits how many of a pool's `connections` an owner uses at a time. Without it, 20 requests of one environment that wait for a row
 * lock, or read a long list, take all connections, and the requests of every other environment fail.
 * One owner uses at most half of them. The last quarter is for owners that use none, so that two busy environments leave room for a
 * third. Waiting owners take turns. Work must not request another connection for its own owner, because it could wait for itself.
 */
export function createConnectionShares(
  connections: number,
  { connectWithinMs = CONNECT_TIMEOUT_MS }: PoolPatience = {},
): ConnectionShares {
  const mostOfOne = Math.max(1, Math.floor(connections / 2));
  const mostOfBusy = connections - Math.ceil(connections / 4);
  /** Owners that use connections or wait for one; the first one is next. */
  const owners = new Map<string, Share>();
  let inUse = 0;

  const mayBegin = (share: Share): boolean => share.inUse === 0 || (share.inUse < mostOfOne && inUse < mostOfBusy);
  const begin = (share: Share): void => {
    share.inUse += 1;
    inUse += 1;
  };

  /** Gives connections to waiting owners that may have one. An owner that was served moves to the end. */
  const admit = (): void => {
    for (const [owner, share] of owners) {
      const [next] = share.waiting;
      if (next === undefined || !mayBegin(share)) continue;
      share.waiting.delete(next);
      begin(share);
      owners.delete(owner);
      owners.set(owner, share);
      next.begin();
    }
  };

  const turnOf = (owner: string): Promise<void> => {
    const share = owners.get(owner) ?? { inUse: 0, waiting: new Set() };
    owners.set(owner, share);
    if (share.waiting.size === 0 && mayBegin(share)) {
      begin(share);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        share.waiting.delete(waiter);
        reject(
          new ShareTaken(`Other requests of ${owner} have used all connections of its share for ${connectWithinMs} ms`),
        );
      }, connectWithinMs);
      share.waiting.add(waiter);
    });
  };

  const giveBack = (owner: string): void => {
    const share = owners.get(owner);
    if (share === undefined) return;
    share.inUse -= 1;
    inUse -= 1;
    admit();
    // An owner that is waiting has a connection, or has just got one.
    if (share.inUse === 0) owners.delete(owner);
  };

  return async (owner, work) => {
    await turnOf(owner);
    try {
      return await work();
    } finally {
      giveBack(owner);
    }
  };
}
