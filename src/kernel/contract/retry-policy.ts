/** A subscription's retryPolicy (spec §2). All whole numbers; delays in milliseconds. */
export type RetryPolicy = {
  maxRetries: number;
  initialDelay: number;
  maxDelay: number;
  backoffMultiplier: number;
};

/** 5 s, 15 s, 45 s, … up to 6 h: eleven tries over about 29 hours. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  maxRetries: 10,
  initialDelay: 5_000,
  maxDelay: 21_600_000,
  backoffMultiplier: 3,
};

/**
 * Inclusive bounds. maxDelay's lower bound is initialDelay itself. Temporal refuses an interval of 0 and
 * a maximum below the initial one, so the API refuses them first. The upper bounds are one day and one week.
 */
export const RETRY_BOUNDS = {
  maxRetries: { min: 0, max: 100 },
  initialDelay: { min: 100, max: 86_400_000 },
  maxDelay: { min: 100, max: 604_800_000 },
  backoffMultiplier: { min: 1, max: 10 },
} as const;

/**
 * Longest wait that a receiver may ask for by `Retry-After`, in ms. Default: a day, so that a daily quota is waited for. At most a week, as
 * maxDelay; 0 takes no notice of the header.
 */
export const MAX_RETRY_AFTER = { min: 0, max: 604_800_000, default: 86_400_000 } as const;

/** The wait that a receiver asks for by 429 or 503, and the longest one that is kept to, in ms. */
export type AskedWait = { retryAfterMs: number | undefined; maxRetryAfter: number };

/**
 * Fills in the fields that the caller left out. They follow the given ones: `{maxDelay: 1000}` alone lowers the default initialDelay
 * to 1000, and `{initialDelay: 86400000}` alone raises the default maxDelay. The result may still break `maxDelay >= initialDelay`
 * when both were given so: `retryPolicyProblem` checks that.
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

/** Why a complete policy cannot be followed, with its field; undefined when it can. */
export function retryPolicyProblem(policy: RetryPolicy): { field: keyof RetryPolicy; reason: string } | undefined {
  if (policy.maxDelay < policy.initialDelay) {
    return { field: 'maxDelay', reason: `must be at least initialDelay (${policy.initialDelay})` };
  }
  return undefined;
}

/** Milliseconds to wait before retry number `retry` (1 is the first): initialDelay · multiplier^(retry−1), at most maxDelay. */
export function retryDelay(policy: RetryPolicy, retry: number): number {
  return Math.min(policy.maxDelay, policy.initialDelay * policy.backoffMultiplier ** (retry - 1));
}

/**
 * Milliseconds until the next attempt after `failures` counted failures, or undefined when the policy is used up. A receiver's
 * Retry-After can only make it later, beyond maxDelay too, and never beyond maxRetryAfter. The delay handed to Temporal and nextRetryAt
 * in the record both come from this function, so they cannot drift apart.
 */
export function delayAfterFailure(
  policy: RetryPolicy,
  failures: number,
  { retryAfterMs = 0, maxRetryAfter }: AskedWait,
): number | undefined {
  if (failures > policy.maxRetries) return undefined;
  return Math.max(retryDelay(policy, failures), Math.min(retryAfterMs, maxRetryAfter));
}

/** A retry policy in Temporal's form. Durations in ms. */
export type TemporalRetry = {
  maximumAttempts: number;
  initialInterval: number;
  maximumInterval: number;
  backoffCoefficient: number;
};

/**
 * The policy in Temporal's form, for an activity that begins with `made` counted attempts already behind it. made 0: the first try is
 * not a retry, so maxRetries 0 is one attempt. made ≥ 1: the activity's attempt 1 only rethrows the recorded failure, hence one more
 * attempt, and the interval goes on where it stood.
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
 * The latest end of a policy that began at `startedAt`: every delay, and each of its maxRetries + 1 tries with the whole `timeoutMs`.
 * A delivery that a circuit breaker holds is given up then. A receiver's Retry-After may have made a policy longer, which is not
 * counted.
 */
export function policyEndsAt(policy: RetryPolicy, startedAt: Date, timeoutMs: number): Date {
  let lengthMs = (policy.maxRetries + 1) * timeoutMs;
  for (let retry = 1; retry <= policy.maxRetries; retry += 1) lengthMs += retryDelay(policy, retry);
  return new Date(startedAt.getTime() + lengthMs);
}
