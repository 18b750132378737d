import { expect, test } from '@jest/globals';
import { ADAPTIVE_CONCURRENCY, CONCURRENCY, RATE_LIMIT } from './concurrency.ts';

test('the bounds of what a subscription may set, and of what its workers find out', () => {
  expect({ CONCURRENCY, ADAPTIVE_CONCURRENCY, RATE_LIMIT }).toEqual({
    CONCURRENCY: { min: 1, max: 1_000 },
    ADAPTIVE_CONCURRENCY: { start: 20, least: 2, most: 1_000 },
    RATE_LIMIT: { min: 1, max: 10_000 },
  });
});
