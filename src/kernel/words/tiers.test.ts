import { expect, test } from '@jest/globals';
import { limitAbove, resolveLimits, TIER_LIMITS } from './tiers.ts';

test('the tiers are those of the specification (section 8)', () => {
  expect(TIER_LIMITS.free).toMatchObject({ requestsPerMinute: 60, burst: 10, concurrent: 5 });
  expect(TIER_LIMITS.starter).toMatchObject({ requestsPerMinute: 600, burst: 50, concurrent: 25 });
  expect(TIER_LIMITS.pro).toMatchObject({ requestsPerMinute: 6_000, burst: 200, concurrent: 100 });
  expect(TIER_LIMITS.enterprise).toEqual({
    requestsPerMinute: 600_000,
    burst: 20_000,
    concurrent: 1_000,
    batchPerMinute: 10,
  });
});

test("a key's own limits win over its tier's, null and absent ones follow the tier", () => {
  expect(resolveLimits('free', { burst: 3, concurrent: null })).toEqual({
    requestsPerMinute: 60,
    burst: 3,
    concurrent: 5,
    batchPerMinute: 10,
  });
});

test('the first limit above another is named', () => {
  const own = TIER_LIMITS.starter;
  expect(limitAbove(own, own)).toBeUndefined();
  expect(limitAbove({ ...own, concurrent: 26 }, own)).toBe('concurrent');
  expect(limitAbove({ ...own, batchPerMinute: 11 }, own)).toBe('batchPerMinute');
});
