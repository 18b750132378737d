import { describe, expect, test } from '@jest/globals';
import { areEqual, elementsOf, includes, keysOf } from './values.ts';

const unused = () => ({ compared: 0, failures: 0, read: 0, searched: 0, visited: 0, built: 0, work: 0 });
const nested = (value: unknown): unknown => ({ a: [1, { b: value }] });

describe('values are compared as CEL compares them:', () => {
  test.each<[unknown, unknown, boolean]>([
    [1, 1, true],
    [1, 1n, true],
    [2n, 2, true],
    [2n ** 60n + 1n, 2 ** 60, false],
    [1, true, false],
    [1n, '1', false],
    ['1', 1, false],
    [null, {}, false],
    [{}, null, false],
    [[], {}, false],
    [{}, [], false],
    [[1, 2], [1, 2, 3], false],
    [nested('x'), nested('x'), true],
    [nested('x'), nested('y'), false],
    [nested(1), nested(1n), true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { b: 1 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ toString: 1 }, { a: 1 }, false],
    [new Map([['constructor', 1]]), new Map([['constructor', 1]]), true],
    [new Map([['a', 1]]), { a: 1 }, true],
    [{ a: 1 }, new Map([['a', 2]]), false],
    [new Date(5), new Date(5), true],
    [new Date(5), new Date(6), false],
    [new Date(5), {}, false],
  ])('%p and %p: %p', (left, right, expected) => {
    expect(areEqual(left, right, unused())).toBe(expected);
  });
});

test('an evaluation compares a thousand values inside lists and maps, and not one more', () => {
  const list = Array.from({ length: 499 }, () => 1);
  const used = unused();
  expect([areEqual(list, [...list], used), areEqual(list, [...list], used)]).toEqual([true, true]);
  expect(used.compared).toBe(1_000);
  expect(() => areEqual([1], [1], used)).toThrow(
    'compares more than 1000 values inside lists and maps with each other',
  );
});

describe('a list', () => {
  test.each<[unknown[], unknown, boolean]>([
    [['a', 'b'], 'b', true],
    [['a', 'b'], 'c', false],
    [[1, 2], 2n, true],
    [[1, 2.5], 2.5, true],
    [[1n, 2n], 2, true],
    [[1, 2], 1.5, false],
    [[2 ** 60], 2n ** 60n + 1n, false],
    [[null], null, true],
    [[[1], [2]], [2], true],
    [[{ a: 1 }], { a: 2 }, false],
    [[true], true, true],
  ])('%p includes %p: %p', (list, value, expected) => {
    expect(includes(list, value, unused())).toBe(expected);
  });
});

test('the keys of a map are listed once and are its own', () => {
  const map = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`k${n}`, n]));
  expect(keysOf(map)).toHaveLength(40);
  expect(keysOf(map)).toBe(keysOf(map));
  expect([keysOf({ a: 1 }), keysOf(new Map([['constructor', 1]]))]).toEqual([['a'], ['constructor']]);
  expect(elementsOf({ a: 1, b: 2 })).toEqual(['a', 'b']);
});
