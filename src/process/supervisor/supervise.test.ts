import { expect, test } from '@jest/globals';
import { createDeaths } from './supervise.ts';

test('the fifth crash within a minute is one too many; older ones do not count', () => {
  let now = 0;
  const deaths = createDeaths(() => now);
  const addAt = (seconds: number): boolean => {
    now = seconds * 1_000;
    return deaths.add();
  };
  expect([0, 20, 40, 59].map(addAt)).toEqual([false, false, false, false]);
  // The first one is older than a minute now.
  expect(addAt(61)).toBe(false);
  expect(addAt(62)).toBe(true);
});
