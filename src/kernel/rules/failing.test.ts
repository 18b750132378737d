import { expect, test, describe } from '@jest/globals';
import { FAILING_FROM, failingSinceOf, disabledReasonOf } from './failing.ts';

const at = (hour: number): Date => new Date(Date.UTC(2026, 0, 1, hour));
const [first, changed, updated] = [at(1), at(2), at(3)];

test.each([
  ['a receiver whose last attempt was delivered', 'active', null, 0, undefined],
  ['four failed attempts in a row', 'active', first, 4, undefined],
  ['five failed attempts in a row', 'active', first, 5, first],
  ['five of before the last success', 'active', null, 5, undefined],
  ['a paused subscription that was failing', 'paused', first, 5, first],
  ['a subscription that its first 410 has disabled', 'disabled', first, 1, first],
  ['a disabled one with another URL since', 'disabled', null, 0, changed],
] as const)('%s', (_, status, failingSince, failingAttempts, expected) => {
  const times = { statusChangedAt: changed, updatedAt: updated };
  expect(failingSinceOf({ status, failingSince, failingAttempts, ...times }, at(4))).toEqual(expected);
});

test('a subscription disabled before its time column existed counts as failing since its last change', () => {
  const health = { status: 'disabled', failingSince: null, failingAttempts: 0 };
  expect(failingSinceOf({ ...health, statusChangedAt: null, updatedAt: updated }, at(4))).toEqual(updated);
});

test('a receiver is not failing if attempts have failed for less than a minute, however many there are', () => {
  const health = {
    status: 'active',
    failingSince: first,
    failingAttempts: 5,
    statusChangedAt: null,
    updatedAt: updated,
  };
  const after = (ms: number): Date => new Date(first.getTime() + ms);
  expect(failingSinceOf(health, after(FAILING_FROM.ms - 1))).toBeUndefined();
  expect(failingSinceOf(health, after(FAILING_FROM.ms))).toEqual(first);
});

describe('disabled reason', () => {
  const at = (days: number): Date => new Date(Date.UTC(2026, 0, 1) + days * 86_400_000);

  test.each([
    ['nothing but failures for more than five days', 'disabled', at(0), at(5.1), 'failing'],
    ['a 410 less than five days after a resume', 'disabled', at(0), at(5.1), 'gone', at(1)],
    ['a 410 as the first failure', 'disabled', at(3), at(3), 'gone'],
    ['a 410 before five days of failures are over', 'disabled', at(0), at(5), 'gone'],
    ['failures that began after it was disabled', 'disabled', at(6), at(5), undefined],
    ['no failure that is still known', 'disabled', null, at(5), undefined],
    ['no time at which it was disabled', 'disabled', at(0), null, undefined],
    ['a subscription that somebody has paused', 'paused', at(0), at(5.1), undefined],
  ] as const)('%s', (_, status, failingSince, statusChangedAt, expected, resumedAt: Date | null = null) => {
    expect(disabledReasonOf({ status, failingSince, resumedAt, statusChangedAt })).toBe(expected);
  });
});
