import { describe, expect, test } from '@jest/globals';
import {
  completeRetryPolicy,
  DEFAULT_RETRY_POLICY,
  delayAfterFailure,
  policyEndsAt,
  RETRY_BOUNDS,
  retryDelay,
  type RetryPolicy,
  retryPolicyProblem,
  toTemporalRetry,
} from './retry-policy.ts';

const policy: RetryPolicy = { maxRetries: 3, initialDelay: 1_000, maxDelay: 5_000, backoffMultiplier: 2 };

describe('the defaults', () => {
  test('are within the bounds and valid', () => {
    for (const [field, { min, max }] of Object.entries(RETRY_BOUNDS)) {
      // The keys of RETRY_BOUNDS are those of a RetryPolicy.
      const value = DEFAULT_RETRY_POLICY[field as keyof RetryPolicy];
      expect(value).toBeGreaterThanOrEqual(min);
      expect(value).toBeLessThanOrEqual(max);
    }
    expect(retryPolicyProblem(DEFAULT_RETRY_POLICY)).toBeUndefined();
  });

  test('wait 5 s, 15 s, 45 s and so on up to six hours', () => {
    const delays = Array.from({ length: 10 }, (_, index) => retryDelay(DEFAULT_RETRY_POLICY, index + 1) / 1_000);
    expect(delays).toEqual([5, 15, 45, 135, 405, 1_215, 3_645, 10_935, 21_600, 21_600]);
  });
});

describe('completeRetryPolicy', () => {
  test.each<[string, Partial<RetryPolicy>, Partial<RetryPolicy>]>([
    ['nothing', {}, {}],
    ['all four', policy, policy],
    ['a low maxDelay: initialDelay follows it', { maxDelay: 1_000 }, { initialDelay: 1_000, maxDelay: 1_000 }],
    ['a high maxDelay: initialDelay stays', { maxDelay: 10_000 }, { maxDelay: 10_000 }],
    [
      'a high initialDelay: maxDelay follows it',
      { initialDelay: 86_400_000 },
      { initialDelay: 86_400_000, maxDelay: 86_400_000 },
    ],
    ['a low initialDelay: maxDelay stays', { initialDelay: 100 }, { initialDelay: 100 }],
    [
      'both in the wrong order: neither is touched',
      { initialDelay: 2_000, maxDelay: 1_000 },
      { initialDelay: 2_000, maxDelay: 1_000 },
    ],
    ['maxRetries 0', { maxRetries: 0 }, { maxRetries: 0 }],
  ])('fills up %s', (_, given, changed) => {
    expect(completeRetryPolicy(given)).toEqual({ ...DEFAULT_RETRY_POLICY, ...changed });
  });

  test('completes from another base and does not change its arguments', () => {
    const given = { maxRetries: 7 };
    const base = Object.freeze({ ...policy });
    expect(completeRetryPolicy(Object.freeze(given), base)).toEqual({ ...policy, maxRetries: 7 });
    expect(base).toEqual(policy);
  });
});

describe('retryPolicyProblem', () => {
  test('names maxDelay if it is below initialDelay', () => {
    expect(retryPolicyProblem({ ...policy, initialDelay: 5_001 })).toEqual({
      field: 'maxDelay',
      reason: 'must be at least initialDelay (5001)',
    });
  });

  test('accepts equal values', () => {
    expect(retryPolicyProblem({ ...policy, initialDelay: 5_000 })).toBeUndefined();
  });
});

describe('retryDelay', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [4, 5_000],
    [100, 5_000],
  ])('before retry %i waits %i ms', (retry, delay) => {
    expect(retryDelay(policy, retry)).toBe(delay);
  });

  test('stays at maxDelay for the largest possible policy', () => {
    const largest = { maxRetries: 100, initialDelay: 86_400_000, maxDelay: 604_800_000, backoffMultiplier: 10 };
    expect(retryDelay(largest, 100)).toBe(604_800_000);
  });

  test('is constant with a multiplier of 1', () => {
    expect([1, 2, 50].map((retry) => retryDelay({ ...policy, backoffMultiplier: 1 }, retry))).toEqual([
      1_000, 1_000, 1_000,
    ]);
  });
});

const UNASKED = { retryAfterMs: undefined, maxRetryAfter: 0 };

