import { LRUCache } from 'lru-cache';
import type { Dependencies } from '../../dependencies.ts';
import type { EnvironmentCaller } from '../caller.ts';
import { appSuspended } from '../scheme.ts';
import { findKnownCredential, type KnownCredential } from './store.ts';

/** How long a credential is believed without asking PostgreSQL: as long as an API key (api-keys/known-keys.ts). */
const BELIEF_MS = 5_000;
/** Most credentials that are remembered; the one that was asked for longest ago goes first. */
const MAX_REMEMBERED = 10_000;

type Entry = { readAt: number; credential: Promise<KnownCredential | undefined> };

/** The part of an access token that says whose it is and what it may. */
export type TokenHolder = { id: string; epoch: number; scopes: ReadonlySet<string> };

export type KnownCredentials = {
  /** Who has this token; undefined when its credential is revoked or expired, or has ended its tokens. FORBIDDEN while the app is suspended. */
  callerOf(holder: TokenHolder): Promise<EnvironmentCaller | undefined>;
  /** Forgets what is known of a credential, or of all of an app, so that this process sees a change at once. */
  forget(id: string): void;
};

/**
 * Machine credentials as API calls see them, remembered for a few seconds. An id comes out of a token that we have signed, so that
 * strangers cannot fill the memory.
 */
export function createKnownCredentials({ db, clock }: Pick<Dependencies, 'db' | 'clock'>): KnownCredentials {
  const entries = new LRUCache<string, Entry>({ max: MAX_REMEMBERED });

  const recall = (id: string): Promise<KnownCredential | undefined> => {
    const now = clock().getTime();
    const held = entries.get(id);
    // The age counts from before the query: what it read may have been revoked right behind it.
    if (held !== undefined && now - held.readAt < BELIEF_MS && now >= held.readAt) return held.credential;
    const entry = { readAt: now, credential: findKnownCredential(db, id) };
    entries.set(id, entry);
    entry.credential.catch(() => {
      if (entries.peek(id) === entry) entries.delete(id);
    });
    return entry.credential;
  };

  return {
    async callerOf({ id, epoch, scopes }) {
      const known = await recall(id);
      if (known === undefined || known.epoch !== epoch) return undefined;
      if (known.expiresAt !== undefined && known.expiresAt <= clock()) return undefined;
      if (known.isAppSuspended) throw appSuspended();
      const { organisationId, appId, environmentId, environment, limits } = known;
      return {
        principal: { kind: 'machineCredential', id },
        level: 'environment',
        organisationId,
        appId,
        environmentId,
        environment,
        // Scopes that the token was given and the credential still has.
        scopes: new Set(known.scopes.filter((scope) => scopes.has(scope))),
        limits,
      };
    },
    forget(id) {
      entries.delete(id);
      for (const [name, entry] of entries) {
        entry.credential.then(
          (known) => known?.appId === id && entries.delete(name),
          () => undefined,
        );
      }
    },
  };
}
