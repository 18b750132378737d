import { expect, test } from '@jest/globals';
import { CONCURRENCY, RATE_LIMIT } from './limits.ts';

test('the bounds of what a subscription may set', () => {
  expect({ CONCURRENCY, RATE_LIMIT }).toEqual({
    CONCURRENCY: { min: 1, max: 100, default: 20 },
    RATE_LIMIT: { min: 1, max: 10_000 },
  });
});
