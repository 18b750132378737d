import { expect, test } from '@jest/globals';
import { createAlternation } from './alternation.ts';

const endless = (name: string) => (count: number) => Array.from({ length: count }, () => name);

test('room for one goes to each in turns', () => {
  const divide = createAlternation();
  const taken = Array.from({ length: 4 }, () => divide(1, endless('one'), endless('other')));
  expect(taken.map(({ one, other }) => [one.length, other.length])).toEqual([
    [1, 0],
    [0, 1],
    [1, 0],
    [0, 1],
  ]);
});

test('room for several is divided, and what one of them does not need is the other one’s', () => {
  const divide = createAlternation();
  expect(divide(6, endless('one'), endless('other'))).toMatchObject({ one: { length: 3 }, other: { length: 3 } });
  expect(divide(6, endless('one'), () => [])).toEqual({ one: endless('one')(6), other: [] });
  expect(divide(6, () => [], endless('other'))).toEqual({ one: [], other: endless('other')(6) });
});
