import { expect, test } from '@jest/globals';
import { mayBeSentForMs, READ_AGAIN_AFTER_MS } from './erasure.ts';

test.each([
  [0, 1_250],
  [1_000, 250],
  [1_249, 1],
  [1_250, 0],
  [86_400_000, 0],
])('an erasure of %d ms ago may be followed by a request for %d ms', (agoMs, leftMs) => {
  expect(mayBeSentForMs(agoMs)).toBe(leftMs);
});

test('the wait is never over while the data that was read may still be used', () => {
  expect(mayBeSentForMs(READ_AGAIN_AFTER_MS)).toBeGreaterThan(0);
});
