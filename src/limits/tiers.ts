import type { Limits } from '../http/context.ts';

/** From the smallest to the largest (spec §8). */
export const TIERS = ['free', 'starter', 'pro', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** Spec §8; Enterprise is "custom" there, and these are its defaults. The batch paths have 10 per minute in every tier. */
export const TIER_LIMITS: Readonly<Record<Tier, Limits>> = {
  free: { requestsPerMinute: 60, burst: 10, concurrent: 5, batchPerMinute: 10 },
  starter: { requestsPerMinute: 600, burst: 50, concurrent: 25, batchPerMinute: 10 },
  pro: { requestsPerMinute: 6_000, burst: 200, concurrent: 100, batchPerMinute: 10 },
  enterprise: { requestsPerMinute: 600_000, burst: 20_000, concurrent: 1_000, batchPerMinute: 10 },
};

/** Requests without a valid key, per address and 60 s: many callers may share an address, and each request costs one look-up. */
export const STRANGER_REQUESTS_PER_MINUTE = 600;

/** A key's own limits over its tier's; null and undefined follow the tier. */
export function resolveLimits(
  tier: Tier,
  own: { readonly [name in keyof Limits]?: number | null | undefined },
): Limits {
  const base = TIER_LIMITS[tier];
  return {
    requestsPerMinute: own.requestsPerMinute ?? base.requestsPerMinute,
    burst: own.burst ?? base.burst,
    concurrent: own.concurrent ?? base.concurrent,
    batchPerMinute: own.batchPerMinute ?? base.batchPerMinute,
  };
}

/** The first limit in which `wanted` is above `own`; undefined when it is within all of them. */
export function limitAbove(wanted: Limits, own: Limits): keyof Limits | undefined {
  const names = ['requestsPerMinute', 'burst', 'concurrent', 'batchPerMinute'] as const;
  return names.find((name) => wanted[name] > own[name]);
}
