import { expect, test } from '@jest/globals';
import { disabledReasonOf } from './disabled-reason.ts';

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
