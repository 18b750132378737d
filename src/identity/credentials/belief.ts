import { LRUCache } from 'lru-cache';

/** How long a credential is cached. A revocation takes effect in every process within this time. */
const BELIEF_MS = 5_000;
/**
 * Maximum cache age for long-lived requests such as streams, whose rights are checked every 2 s: both together stay
 * below 5 s.
 */
export const RENEWAL: Asked = { maximumAgeMs: 2_000 };
/** Maximum number of cached credentials. The least recently used one is evicted first. */
const MAX_REMEMBERED = 10_000;

type Entry<T> = { readAt: number; reading: Promise<T | undefined>; known?: T };

/** The maximum age of a cached entry. */
export type Asked = { maximumAgeMs: number };
const FIRST: Asked = { maximumAgeMs: BELIEF_MS };

/** Caches credentials of one kind for a few seconds. */
export type Belief<T> = {
  /**
   * Returns the credential with that name, calling `read` if it is not cached. Unknown names are not cached, because
   * strangers could fill the cache.
   */
  recall(name: string, read: () => Promise<T | undefined>, asked?: Asked): Promise<T | undefined>;
  /** Removes the entries that match, so that this process sees a change at once. */
  forget(isMeant: (known: T) => boolean): void;
};

export function createBelief<T>(clock: () => Date): Belief<T> {
  const entries = new LRUCache<string, Entry<T>>({ max: MAX_REMEMBERED });
  return {
    recall(name, read, { maximumAgeMs } = FIRST) {
      const now = clock().getTime();
      const held = entries.get(name);
      // Count the age from before the query: what it read may have been revoked right after.
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
      // Also drop entries that are still being read: they may have been read before the change.
      const meant = [...entries].filter(([, { known }]) => known === undefined || isMeant(known));
      for (const [name] of meant) entries.delete(name);
    },
  };
}
