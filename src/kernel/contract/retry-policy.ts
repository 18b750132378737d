/** A subscription's retryPolicy (spec §2). All whole numbers; delays in milliseconds. */
export type RetryPolicy = {
  maxRetries: number;
  initialDelay: number;
  maxDelay: number;
  backoffMultiplier: number;
};

/** 5 s, 15 s, 45 s, … up to 6 h: eleven attempts over about 16.5 hours (59,600 s). */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxRetries: 10,
  initialDelay: 5_000,
  maxDelay: 21_600_000,
  backoffMultiplier: 3,
};

/**
 * Inclusive bounds. maxDelay must also be at least initialDelay. Temporal rejects an interval of 0 and a maximum below the initial one,
 * so the API rejects them first. The upper bounds are one day and one week.
 */
export const RETRY_BOUNDS = {
  maxRetries: { min: 0, max: 100 },
  initialDelay: { min: 100, max: 86_400_000 },
  maxDelay: { min: 100, max: 604_800_000 },
  backoffMultiplier: { min: 1, max: 10 },
} as const;

/**
 * Longest wait that a receiver may request with `Retry-After`, in ms. The default is a day, so that daily quotas are respected. Up to a
 * week, like maxDelay; 0 ignores the header.
 */
export const MAX_RETRY_AFTER = { min: 0, max: 604_800_000, default: 86_400_000 } as const;

/** The wait that a receiver requested with a 429 or 503, and the longest one that is respected, in ms. */
export type AskedWait = { retryAfterMs: number | undefined; maxRetryAfter: number };

/**
 * Fills in the fields that the caller left out. They adapt to the given ones: `{maxDelay: 1000}` alone lowers the default initialDelay
 * to 1000, and `{initialDelay: 86400000}` alone raises the default maxDelay. The result may still break `maxDelay >= initialDelay` if
 * both were given; `retryPolicyProblem` checks that.
 */
export function completeRetryPolicy(
  given: Partial<RetryPolicy>,
  base: RetryPolicy = DEFAULT_RETRY_POLICY,
): RetryPolicy {
  const policy = { ...base, ...given };
  if (given.initialDelay === undefined) policy.initialDelay = Math.min(policy.initialDelay, policy.maxDelay);
  if (given.maxDelay === undefined) policy.maxDelay = Math.max(policy.maxDelay, policy.initialDelay);
  return policy;
}

/** Why a complete policy is invalid, with its field; undefined if it is valid. */
export function retryPolicyProblem(policy: RetryPolicy): { field: keyof RetryPolicy; reason: string } | undefined {
  if (policy.maxDelay < policy.initialDelay) {
    return { field: 'maxDelay', reason: `must be at least initialDelay (${policy.initialDelay})` };
  }
  return undefined;
}

/** Milliseconds to wait before retry number `retry` (1 is the first): initialDelay · multiplier^(retry−1), capped at maxDelay. */
export function retryDelay(policy: RetryPolicy, retry: number): number {
  return Math.min(policy.maxDelay, policy.initialDelay * policy.backoffMultiplier ** (retry - 1));
}

/**
 * Milliseconds until the next attempt after `failures` counted failures, or undefined if the policy is used up. A receiver's
 * Retry-After can only make it later, even beyond maxDelay, but it is capped at maxRetryAfter. Temporal's delay and the recorded
 * nextRetryAt both come from this function, so they cannot drift apart.
 */
export function delayAfterFailure(
  policy: RetryPolicy,
  failures: number,
  { retryAfterMs = 0, maxRetryAfter }: AskedWait,
): number | undefined {
  if (failures > policy.maxRetries) return undefined;
  return Math.max(retryDelay(policy, failures), Math.min(retryAfterMs, maxRetryAfter));
}

/** A retry policy in Temporal's format. Durations in ms. */
export type TemporalRetry = {
  maximumAttempts: number;
  initialInterval: number;
  maximumInterval: number;
  backoffCoefficient: number;
};

/**
 * Returns the policy in Temporal's format, for an activity that starts after `made` counted attempts. With made = 0, the first attempt
 * is not a retry, so maxRetries 0 means one attempt. With made ≥ 1, the activity's attempt 1 only rethrows the recorded failure, hence
 * one more attempt, and the interval continues where it was.
 */
export function toTemporalRetry(policy: RetryPolicy, made = 0): TemporalRetry {
  return {
    maximumAttempts: made === 0 ? policy.maxRetries + 1 : Math.max(1, policy.maxRetries + 2 - made),
    initialInterval: made === 0 ? policy.initialDelay : retryDelay(policy, made),
    maximumInterval: policy.maxDelay,
    backoffCoefficient: policy.backoffMultiplier,
  };
}

/**
 * The latest end of a policy that began at `startedAt`: all delays, plus maxRetries + 1 attempts that each take the whole `timeoutMs`.
 * A delivery that a circuit breaker holds is given up then. Delays that a receiver's Retry-After has added do not count.
 */
export function policyEndsAt(policy: RetryPolicy, startedAt: Date, timeoutMs: number): Date {
  let lengthMs = (policy.maxRetries + 1) * timeoutMs;
  for (let retry = 1; retry <= policy.maxRetries; retry += 1) lengthMs += retryDelay(policy, retry);
  return new Date(startedAt.getTime() + lengthMs);
}
