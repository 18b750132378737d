import { expect, test } from '@jest/globals';
import { createLru } from './lru.ts';

test('keeps what was asked for last, up to the weight', () => {
  const lru = createLru<number>(3);
  lru.set('a', 1, 1);
  lru.set('b', 2, 1);
  lru.set('c', 3, 1);
  expect(lru.get('a')).toBe(1);
  lru.set('d', 4, 1);
  expect(['a', 'b', 'c', 'd'].map((key) => lru.get(key))).toEqual([1, undefined, 3, 4]);
});

test('drops as many as a heavy one needs, and does not keep one that is heavier than everything allowed', () => {
  const lru = createLru<number>(3);
  for (const key of ['a', 'b', 'c']) lru.set(key, 1, 1);
  lru.set('heavy', 2, 2);
  expect(['a', 'b', 'c', 'heavy'].map((key) => lru.get(key))).toEqual([undefined, undefined, 1, 2]);
  lru.set('too heavy', 3, 4);
  expect(['c', 'heavy', 'too heavy'].map((key) => lru.get(key))).toEqual([undefined, undefined, undefined]);
});

test('replacing gives the weight back', () => {
  const lru = createLru<number>(3);
  lru.set('a', 1, 3);
  lru.set('a', 2, 1);
  lru.set('b', 3, 2);
  expect([lru.get('a'), lru.get('b')]).toEqual([2, 3]);
  lru.set('b', 4, 1);
  lru.set('c', 5, 1);
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([2, 4, 5]);
});
