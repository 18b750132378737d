import { expect, test } from '@jest/globals';
import { durationMs, showDuration } from './fields.ts';

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1.5d', 129_600_000],
  [250, 250],
  [0, 0],
  ['5', undefined],
  ['-5s', undefined],
  ['5 s', undefined],
  ['1w', undefined],
  [1.5, undefined],
  [-1, undefined],
  [null, undefined],
])('the duration %j has %j ms', (value, milliseconds) => {
  expect(durationMs(value)).toBe(milliseconds);
});

test.each([
  [0, '0d'],
  [1_500, '1500ms'],
  [60_000, '1m'],
  [90_000, '90s'],
  [86_400_000, '1d'],
])('%j ms are shown as %s', (milliseconds, shown) => {
  expect(showDuration(milliseconds)).toBe(shown);
});
