import { expect, test } from '@jest/globals';
import { createLapse } from './incarnation.ts';

function createTestLapse() {
  const at = { ms: 0 };
  const lapse = createLapse({ lifeMs: 10_000, othersRenewWithinMs: 4_000 }, () => at.ms);
  return { at, lapse };
}

test('a lease that was renewed in time has not lapsed', () => {
  const { at, lapse } = createTestLapse();
  at.ms = 60_000;
  lapse.renewed(true);
  at.ms = 70_000;
  lapse.renewed(false);
  expect(lapse.isRecent()).toBe(false);
});

test('after a lapse the others get time to renew theirs', () => {
  const { at, lapse } = createTestLapse();
  lapse.renewed(true);
  at.ms = 10_001;
  lapse.renewed(false);
  expect(lapse.isRecent()).toBe(true);
  at.ms = 12_000;
  lapse.renewed(false);
  expect(lapse.isRecent()).toBe(true);
  at.ms = 14_001;
  expect(lapse.isRecent()).toBe(false);
});
