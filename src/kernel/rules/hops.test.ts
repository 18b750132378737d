import { expect, test } from '@jest/globals';
import { readHops } from './hops.ts';

test.each<[string[], number | undefined]>([
  [[], 0],
  [['0'], 0],
  [['3'], 3],
  [[' 3 '], 3],
  [['007'], 7],
  [['1', '4'], 4],
  [['4, 1'], 4],
  [['999999999'], 999_999_999],
  [[''], undefined],
  [['1,'], undefined],
  [['-1'], undefined],
  [['1.5'], undefined],
  [['0x1'], undefined],
  [['one'], undefined],
  [['1', 'x'], undefined],
  [['9999999999'], undefined],
])('the mark %j is %p', (given, hops) => {
  expect(readHops(given)).toBe(hops);
});
