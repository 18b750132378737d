import { expect, test } from '@jest/globals';
import { HEARTBEAT_TIMEOUT_MS, MAX_CRASHES, RECORDING_MS } from './delivery-workflow.ts';

test('the bounds of one try are those of DESIGN §3, and a silent worker is noticed before the try times out', () => {
  expect([RECORDING_MS, HEARTBEAT_TIMEOUT_MS]).toEqual([10_000, 5_000]);
  // The shortest timeoutMs of a subscription is 1,000.
  expect(HEARTBEAT_TIMEOUT_MS).toBeLessThan(1_000 + RECORDING_MS);
  expect(MAX_CRASHES).toBeGreaterThanOrEqual(1);
});
