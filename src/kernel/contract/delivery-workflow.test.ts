import { expect, test } from '@jest/globals';
import { HEARTBEAT_TIMEOUT_MS, MAX_CRASHES, RECORDING_MS } from './delivery-workflow.ts';

test('a try has ten seconds beyond its timeout, and a silent worker is noticed before the try times out', () => {
  expect([RECORDING_MS, HEARTBEAT_TIMEOUT_MS]).toEqual([10_000, 5_000]);
  // The shortest timeoutMs of a subscription is 1,000.
  expect(HEARTBEAT_TIMEOUT_MS).toBeLessThan(1_000 + RECORDING_MS);
  expect(MAX_CRASHES).toBeGreaterThanOrEqual(1);
});
