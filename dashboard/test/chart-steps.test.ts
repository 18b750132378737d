import { describe, expect, test } from '@jest/globals';
import { barSeconds, rebin, stepAt, stepsWithData, zoomOf } from '../src/ui/chart/steps.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('barSeconds', () => {
  test.each([
    ['a minute', MINUTE, 1],
    ['10 minutes', 10 * MINUTE, 10],
    ['an hour', HOUR, MINUTE],
    ['6 hours', 6 * HOUR, 5 * MINUTE],
    ['12 hours', 12 * HOUR, 15 * MINUTE],
    ['24 hours', DAY, 15 * MINUTE],
    ['3 days', 3 * DAY, HOUR],
    ['14 days', 14 * DAY, 6 * HOUR],
    ['90 days', 90 * DAY, DAY],
  ])('gives 48 to 96 bars for %s', (_, range, expected) => {
    const seconds = barSeconds(range);
    expect(seconds).toBe(expected);
    expect(range / seconds).toBeGreaterThanOrEqual(48);
    expect(range / seconds).toBeLessThanOrEqual(96);
  });

  test('chooses the next length if a shorter one would need more than 96 bars', () => {
    expect(barSeconds(7 * DAY)).toBe(6 * HOUR);
    expect(barSeconds(30 * MINUTE)).toBe(MINUTE);
    expect(barSeconds(365 * DAY)).toBe(DAY);
  });

  test('never splits a step, and joins only whole steps', () => {
    expect(barSeconds(HOUR, 5 * MINUTE)).toBe(5 * MINUTE);
    expect(barSeconds(DAY, 10 * MINUTE)).toBe(HOUR);
    expect(barSeconds(DAY, 7 * MINUTE)).toBe(7 * MINUTE);
  });
});

describe('rebin', () => {
  const at = (minute: number): number => Date.parse('2026-11-28T12:00:00Z') + minute * 60_000;
  const steps = {
    times: [at(3), at(4), at(5), at(6), at(11)],
    stepSeconds: 60,
    series: [{ key: 'a', values: [1, 2, undefined, 4, undefined] }],
  };

  test('adds up the counts of each bar, which starts at a multiple of its length', () => {
    expect(rebin(steps, { seconds: 300, merge: 'sum' })).toEqual({
      times: [at(0), at(5), at(10)],
      stepSeconds: 300,
      series: [{ key: 'a', values: [3, 4, undefined] }],
    });
  });

  test('uses the highest value of a percentile', () => {
    expect(rebin(steps, { seconds: 300, merge: 'highest' }).series[0]?.values).toEqual([2, 4, undefined]);
  });

  test('starts days at midnight of the given zone', () => {
    const shiftMs = 2 * 3_600_000;
    const night = { ...steps, times: [Date.parse('2026-11-28T21:30:00Z'), Date.parse('2026-11-28T22:30:00Z')] };
    expect(rebin(night, { seconds: DAY, merge: 'sum', shiftMs }).times).toEqual([
      Date.parse('2026-11-27T22:00:00Z'),
      Date.parse('2026-11-28T22:00:00Z'),
    ]);
  });

  test('returns the steps unchanged if they are as long as a bar', () => {
    expect(rebin(steps, { seconds: 60, merge: 'sum' })).toBe(steps);
  });
});

describe('zoomOf', () => {
  const filled = (count: number, ...places: number[]): boolean[] =>
    Array.from({ length: count }, (_, at) => places.includes(at));

  test('shows the data if they fill less than a third of the range', () => {
    expect(zoomOf(filled(288, 200, 230, 260))).toEqual({ first: 200, last: 260 });
  });

  test('shows the whole range if the data fill a third of it', () => {
    expect(zoomOf(filled(96, 10, 41))).toBeUndefined();
    expect(zoomOf(filled(96, 10, 40))).toEqual({ first: 10, last: 40 });
  });

  test('shows at least 24 steps, around the data and within the range', () => {
    expect(zoomOf(filled(96, 50, 53))).toEqual({ first: 40, last: 63 });
    expect(zoomOf(filled(96, 94, 95))).toEqual({ first: 72, last: 95 });
    expect(zoomOf(filled(96, 0))).toEqual({ first: 0, last: 23 });
  });

  test('does not zoom without data, or to more than half of the range', () => {
    expect(zoomOf(filled(96))).toBeUndefined();
    expect(zoomOf([])).toBeUndefined();
    expect(zoomOf(filled(40, 20))).toBeUndefined();
  });
});

test('a count of 0 does not count as data, but a measure of 0 does', () => {
  const series = [{ values: [0, undefined, 3] }, { values: [undefined, undefined, 0] }];
  expect(stepsWithData(series, 3, 'counts')).toEqual([false, false, true]);
  expect(stepsWithData(series, 3, 'measures')).toEqual([true, false, true]);
});

test.each([
  ['before the first step', -1, undefined],
  ['at the start of a step', 60_000, 1],
  ['within a step', 179_999, 2],
  ['after the last step', 180_000, undefined],
])('finds the step for a time %s', (_, at, expected) => {
  expect(stepAt([0, 60_000, 120_000], 60, at)).toBe(expected);
});
