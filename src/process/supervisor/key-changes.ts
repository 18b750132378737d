// The change is committed, and a process that hangs for longer answers nobody meanwhile. Its belief ends after 5 s at the latest.
const PATIENCE_MS = 2_000;

/** A process that may believe in a key. */
type Believer = { forget(change: number, id: string): void };

/**
 * Makes processes forget a key before its change is answered: a request that a caller sends behind that answer meets the change,
 * whichever process it reaches.
 */
export function createKeyChanges<P extends Believer>() {
  const open = new Map<number, { awaited: Set<P>; done(): void }>();
  let changes = 0;

  const settle = (change: number, process: P): void => {
    const waiting = open.get(change);
    if (waiting === undefined) return;
    waiting.awaited.delete(process);
    if (waiting.awaited.size > 0) return;
    open.delete(change);
    waiting.done();
  };

  return {
    /** Resolves when all of them have forgotten the key or died, after 2 s at the latest. */
    announce(id: string, others: readonly P[]): Promise<void> {
      if (others.length === 0) return Promise.resolve();
      changes += 1;
      const change = changes;
      return new Promise((resolve) => {
        const patience = setTimeout(() => {
          open.delete(change);
          resolve();
        }, PATIENCE_MS);
        const done = (): void => {
          clearTimeout(patience);
          resolve();
        };
        open.set(change, { awaited: new Set(others), done });
        for (const other of others) other.forget(change, id);
      });
    },
    forgotten: settle,
    /** A process that has died believes nothing. */
    leave(process: P): void {
      for (const change of open.keys()) settle(change, process);
    },
  };
}
