/** How much one principal may use per minute, per second and at a time (spec §8). */
export type Limits = {
  /** Requests per window of 60 s. */
  requestsPerMinute: number;
  /** Requests in one second. */
  burst: number;
  /** Requests in flight. */
  concurrent: number;
  /** Requests to the batch paths per 60 s, shared by both of them; and as many to the transactional one, counted apart. */
  batchPerMinute: number;
};

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
