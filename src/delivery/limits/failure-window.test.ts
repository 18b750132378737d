import { describe, expect, test } from '@jest/globals';
import { createFailureWindow } from './admission.ts';

const MINUTE = 60_000;

function windowOf(...tries: [count: number, isDelivered: boolean, at: number][]) {
  const window = createFailureWindow();
  for (const [count, isDelivered, at] of tries) for (let n = 0; n < count; n += 1) window.add(isDelivered, at);
  return window;
}

describe('the attempts of five minutes', () => {
  test.each<[string, [number, boolean, number][], number, boolean]>([
    ['none', [], 0, false],
    ['19 failures are too few', [[19, false, 0]], 0, false],
    ['20 failures are enough', [[20, false, 0]], 0, true],
    [
      '18 of 20 are 90 %',
      [
        [2, true, 0],
        [18, false, 0],
      ],
      0,
      true,
    ],
    [
      '17 of 20 are too few',
      [
        [3, true, 0],
        [17, false, 0],
      ],
      0,
      false,
    ],
    [
      'failures of up to five minutes ago count',
      [
        [10, false, 0],
        [10, false, 4.5 * MINUTE],
      ],
      4.9 * MINUTE,
      true,
    ],
    [
      'older ones do not',
      [
        [10, false, 0],
        [10, false, 4.5 * MINUTE],
      ],
      5.1 * MINUTE,
      false,
    ],
    [
      'an old success is forgotten',
      [
        [10, true, 0],
        [20, false, 6 * MINUTE],
      ],
      6 * MINUTE,
      true,
    ],
  ])('%s', (_, tries, now, isFailing) => {
    expect(windowOf(...tries).isFailing(now)).toBe(isFailing);
  });

  test('a cleared window has no attempts', () => {
    const window = windowOf([20, false, 0]);
    window.clear();
    expect(window.isFailing(0)).toBe(false);
  });
});
