import { expect, test } from '@jest/globals';
import { UNIT_BYTES } from '../../limits/capacity.ts';
import { createInFlight } from './in-flight.ts';

const withPayload = (payload: string | null) => ({ message: { payload } });

test('a large payload counts for each 64 KiB of it', () => {
  const inFlight = createInFlight(10);
  inFlight.enter('one', withPayload('x'.repeat(3 * UNIT_BYTES)));
  expect(inFlight.hasRoom('other', withPayload('x'.repeat(7 * UNIT_BYTES)))).toBe(true);
  expect(inFlight.hasRoom('other', withPayload('x'.repeat(7 * UNIT_BYTES + 1)))).toBe(false);
  expect([...inFlight.subscriptions()]).toEqual(['one']);
  inFlight.leave('one', withPayload('x'.repeat(3 * UNIT_BYTES)));
  expect([...inFlight.subscriptions()]).toEqual([]);
});

// Old mechanism: the length of a payload that was not there was read, which ended the process.
test('a message that was erased after it was read counts as one', () => {
  const inFlight = createInFlight(2);
  inFlight.enter('one', withPayload(null));
  expect([inFlight.hasAny('other'), inFlight.hasAny('one')]).toEqual([true, false]);
});
