import { LRUCache } from 'lru-cache';

/** How long a credential is believed without asking PostgreSQL: a revocation holds in every process after this at the latest. */
const BELIEF_MS = 5_000;
/** The same for whom something lasts, whose right is looked at every 2 s: both together are less than the 5 s. */
export const RENEWAL: Asked = { maximumAgeMs: 2_000 };
/** Most credentials that are remembered; the one that was asked for longest ago goes first. */
const MAX_REMEMBERED = 10_000;

type Entry<T> = { readAt: number; reading: Promise<T | undefined>; known?: T };

/** How old what is remembered may be. */
export type Asked = { maximumAgeMs: number };
const FIRST: Asked = { maximumAgeMs: BELIEF_MS };

/** Credentials of one kind as a process has read them, remembered for a few seconds. */
export type Belief<T> = {
  /** The one of that name, by `read` where nothing is remembered. Unknown names are not remembered: strangers could fill the memory. */
  recall(name: string, read: () => Promise<T | undefined>, asked?: Asked): Promise<T | undefined>;
  /** Forgets those that `isMeant` says, so that this process sees a change at once. */
  forget(isMeant: (known: T) => boolean): void;
};

export function createBelief<T>(clock: () => Date): Belief<T> {
  const entries = new LRUCache<string, Entry<T>>({ max: MAX_REMEMBERED });
  return {
    recall(name, read, { maximumAgeMs } = FIRST) {
      const now = clock().getTime();
      const held = entries.get(name);
      // The age counts from before the query: what it read may have been revoked right behind it.
      if (held !== undefined && now - held.readAt < maximumAgeMs && now >= held.readAt) return held.reading;
      const entry: Entry<T> = { readAt: now, reading: read() };
      entries.set(name, entry);
      const drop = (): void => {
        if (entries.peek(name) === entry) entries.delete(name);
      };
      entry.reading.then((known) => {
        if (known === undefined) drop();
        else entry.known = known;
      }, drop);
      return entry.reading;
    },
    forget(isMeant) {
      // One that is still being read may have been read as it was before the change.
      const meant = [...entries].filter(([, { known }]) => known === undefined || isMeant(known));
      for (const [name] of meant) entries.delete(name);
    },
  };
}
