import { describe, expect, test } from '@jest/globals';
import {
  agoText,
  countText,
  dateText,
  durationText,
  exactText,
  inText,
  shareText,
  sizeText,
} from '../src/lib/format.ts';

test.each([
  [0, '0 ms'],
  [820.4, '820 ms'],
  [4_240, '4.2 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min'],
  [127_000, '2 min 7 s'],
  [7_200_000, '2 h'],
  [11_520_000, '3 h 12 min'],
  [97_200_000, '1 d 3 h'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test.each([
  [126, '126 B'],
  [3_800, '3.8 KB'],
  [4_000, '4 KB'],
  [999_960, '1 MB'],
  [1_234_567, '1.2 MB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test.each([
  [0, '0'],
  [11_902, '11,902'],
  [1_249_999, '1.2 M'],
])('a count of %d is %s', (count, text) => {
  expect(countText(count)).toBe(text);
});

test.each([
  [971, 1_000, '97.1%'],
  [1, 10_000, '<0.1%'],
  [99_999, 100_000, '99.9%'],
  [5, 5, '100%'],
  [0, 5, '0%'],
  [0, 0, '—'],
])('%d of %d are %s: never all or nothing unless it is exactly that', (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text);
});

describe('a moment', () => {
  const at = '2026-11-28T14:03:12.481Z';
  const later = (ms: number): number => Date.parse(at) + ms;
  test.each([
    [400, 'just now'],
    [12_000, '12 s ago'],
    [250_000, '4 min ago'],
    [7_300_000, '2 h ago'],
    [90_000_000, '28 Nov 14:03'],
    [40_000_000_000, '28 Nov 2026 14:03'],
  ])('in the past, %d ms later, is %s', (ms, text) => {
    expect(agoText(at, later(ms), 'utc')).toBe(text);
  });
  test('in the future counts down, and shows its date if it is more than a day away', () => {
    expect([-41_000, -400, -90_000_000].map((ms) => inText(at, later(ms), 'utc'))).toEqual([
      'in 41 s',
      'now',
      '28 Nov 14:03',
    ]);
  });
  test('has a date, an exact text and the name of its zone', () => {
    expect(dateText(at, later(0), 'utc')).toBe('28 Nov 14:03');
    expect(exactText(at, 'utc')).toBe('2026-11-28 14:03:12.481 UTC');
  });
});
