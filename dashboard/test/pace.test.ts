import { expect, test } from '@jest/globals';
import { afterFailureMs, nextLookMs } from '../src/lib/pace.ts';

const MINUTE = 60_000;
const now = Date.parse('2026-01-31T12:00:00Z');
const after = (unchangedMs: number, dueInMs?: number): number =>
  nextLookMs({ now, changedAt: now - unchangedMs, dueAt: dueInMs === undefined ? undefined : now + dueInMs });

test.each([
  ['just now', 0, 1_500],
  ['half a minute ago', 30_000, 1_500],
  ['a minute ago', MINUTE, 3_000],
  ['five minutes ago', 5 * MINUTE, 15_000],
  ['three days ago', 3 * 1_440 * MINUTE, 15_000],
])('a thing that changed %s is looked at again the later, and within 15 s', (_, unchangedMs, expected) => {
  expect(after(unchangedMs)).toBe(expected);
});

test.each([
  ['tomorrow changes nothing', 1_440 * MINUTE, 15_000],
  ['in 4 s brings the look to that time', 4_000, 4_000],
  ['in a moment does not hurry it', 10, 1_500],
  ['now begins anew', 0, 1_500],
  ['since a minute is as if it had changed then', -MINUTE, 3_000],
])('a next try that is due %s', (_, dueInMs, expected) => {
  expect(after(60 * MINUTE, dueInMs)).toBe(expected);
});

test('a change after the due time counts from the change', () => {
  expect(after(1_000, -10 * MINUTE)).toBe(1_500);
});

test.each([
  ['a first failure', 1_000, { dataUpdatedAt: 0, errorUpdatedAt: 5_000, errorUpdateCount: 1 }, 2_000],
  ['many failures', 1_000, { dataUpdatedAt: 0, errorUpdatedAt: 5_000, errorUpdateCount: 60 }, 15_000],
  [
    'a failure 4 s after the last answer',
    1_000,
    { dataUpdatedAt: 1_000, errorUpdatedAt: 5_000, errorUpdateCount: 9 },
    4_000,
  ],
  ['a question of every minute', MINUTE, { dataUpdatedAt: 0, errorUpdatedAt: 5_000, errorUpdateCount: 9 }, MINUTE],
])('after %s it is asked again later', (_, usualMs, asked, expected) => {
  expect(afterFailureMs(usualMs, asked)).toBe(expected);
});
