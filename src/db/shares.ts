import { CONNECT_TIMEOUT_MS } from './connections/connection.ts';

/** An environment has waited for a connection for as long as a caller waits (`CONNECT_TIMEOUT_MS`). `code` is that of fromDatabaseError. */
class ShareTaken extends Error {
  override readonly name = 'ShareTaken';
  readonly code = 'SHARE_TAKEN';
}

/** Runs `work` once its owner has a connection to spare. Throws ShareTaken after `CONNECT_TIMEOUT_MS`. */
export type ConnectionShares = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

type Waiter = { begin(): void };

/**
 * Bounds the connections of a pool that one owner uses at a time. Without this bound 20 requests of one environment that wait for a row
 * lock, or read a long list, take all connections, and the requests of every other environment fail. Work must not ask for another
 * connection of its own owner: it could wait for itself.
 */
export function createConnectionShares(most: number): ConnectionShares {
  const owners = new Map<string, { inUse: number; waiting: Set<Waiter> }>();

  const turnOf = (owner: string): Promise<void> => {
    const share = owners.get(owner) ?? { inUse: 0, waiting: new Set() };
    owners.set(owner, share);
    if (share.inUse < most) {
      share.inUse += 1;
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
        reject(new ShareTaken(`${most} other requests of ${owner} used the database for ${CONNECT_TIMEOUT_MS} ms`));
      }, CONNECT_TIMEOUT_MS);
      share.waiting.add(waiter);
    });
  };

  const giveBack = (owner: string): void => {
    const share = owners.get(owner);
    if (share === undefined) return;
    const [next] = share.waiting;
    if (next !== undefined) {
      // The connection goes to the one that has waited longest, and stays counted.
      share.waiting.delete(next);
      next.begin();
      return;
    }
    share.inUse -= 1;
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
