import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { EnvironmentCaller } from '../../../api/caller.ts';
import { type Scope, SCOPES_OF_ROLE, resolveLimits, type Tier } from '../../../kernel/words/rights.ts';
import { type Grant, inOrder, type OwnLimits } from './grant.ts';
import { lockHolders, lockRole } from './store.ts';

/** The rights of a caller as they are at this moment, with the limits of its own. */
export type OwnGrant = Grant & {
  ownLimits: OwnLimits;
  /** The tier of what it makes without naming one. */
  usualTier: Tier;
};

/**
 * Rights of the calling credential, of whatever kind. The row is kept from changing until the transaction ends, as are those of the
 * credentials named in `ids`: what was allowed is what is done. Throws UNAUTHORIZED for one that holds no longer, or was rotated: it is
 * believed for some seconds, too long to make another credential that stays. A person has the rights of the role, which stays until the
 * transaction ends, and throws FORBIDDEN without one that may make credentials. Whether the session has ended since the request was let
 * in is not asked: sessions are closed to the tenant's role, and what one makes at its end it could have made a moment before.
 */
export async function lockOwnGrant(
  transaction: DatabaseTransaction,
  { organisationId, environmentId, principal, scopes, generation }: EnvironmentCaller,
  ids: readonly string[],
  now: Date,
): Promise<OwnGrant> {
  // Organisations before credentials, as everywhere.
  const role = principal.kind === 'person' ? await lockRole(transaction, organisationId, principal.id) : undefined;
  const locked = await lockHolders(transaction, environmentId, [principal.id, ...ids]);
  if (principal.kind === 'person') {
    if (role === undefined || !SCOPES_OF_ROLE[role].has('credentials:write'))
      throw new ApiError('FORBIDDEN', 'Your role in this organisation makes no credentials any more');
    return grantOfPerson(SCOPES_OF_ROLE[role]);
  }
  const own = locked.get(principal.id);
  const isOver = own === undefined || own.status !== 'active' || (own.expiresAt !== null && own.expiresAt <= now);
  if (isOver || own.generation !== generation) throw new ApiError('UNAUTHORIZED', 'The API key is invalid or missing');
  const { tier, expiresAt, requestsPerMinute, burst, concurrent, batchPerMinute } = own;
  const ownLimits = { requestsPerMinute, burst, concurrent, batchPerMinute };
  return {
    tier,
    usualTier: tier,
    // An access token may have fewer than its credential, and a credential fewer than when it was last looked at.
    scopes: own.scopes.filter((scope) => scopes.has(scope)),
    limits: resolveLimits(tier, ownLimits),
    ownLimits,
    expiresAt: expiresAt ?? undefined,
  };
}

const UNBOUNDED = {
  requestsPerMinute: Number.POSITIVE_INFINITY,
  burst: Number.POSITIVE_INFINITY,
  concurrent: Number.POSITIVE_INFINITY,
  batchPerMinute: Number.POSITIVE_INFINITY,
};

/**
 * A person may give every scope that their role has, and any tier and limits, as the command line may. Both give pro where they name none.
 */
const grantOfPerson = (scopes: ReadonlySet<Scope>): OwnGrant => ({
  tier: 'enterprise',
  usualTier: 'pro',
  scopes: inOrder([...scopes]),
  limits: UNBOUNDED,
  ownLimits: {},
  expiresAt: undefined,
});
