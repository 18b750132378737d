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
])('the longer ago a thing changed (%s), the later it is polled, within 15 s', (_, unchangedMs, expected) => {
  expect(after(unchangedMs)).toBe(expected);
});

test.each([
  ['tomorrow keeps the interval', 1_440 * MINUTE, 15_000],
  ['in 4 s waits until then', 4_000, 4_000],
  ['in a moment keeps the shortest interval', 10, 1_500],
  ['now starts over', 0, 1_500],
  ['a minute ago counts as a change then', -MINUTE, 3_000],
])('polling with the next attempt due %s', (_, dueInMs, expected) => {
  expect(after(60 * MINUTE, dueInMs)).toBe(expected);
});

test('a change after the due time counts from the change', () => {
  expect(after(1_000, -10 * MINUTE)).toBe(1_500);
});

test.each([
  ['a first failure', 1_000, { dataUpdatedAt: 0, errorUpdatedAt: 5_000, errorUpdateCount: 1 }, 2_000],
  ['many failures', 1_000, { dataUpdatedAt: 0, errorUpdatedAt: 5_000, errorUpdateCount: 60 }, 15_000],
  [
    'a failure 4 s after the last response',
    1_000,
    { dataUpdatedAt: 1_000, errorUpdatedAt: 5_000, errorUpdateCount: 9 },
    4_000,
  ],
  [
    'a failure of a query that runs every minute',
    MINUTE,
    { dataUpdatedAt: 0, errorUpdatedAt: 5_000, errorUpdateCount: 9 },
    MINUTE,
  ],
])('the wait after %s', (_, usualMs, asked, expected) => {
  expect(afterFailureMs(usualMs, asked)).toBe(expected);
});
