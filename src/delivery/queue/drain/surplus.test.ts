import { expect, test } from '@jest/globals';
import { createSurplus } from './surplus.ts';

const look = (surplus: ReturnType<typeof createSurplus>, counts: Record<string, number>, sent = 0) => {
  for (let n = 0; n < sent; n += 1) surplus.sent('slow');
  return [...surplus.look(new Map(Object.entries(counts)))];
};

test('a queue is spared at the first look, since its pace is not known', () => {
  expect(look(createSurplus(), { slow: 10_000 })).toEqual([]);
});

test('50 are kept when a queue does not move', () => {
  const surplus = createSurplus();
  look(surplus, { slow: 2_000 });
  expect(look(surplus, { slow: 2_000 })).toEqual([['slow', 1_950]]);
  expect(surplus.full()).toEqual(['slow']);
});

test('ten looks of its present pace are kept beside when a queue moves', () => {
  const surplus = createSurplus();
  look(surplus, { slow: 2_000 });
  expect(look(surplus, { slow: 2_000 }, 5)).toEqual([['slow', 1_900]]);
  expect(look(surplus, { slow: 2_000 }, 200)).toEqual([]);
});

test('no more is claimed of a queue until half of what it may keep is gone', () => {
  const surplus = createSurplus();
  look(surplus, { slow: 50, other: 3 });
  look(surplus, { slow: 50, other: 3 });
  expect(surplus.full()).toEqual(['slow']);
  look(surplus, { slow: 24, other: 3 });
  expect(surplus.full()).toEqual([]);
});

test('where many wait, less is kept of each, and two of each at least', () => {
  const kept = (subscriptions: number): number => {
    const surplus = createSurplus();
    const counts = new Map(Array.from({ length: subscriptions }, (_, index) => [`sub_${index}`, 100]));
    surplus.look(counts);
    return 100 - (surplus.look(counts).get('sub_0') ?? 0);
  };
  expect([kept(1), kept(99), kept(5_000)]).toEqual([50, 10, 2]);
});
