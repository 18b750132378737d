import { expect, test } from '@jest/globals';
import {
  HEARTBEAT_TIMEOUT_MS,
  MAX_CRASHES,
  RECORDING_MS,
  mayBeSentForMs,
  READ_AGAIN_AFTER_MS,
} from './delivery-workflow.ts';

test('an attempt has ten seconds beyond its timeout, and a silent worker is noticed before the attempt times out', () => {
  expect([RECORDING_MS, HEARTBEAT_TIMEOUT_MS]).toEqual([10_000, 5_000]);
  // The shortest timeoutMs of a subscription is 1,000.
  expect(HEARTBEAT_TIMEOUT_MS).toBeLessThan(1_000 + RECORDING_MS);
  expect(MAX_CRASHES).toBeGreaterThanOrEqual(1);
});

test.each([
  [0, 1_250],
  [1_000, 250],
  [1_249, 1],
  [1_250, 0],
  [86_400_000, 0],
])('an erasure of %d ms ago may be followed by a request for %d ms', (agoMs, leftMs) => {
  expect(mayBeSentForMs(agoMs)).toBe(leftMs);
});

test('the wait never ends while data that was read may still be used', () => {
  expect(mayBeSentForMs(READ_AGAIN_AFTER_MS)).toBeGreaterThan(0);
});
