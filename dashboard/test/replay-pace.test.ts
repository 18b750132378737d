import { expect, test } from '@jest/globals';
import { paceOf, paceOfBulk } from '../src/lib/replay-pace.ts';

const createdAt = '2026-05-07T14:00:00.000Z';
const now = Date.parse('2026-05-07T14:00:10.000Z');
const replay = { createdAt, replayed: 40, done: 40, whole: 100, left: 60, most: undefined };

test.each([
  ['at a steady rate', replay, { rate: 4, secondsLeft: 15 }],
  ['with a rate limit', { ...replay, most: 1 }, { rate: 4, secondsLeft: 60 }],
  ['with some rows that failed', { ...replay, replayed: 15 }, { rate: 1.5, secondsLeft: 15 }],
  [
    'with many rows per second',
    { ...replay, replayed: 1_234, done: 1_234, whole: 2_468 },
    { rate: 123, secondsLeft: 10 },
  ],
  ['that has finished', { ...replay, done: 100, left: 0 }, { rate: 4, secondsLeft: undefined }],
  [
    'without progress so far',
    { ...replay, replayed: 0, done: 0, left: 100, most: 10 },
    { rate: undefined, secondsLeft: 10 },
  ],
  [
    'that has just started',
    { ...replay, createdAt: '2026-05-07T14:00:09.500Z' },
    { rate: undefined, secondsLeft: undefined },
  ],
  [
    'of messages, whose number is not known before the end',
    { ...replay, done: 3_600_000, whole: 7_200_000, left: undefined, most: 100 },
    { rate: 4, secondsLeft: 10 },
  ],
])('the pace of a replay %s', (_, { left, ...given }, expected) => {
  expect(paceOf({ ...given, ...(left !== undefined && { left }) }, now)).toEqual(expected);
});

test.each([
  ['with rows that could not be queued', { replayed: 30, failed: 10, matched: 100 }, { done: 40, left: 60 }],
  // Dead letters that arrived after the count are replayed too.
  ['that has found more than it counted', { replayed: 90, failed: 15, matched: 100 }, { done: 105, left: 0 }],
])('the pace of a replay %s', (_, { replayed, failed, matched }, expected) => {
  expect(paceOfBulk({ createdAt, failed, matched, ratePerSecond: 5 }, replayed)).toEqual({
    createdAt,
    replayed,
    whole: 100,
    most: 5,
    ...expected,
  });
});