describe('delayAfterFailure', () => {
  test.each<[string, number, number | undefined, number | undefined]>([
    ['the first failure', 1, undefined, 1_000],
    ['the third failure', 3, undefined, 4_000],
    ['the last failure: used up', 4, undefined, undefined],
    ['the last failure, whatever Retry-After says', 4, 1_000, undefined],
    ['a Retry-After that is later', 1, 3_000, 3_000],
    ['a Retry-After that is sooner', 3, 10, 4_000],
    ['a Retry-After beyond maxDelay', 1, 6_000, 6_000],
    ['a Retry-After beyond the longest that is kept to', 1, 3_600_000, 60_000],
    ['a Retry-After of 0', 1, 0, 1_000],
  ])('after %s', (_, failures, retryAfterMs, delay) => {
    expect(delayAfterFailure(policy, failures, { retryAfterMs, maxRetryAfter: 60_000 })).toBe(delay);
  });

  test('with maxRetries 0, the first failure uses up the policy', () => {
    expect(delayAfterFailure({ ...policy, maxRetries: 0 }, 1, UNASKED)).toBeUndefined();
  });
});

describe('toTemporalRetry', () => {
  test.each<[string, Partial<RetryPolicy>, number, number, number]>([
    ['a fresh policy: the first try is not a retry', {}, 0, 4, 1_000],
    ['maxRetries 0: one attempt', { maxRetries: 0 }, 0, 1, 1_000],
    ['one try made: its failure is rethrown, then the three retries', {}, 1, 4, 1_000],
    ['two tries made', {}, 2, 3, 2_000],
    ['three tries made', {}, 3, 2, 4_000],
    ['all tries made', {}, 4, 1, 5_000],
    ['more tries made than the policy has', {}, 9, 1, 5_000],
  ])('%s', (_, changed, made, maximumAttempts, initialInterval) => {
    expect(toTemporalRetry({ ...policy, ...changed }, made)).toEqual({
      maximumAttempts,
      initialInterval,
      maximumInterval: 5_000,
      backoffCoefficient: 2,
    });
  });

  test('starts a fresh policy by default', () => {
    expect(toTemporalRetry(policy)).toEqual(toTemporalRetry(policy, 0));
  });

  test('waits as long as the record says, however many attempts were made before', () => {
    for (let made = 1; made <= policy.maxRetries; made += 1) {
      const { initialInterval, maximumInterval, backoffCoefficient } = toTemporalRetry(policy, made);
      // Temporal's own rule for the delay behind its attempt n.
      const behindAttempt = (n: number): number =>
        Math.min(maximumInterval, initialInterval * backoffCoefficient ** (n - 1));
      for (let failures = made; failures <= policy.maxRetries; failures += 1) {
        expect(behindAttempt(failures - made + 1)).toBe(delayAfterFailure(policy, failures, UNASKED));
      }
    }
  });
});

describe('a policy ends at the latest', () => {
  const startedAt = new Date('2026-01-01T00:00:00Z');
  const endsAfter = (changed: Partial<RetryPolicy>, timeoutMs: number): number =>
    policyEndsAt({ ...policy, ...changed }, startedAt, timeoutMs).getTime() - startedAt.getTime();

  test.each<[string, Partial<RetryPolicy>, number, number]>([
    ['with one try: as long as that may take', { maxRetries: 0 }, 15_000, 15_000],
    ['with one retry: its delay and two tries', { maxRetries: 1 }, 15_000, 31_000],
    ['with growing delays: 1 + 2 + 4 s and four tries', {}, 1_000, 11_000],
    ['with delays that maxDelay bounds: 1 + 2 + 4 + 5 + 5 s', { maxRetries: 5 }, 1_000, 23_000],
    [
      'with the greatest numbers there are',
      { maxRetries: 100, maxDelay: 604_800_000, backoffMultiplier: 10 },
      30_000,
      56_965_341_000,
    ],
  ])('%s', (_, changed, timeoutMs, lengthMs) => {
    expect(endsAfter(changed, timeoutMs)).toBe(lengthMs);
  });

  test('by the delays that each failure really gets', () => {
    let lengthMs = (policy.maxRetries + 1) * 2_000;
    for (let failures = 1; failures <= policy.maxRetries; failures += 1)
      lengthMs += delayAfterFailure(policy, failures, UNASKED) ?? 0;
    expect(endsAfter({}, 2_000)).toBe(lengthMs);
  });
});
