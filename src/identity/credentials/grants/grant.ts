import {
  type Scope,
  SCOPES,
  limitAbove,
  type Limits,
  resolveLimits,
  type Tier,
  TIERS,
} from '../../../kernel/words/rights.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';

/** The rights of a credential: none of them may exceed its maker's. */
export type Grant = { tier: Tier; scopes: readonly Scope[]; limits: Limits; expiresAt?: Date | undefined };

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
