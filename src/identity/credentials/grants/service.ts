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

/** The rights of a credential. None may exceed those of its creator. */
type Grant = { tier: Tier; scopes: readonly Scope[]; limits: Limits; expiresAt?: Date | undefined };

/** Limits set on the credential itself, overriding those of its tier. */
export type OwnLimits = { readonly [name in keyof Limits]?: number | null | undefined };

/**
 * Throws FORBIDDEN if a credential would exceed the rights of the caller: by a scope, a tier, a limit or a later
 * expiry.
 */
export function refuseGrant(own: Grant, wanted: Grant): void {
  const scope = wanted.scopes.find((name) => !own.scopes.includes(name));
  if (scope !== undefined)
    refuse('scopes', `must be among the scopes of the calling credential, which does not have ${scope}`);
  if (TIERS.indexOf(wanted.tier) > TIERS.indexOf(own.tier))
    refuse('tier', `must not be above ${own.tier}, the tier of the calling credential`);
  const limit = limitAbove(wanted.limits, own.limits);
  if (limit !== undefined)
    refuse(`limits.${limit}`, `must be at most ${own.limits[limit]}, the limit of the calling credential`);
  if (own.expiresAt !== undefined && (wanted.expiresAt === undefined || wanted.expiresAt > own.expiresAt))
    refuse('expiresAt', `must not be later than ${own.expiresAt.toISOString()}, when the calling credential expires`);
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
 * Returns the limits to store on a credential for a change; null means that the limit of the tier applies. A new tier
 * brings its own limits, except for those given with it. A given limit that equals the current one is not stored, so
 * that a credential that is sent back as it was read keeps following its tier.
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

/** The current rights of a caller, with the limits set on the credential itself. */
export type OwnGrant = Grant & {
  ownLimits: OwnLimits;
  /** The tier of credentials that the caller creates without naming one. */
  usualTier: Tier;
};

/**
 * Returns the rights of the calling credential and locks its row, and those of `ids`, until the transaction ends, so
 * the rights cannot change between the check and the write.
 *
 * Throws UNAUTHORIZED if the credential is no longer valid or was rotated: credentials are cached for some seconds,
 * which is too long when the request creates another one that outlives them. A user has the rights of their role, which
 * is locked too; throws FORBIDDEN if the role may not create credentials. Does not check again whether the session has
 * ended: the tenant role cannot read sessions, and a session about to end could have made the same request a moment
 * earlier.
 */
export async function lockOwnGrant(
  transaction: DatabaseTransaction,
  { organisationId, environmentId, principal, scopes, generation }: EnvironmentCaller,
  ids: readonly string[],
  now: Date,
): Promise<OwnGrant> {
  // Lock organisations before credentials, as everywhere.
  const role = principal.kind === 'person' ? await lockRole(transaction, organisationId, principal.id) : undefined;
  const locked = await lockHolders(transaction, environmentId, [principal.id, ...ids]);
  if (principal.kind === 'person') {
    if (role === undefined || !SCOPES_OF_ROLE[role].has('credentials:write'))
      throw new ApiError('FORBIDDEN', 'Your role in this organisation no longer allows you to create credentials');
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
    // An access token may have fewer scopes than its credential, and the credential fewer than when it was last read.
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
 * A user can grant every scope of their role and any tier and limits, like the command line. The default tier of both
 * is pro.
 */
const grantOfPerson = (scopes: ReadonlySet<Scope>): OwnGrant => ({
  tier: 'enterprise',
  usualTier: 'pro',
  scopes: inOrder([...scopes]),
  limits: UNBOUNDED,
  ownLimits: {},
  expiresAt: undefined,
});
