import { describe, expect, test } from '@jest/globals';
import type { Machine } from '../../platform/machine.ts';
import { capacityOf, isFairShare } from './capacity.ts';

const GIB = 1024 ** 3;
const LARGE: Machine = { memoryBytes: 24 * GIB, heapBytes: 4 * GIB, descriptors: 1_048_576 };

describe('the capacity of a process', () => {
  test.each<[string, Machine, number | undefined, { requests: number; slots: number }]>([
    ['a large machine', LARGE, undefined, { requests: 8_000, slots: 500 }],
    ['few file descriptors', { ...LARGE, descriptors: 4_096 }, undefined, { requests: 1_433, slots: 500 }],
    [
      'a small container',
      { memoryBytes: GIB / 2, heapBytes: 300 * 1024 ** 2, descriptors: 65_536 },
      undefined,
      { requests: 819, slots: 50 },
    ],
    [
      'next to nothing',
      { memoryBytes: GIB / 16, heapBytes: 50 * 1024 ** 2, descriptors: 256 },
      undefined,
      { requests: 89, slots: 20 },
    ],
    ['a number that is set', LARGE, 12_345, { requests: 12_345, slots: 500 }],
  ])('%s', (_, machine, requests, expected) => {
    expect(capacityOf(machine, requests)).toEqual(expected);
  });
});

describe('a fair share', () => {
  /** The share of each of `hogs` that take in turn for as long as they may, and what is left of `all`. */
  const share = (all: number, hogs: number): { each: number; left: number } => {
    const own = Array.from({ length: hogs }, () => 0);
    let left = all;
    for (let isGoing = true; isGoing; ) {
      isGoing = false;
      for (const [index, count] of own.entries()) {
        if (!isFairShare(count, left)) continue;
        own[index] = count + 1;
        left -= 1;
        isGoing = true;
      }
    }
    return { each: own[0] ?? 0, left };
  };

  test.each([1, 2, 9, 99])('leaves as much free as each of %i greedy users has', (hogs) => {
    const { each, left } = share(1_000, hogs);
    expect(Math.abs(each - left)).toBeLessThanOrEqual(hogs);
    expect(left).toBeGreaterThan(0);
  });

  test('requires room for all units of an item that counts as several', () => {
    expect([isFairShare(0, 5, 5), isFairShare(1, 5, 5), isFairShare(0, 4, 5)]).toEqual([true, false, false]);
  });
});
