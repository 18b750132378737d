import type { Dependencies } from '../../../platform/dependencies.ts';
import { type Asked, createBelief } from '../belief/belief.ts';
import type { Scope } from '../../../kernel/words/rights.ts';
import { type EnvironmentCaller, appSuspended } from '../../../api/caller.ts';
import { findKnownCredential, type KnownCredential } from './authentication-store.ts';

/** The part of an access token that says whose it is and what it may. */
type TokenHolder = {
  id: string;
  epoch: number;
  /** The secret that got the token; undefined for a token of a release that did not note it. */
  secretId: string | undefined;
  scopes: ReadonlySet<string>;
};

export type KnownCredentials = {
  /**
   * Who has this token; undefined when its credential is revoked or expired, or has ended its tokens. FORBIDDEN while the app is suspended.
   */
  callerOf(holder: TokenHolder, asked?: Asked): Promise<EnvironmentCaller | undefined>;
  /** Forgets what is known of a credential, or of all of an app, so that this process sees a change at once. */
  forget(id: string): void;
};

/** A secret that was rotated may have been stolen, and would otherwise rotate again for ever, or make credentials that stay. */
export const scopesBy = (
  secretId: string | undefined,
  { scopes, newestSecretId }: Pick<KnownCredential, 'scopes' | 'newestSecretId'>,
): readonly Scope[] => (secretId === newestSecretId ? scopes : scopes.filter((scope) => scope !== 'credentials:write'));

/** Machine credentials as API calls see them. */
export function createKnownCredentials({ db, clock }: Pick<Dependencies, 'db' | 'clock'>): KnownCredentials {
  const belief = createBelief<KnownCredential>(clock);
  return {
    async callerOf({ id, epoch, secretId: given, scopes }, asked) {
      const known = await belief.recall(id, () => findKnownCredential(db, id), asked);
      if (known === undefined || known.epoch !== epoch) return undefined;
      if (known.expiresAt !== undefined && known.expiresAt <= clock()) return undefined;
      if (known.isAppSuspended) throw appSuspended();
      const secretId = given ?? known.newestSecretId;
      const { organisationId, appId, environmentId, environment, limits } = known;
      return {
        principal: { kind: 'machineCredential', id },
        level: 'environment',
        organisationId,
        appId,
        environmentId,
        environment,
        generation: `${epoch}/${secretId}`,
        // Scopes that the token was given and its secret still has.
        scopes: new Set(scopesBy(secretId, known).filter((scope) => scopes.has(scope))),
        limits,
      };
    },
    forget: (id) => belief.forget((known) => known.id === id || known.appId === id),
  };
}
