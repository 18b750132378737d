import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import type { EnvironmentCaller } from '../../../api/caller.ts';
import {
  type Scope,
  SCOPES_OF_ROLE,
  resolveLimits,
  type Tier,
  SCOPES,
  limitAbove,
  type Limits,
  TIERS,
} from '../../../kernel/words/rights.ts';
import { lockHolders, lockRole } from './store.ts';

/** The rights of a credential: none of them may exceed its maker's. */
type Grant = { tier: Tier; scopes: readonly Scope[]; limits: Limits; expiresAt?: Date | undefined };

/** Limits of a credential's own, beside its tier's. */
export type OwnLimits = { readonly [name in keyof Limits]?: number | null | undefined };

/** Throws FORBIDDEN when a credential would have more than the caller's own: a scope, a tier or a limit above, or a longer life. */
export function refuseGrant(own: Grant, wanted: Grant): void {
  const scope = wanted.scopes.find((name) => !own.scopes.includes(name));
  if (scope !== undefined) refuse('scopes', `this credential does not have ${scope} itself`);
  if (TIERS.indexOf(wanted.tier) > TIERS.indexOf(own.tier))
    refuse('tier', `must not be above ${own.tier}, the tier of this credential`);
  const limit = limitAbove(wanted.limits, own.limits);
  if (limit !== undefined)
    refuse(`limits.${limit}`, `must be at most ${own.limits[limit]}, the limit of this credential`);
  if (own.expiresAt !== undefined && (wanted.expiresAt === undefined || wanted.expiresAt > own.expiresAt))
    refuse('expiresAt', `must not be later than ${own.expiresAt.toISOString()}, when this credential expires`);
}

function refuse(field: string, reason: string): never {
  throw new ApiError('FORBIDDEN', `${field}: ${reason}`, { details: { field, reason } });
}

export const inOrder = (scopes: readonly Scope[]): Scope[] => SCOPES.filter((scope) => scopes.includes(scope));

export function requireFuture(expiresAt: Date | undefined, now: Date): void {
  if (expiresAt !== undefined && expiresAt <= now) throw invalidField('expiresAt', 'must be in the future');
}

const TIER_ALONE = { requestsPerMinute: null, burst: null, concurrent: null, batchPerMinute: null } as const;

/**
 * The limits of its own that a change gives a credential; null follows the tier. Another tier brings its own limits, but for those
 * given beside it. A limit that is in force already stays where it comes from, so that a credential which is sent back as it was
 * read goes on following its tier.
 */
export function limitsToWrite(
  credential: { tier: Tier; ownLimits: OwnLimits },
  {
    tier = credential.tier,
    limits = {},
  }: { tier?: Tier; limits?: { readonly [name in keyof Limits]?: number | null } | null },
): Partial<Record<keyof Limits, number | null>> {
  if (limits === null) return TIER_ALONE;
  const isOtherTier = tier !== credential.tier;
  const inForce = resolveLimits(tier, isOtherTier ? TIER_ALONE : credential.ownLimits);
  const written: Partial<Record<keyof Limits, number | null>> = isOtherTier ? { ...TIER_ALONE } : {};
  // `as`: the keys of `limits` are those of Limits.
  for (const name of Object.keys(limits) as (keyof Limits)[]) {
    const given = limits[name];
    if (given !== undefined && given !== inForce[name]) written[name] = given;
  }
  return written;
}

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
