import { CONNECT_TIMEOUT_MS, type PoolPatience } from './connections/connection.ts';

/** An environment has waited for a connection for as long as a caller waits. `code` is that of fromDatabaseError. */
class ShareTaken extends Error {
  override readonly name = 'ShareTaken';
  readonly code = 'SHARE_TAKEN';
}

/** Runs `work` once its owner has a connection to spare. Throws ShareTaken after `connectWithinMs`. */
export type ConnectionShares = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

type Waiter = { begin(): void };
type Share = { inUse: number; waiting: Set<Waiter> };

/**
 * Bounds what owners use of a pool's `connections` at a time. Without it 20 requests of one environment that wait for a row lock, or read
 * a long list, take all connections, and the requests of every other environment fail.
 *
 * One owner uses half of them at most. The last quarter is for owners that use none: two busy environments leave a third one its turn.
 * Owners that wait take turns. Work must not ask for another connection of its own owner: it could wait for itself.
 */
export function createConnectionShares(
  connections: number,
  { connectWithinMs = CONNECT_TIMEOUT_MS }: PoolPatience = {},
): ConnectionShares {
  const mostOfOne = Math.max(1, Math.floor(connections / 2));
  const mostOfBusy = connections - Math.ceil(connections / 4);
  /** Owners that use connections or wait for one; the one that comes first is the next one. */
  const owners = new Map<string, Share>();
  let inUse = 0;

  const mayBegin = (share: Share): boolean => share.inUse === 0 || (share.inUse < mostOfOne && inUse < mostOfBusy);
  const begin = (share: Share): void => {
    share.inUse += 1;
    inUse += 1;
  };

  /** Gives connections to those that wait and may have one. An owner that has got one comes last again. */
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
        reject(new ShareTaken(`Other requests used the connections that ${owner} may use for ${connectWithinMs} ms`));
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
    // One that waits has a connection, or has just got one.
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
