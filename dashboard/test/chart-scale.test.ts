import { describe, expect, test } from '@jest/globals';
import { roundShareText } from '../src/ui/chart/numbers.ts';
import { countText } from '../src/lib/format.ts';
import { barEdges, niceMax, stackEdges } from '../src/ui/chart/scale.ts';

describe('niceMax', () => {
  test.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 5],
    [7, 10],
    [12, 20],
    [21, 25],
    [26, 50],
    [101, 200],
    [243, 250],
    [251, 500],
    [1_000, 1_000],
    [30_000, 50_000],
  ])('rounds a count of %d up to %d', (value, expected) => {
    expect(niceMax(value, 'counts')).toBe(expected);
  });

  test('keeps fractions of measures', () => {
    expect(niceMax(2.2, 'measures')).toBe(2.5);
    expect(niceMax(0.031, 'measures')).toBeCloseTo(0.05);
    expect(niceMax(Number.NaN, 'measures')).toBe(1);
  });
});

describe('stackEdges', () => {
  const frame = { perUnit: 0.5, least: 2, most: 100 };

  test('stacks each value on those before it', () => {
    expect(stackEdges([100, 20, 40], frame)).toEqual([0, 50, 60, 80]);
  });

  test('draws every value other than 0, and nothing for 0', () => {
    expect(stackEdges([100, 1, 0, undefined], frame)).toEqual([0, 50, 52, 52, 52]);
  });

  test('never exceeds the plot: the highest part shrinks', () => {
    expect(stackEdges([199, 1], frame)).toEqual([0, 98, 100]);
  });
});

test('bars have the same gap between them, and none if they are too thin', () => {
  const spaces = Array.from({ length: 12 }, (_, at) => {
    const [left, width] = barEdges(at * 8.3, 8.3);
    return barEdges((at + 1) * 8.3, 8.3)[0] - left - width;
  });
  expect(new Set(spaces)).toEqual(new Set([2]));
  expect(barEdges(10, 2)).toEqual([10, 2]);
});

test.each([
  [0, 10, '0%'],
  [10, 10, '100%'],
  [1, 2_000, '<0.1%'],
  [1_204, 13_275, '9.1%'],
  [9_412, 13_275, '71%'],
  [9_999, 10_000, '99.9%'],
  [997, 1_000, '99.7%'],
  [0, 0, '0%'],
])('the share of %d in %d is %s', (part, whole, expected) => {
  expect(roundShareText(part, whole)).toBe(expected);
});

test('counts have separators, and a unit above a million', () => {
  expect(countText(11_902)).toBe('11,902');
  expect(countText(1_240_000)).toBe('1.2 M');
});
