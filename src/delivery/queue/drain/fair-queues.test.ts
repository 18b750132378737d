import { expect, test } from '@jest/globals';
import { createFairQueues } from './fair-queues.ts';

type Item = { channelId: string; subscriptionId: string; n: number };

const filled = (lengths: Record<string, number>) => {
  const queues = createFairQueues<Item>();
  for (const [subscriptionId, length] of Object.entries(lengths)) {
    for (let n = 0; n < length; n += 1) queues.push({ channelId: 'chn', subscriptionId, n });
  }
  return queues;
};
const names = (items: Item[]): string[] => items.map(({ subscriptionId, n }) => `${subscriptionId}${n}`);

test('serves the subscriptions in turns, each in its own order', () => {
  const queues = filled({ a: 4, b: 1, c: 2 });
  expect(names(queues.take(10, () => true))).toEqual(['a0', 'b0', 'c0', 'a1', 'c1', 'a2', 'a3']);
  expect(queues.size()).toBe(0);
});

test('goes on where it stopped: who was served waits for the others', () => {
  const queues = filled({ a: 3, b: 3 });
  expect(names(queues.take(1, () => true))).toEqual(['a0']);
  expect(names(queues.take(2, () => true))).toEqual(['b0', 'a1']);
  expect([queues.size(), queues.sizeOf('a'), queues.sizeOf('b'), queues.sizeOf('x')]).toEqual([3, 1, 2, 0]);
});

test('passes over a subscription that is refused, and keeps its items', () => {
  const queues = filled({ a: 2, b: 2 });
  expect(names(queues.take(10, ({ subscriptionId }) => subscriptionId === 'b'))).toEqual(['b0', 'b1']);
  expect(queues.sizeOf('a')).toBe(2);
  const counts = new Map([['a', 1]]);
  queues.countInto(counts);
  expect(counts).toEqual(new Map([['a', 3]]));
});

test('a queue of thousands stays in order while it is used up and filled', () => {
  const queues = createFairQueues<Item>();
  const seen: number[] = [];
  for (let n = 0; n < 5_000; n += 1) {
    queues.push({ channelId: 'chn', subscriptionId: 'a', n });
    if (n % 2 === 1) seen.push(...queues.take(1, () => true).map((item) => item.n));
  }
  seen.push(...queues.take(5_000, () => true).map((item) => item.n));
  expect(seen).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
});

// Old mechanism: one delivery of another channel waited ten seconds for all of a message to 300 subscriptions.
test('a channel with many subscriptions takes turns with the others', () => {
  const queues = createFairQueues<Item>();
  for (const subscriptionId of ['a', 'b', 'c']) queues.push({ channelId: 'broadcast', subscriptionId, n: 0 });
  for (const n of [0, 1]) queues.push({ channelId: 'other', subscriptionId: 'x', n });
  expect(names(queues.take(3, () => true))).toEqual(['a0', 'x0', 'b0']);
  expect(names(queues.take(9, ({ subscriptionId }) => subscriptionId !== 'x'))).toEqual(['c0']);
  expect(queues.trim('x', 1)).toHaveLength(1);
  expect([queues.size(), queues.take(1, () => true)]).toEqual([0, []]);
});
