import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { READ_AGAIN_AFTER_MS, type DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import { createJustRead } from './just-read.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Only its id and its age count here. */
const read = (deliveryId: string): DeliveryToAttempt =>
  ({ deliveryId, subscription: { readAt: performance.now() } }) as DeliveryToAttempt;

test('a delivery is given once, while it is fresh', () => {
  const justRead = createJustRead();
  const one = read('one');
  justRead.keep(one);
  expect(justRead.take('other')).toBeUndefined();
  expect(justRead.take('one')).toBe(one);
  expect(justRead.take('one')).toBeUndefined();
  justRead.keep(read('two'));
  jest.advanceTimersByTime(READ_AGAIN_AFTER_MS / 2);
  expect(justRead.take('two')).toBeUndefined();
});

test('ones that were read too long ago are forgotten with the next one', () => {
  const justRead = createJustRead();
  const registry: DeliveryToAttempt[] = [];
  for (let n = 0; n < 100; n += 1) {
    registry.push(read(`d${n}`));
    justRead.keep(registry[n] as DeliveryToAttempt);
    jest.advanceTimersByTime(READ_AGAIN_AFTER_MS / 4);
  }
  expect(registry.filter(({ deliveryId }) => justRead.take(deliveryId) !== undefined)).toHaveLength(1);
});
