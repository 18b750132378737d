import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../../dependencies.ts';
import type { EnvironmentCaller } from '../caller.ts';
import { appSuspended } from '../scheme.ts';
import { environmentOfKey, hashKey } from './hash.ts';
import { findKnownKey, type KnownKey, touchApiKey } from './store.ts';

/** How long a key is believed without asking PostgreSQL: a revocation holds in every process after this at the latest. */
export const BELIEF_MS = 5_000;
/** lastUsedAt is written once in this time: a row written at every request would be the hottest of all. */
const TOUCH_MS = 60_000;
/** Most keys that are remembered; the one that was asked for longest ago goes first. */
const MAX_REMEMBERED = 10_000;

type Entry = { readAt: number; key: Promise<KnownKey | undefined>; touchedAt: number };

export type KnownKeys = {
  /** Who has this key; undefined when it is unknown, revoked or expired. FORBIDDEN while its app is suspended. */
  authenticate(key: string): Promise<EnvironmentCaller | undefined>;
  /** Forgets what is known of a key, or of all keys of an app, so that this process sees a change at once. */
  forget(id: string): void;
  /** Resolves when every lastUsedAt that is on its way has been written. */
  settled(): Promise<void>;
};

/** Keys as authentication sees them, remembered for a few seconds. Unknown keys are not remembered: strangers could fill the memory. */
export function createKnownKeys({ db, clock, log }: Pick<Dependencies, 'db' | 'clock' | 'log'>): KnownKeys {
  const entries = new LRUCache<string, Entry>({ max: MAX_REMEMBERED });
  const touches = new Set<Promise<void>>();

  const recall = (key: string): Entry => {
    const name = hashKey(key).toString('base64');
    const now = clock().getTime();
    const held = entries.get(name);
    // The age counts from before the query: what it read may have been revoked right behind it.
    const isFresh = held !== undefined && now - held.readAt < BELIEF_MS && now >= held.readAt;
    const entry = isFresh
      ? held
      : { readAt: now, key: findKnownKey(db, hashKey(key)), touchedAt: held?.touchedAt ?? 0 };
    if (!isFresh) entries.set(name, entry);
    if (!isFresh) dropUnlessKnown(name, entry);
    return entry;
  };

  const dropUnlessKnown = (name: string, entry: Entry): void => {
    const drop = (): void => {
      if (entries.peek(name) === entry) entries.delete(name);
    };
    entry.key.then((known) => known ?? drop(), drop);
  };

  /** Not awaited by the request; a use that could not be noted is noted with the next one. */
  const touch = (entry: Entry, known: KnownKey): void => {
    const now = clock();
    const noted = Math.max(entry.touchedAt, known.lastUsedAt?.getTime() ?? 0);
    if (now.getTime() - noted < TOUCH_MS) return;
    entry.touchedAt = now.getTime();
    const writing = touchApiKey(db, known.id, now, new Date(now.getTime() - TOUCH_MS))
      .catch((error: unknown) => {
        entry.touchedAt = 0;
        log.warn({ err: error, credentialId: known.id }, 'lastUsedAt was not written');
      })
      .finally(() => touches.delete(writing));
    touches.add(writing);
  };

  return {
    async authenticate(key) {
      const environment = environmentOfKey(key);
      if (environment === undefined) return undefined;
      const entry = recall(key);
      const known = await entry.key;
      if (known === undefined || known.environment !== environment) return undefined;
      if (known.expiresAt !== undefined && known.expiresAt <= clock()) return undefined;
      if (known.isAppSuspended) throw appSuspended();
      touch(entry, known);
      const { organisationId, appId, environmentId, limits } = known;
      return {
        principal: { kind: 'apiKey', id: known.id },
        level: 'environment',
        organisationId,
        appId,
        environmentId,
        environment,
        scopes: new Set(known.scopes),
        limits,
      };
    },
    forget(id) {
      for (const [name, entry] of entries) {
        entry.key.then(
          (known) => (known?.id === id || known?.appId === id) && entries.delete(name),
          () => undefined,
        );
      }
    },
    async settled() {
      await Promise.all(touches);
    },
  };
}
