import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { type Asked, createBelief } from '../belief/belief.ts';
import { type EnvironmentCaller, appSuspended } from '../../../api/caller.ts';
import { environmentOfKey, hashKey } from './hash.ts';
import { findKnownKey, type KnownKey, touchApiKey } from './store.ts';

/** lastUsedAt is written once in this time: a row written at every request would be the hottest of all. */
const TOUCH_MS = 60_000;
/** Keys whose last write is remembered. One that was forgotten costs a statement that writes nothing. */
const MAX_TOUCHED = 10_000;

type Authenticating = { asked?: Asked; addressOf?: () => string };

export type KnownKeys = {
  /**
   * Who has this key; undefined when it is unknown, revoked or expired. FORBIDDEN while its app is suspended. `addressOf` is asked once a
   * minute, where the use is noted.
   */
  authenticate(key: string, how?: Authenticating): Promise<EnvironmentCaller | undefined>;
  /** Forgets what is known of a key, or of all keys of an app, so that this process sees a change at once. */
  forget(id: string): void;
  /** Resolves when every lastUsedAt that is on its way has been written. */
  settled(): Promise<void>;
};

/** Keys as authentication sees them. */
export function createKnownKeys({ db, clock, log }: Pick<Dependencies, 'db' | 'clock' | 'log'>): KnownKeys {
  const belief = createBelief<KnownKey>(clock);
  const touchedAt = new LRUCache<string, number>({ max: MAX_TOUCHED });
  const touches = new Set<Promise<void>>();

  /** Not awaited by the request; a use that could not be noted is noted with the next one. */
  const touch = ({ id, lastUsedAt }: KnownKey, addressOf: Authenticating['addressOf']): void => {
    const now = clock();
    const noted = Math.max(touchedAt.get(id) ?? 0, lastUsedAt?.getTime() ?? 0);
    if (now.getTime() - noted < TOUCH_MS) return;
    touchedAt.set(id, now.getTime());
    const use = { now, unlessSince: new Date(now.getTime() - TOUCH_MS), address: addressOf?.() ?? null };
    const writing = touchApiKey(db, id, use)
      .catch((error: unknown) => {
        touchedAt.delete(id);
        log.warn({ err: error, credentialId: id }, 'lastUsedAt was not written');
      })
      .finally(() => touches.delete(writing));
    touches.add(writing);
  };

  return {
    async authenticate(key, { asked, addressOf } = {}) {
      const environment = environmentOfKey(key);
      if (environment === undefined) return undefined;
      const hash = hashKey(key);
      const generation = hash.toString('base64');
      const known = await belief.recall(generation, () => findKnownKey(db, hash), asked);
      if (known === undefined || known.environment !== environment) return undefined;
      if (known.expiresAt !== undefined && known.expiresAt <= clock()) return undefined;
      if (known.isAppSuspended) throw appSuspended();
      touch(known, addressOf);
      const { organisationId, appId, environmentId, limits } = known;
      return {
        principal: { kind: 'apiKey', id: known.id },
        level: 'environment',
        organisationId,
        appId,
        environmentId,
        environment,
        generation,
        scopes: known.scopes,
        limits,
      };
    },
    forget: (id) => belief.forget((known) => known.id === id || known.appId === id),
    async settled() {
      await Promise.all(touches);
    },
  };
}
