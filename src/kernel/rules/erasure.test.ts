import { expect, test } from '@jest/globals';
import { mayBeSentForMs, READ_STALE_AFTER_MS } from './erasure.ts';

test.each([
  [0, 1_250],
  [1_000, 250],
  [1_249, 1],
  [1_250, 0],
  [86_400_000, 0],
])('an erasure of %d ms ago may be followed by a request for %d ms', (agoMs, leftMs) => {
  expect(mayBeSentForMs(agoMs)).toBe(leftMs);
});

test('the wait is never over before the data that was read has become stale', () => {
  expect(mayBeSentForMs(READ_STALE_AFTER_MS)).toBeGreaterThan(0);
});
