import type { Dependencies } from '../../dependencies.ts';
import { createBelief } from '../belief/belief.ts';
import type { EnvironmentCaller } from '../caller.ts';
import { appSuspended } from '../scheme.ts';
import { findKnownCredential, type KnownCredential } from './store.ts';

/** The part of an access token that says whose it is and what it may. */
export type TokenHolder = { id: string; epoch: number; scopes: ReadonlySet<string> };

export type KnownCredentials = {
  /** Who has this token; undefined when its credential is revoked or expired, or has ended its tokens. FORBIDDEN while the app is suspended. */
  callerOf(holder: TokenHolder): Promise<EnvironmentCaller | undefined>;
  /** Forgets what is known of a credential, or of all of an app, so that this process sees a change at once. */
  forget(id: string): void;
};

/** Machine credentials as API calls see them. */
export function createKnownCredentials({ db, clock }: Pick<Dependencies, 'db' | 'clock'>): KnownCredentials {
  const belief = createBelief<KnownCredential>(clock);
  return {
    async callerOf({ id, epoch, scopes }) {
      const known = await belief.recall(id, () => findKnownCredential(db, id));
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
    forget: (id) => belief.forget((known) => known.id === id || known.appId === id),
  };
}
