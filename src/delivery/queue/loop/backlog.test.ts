import { expect, test } from '@jest/globals';
import { createBurstDetector } from './backlog.ts';

const setUp = (threshold: number | 'off') => {
  let time = 0;
  const backlog = createBurstDetector(threshold, () => time);
  return {
    backlog,
    pass: (ms: number) => {
      time += ms;
    },
    arrive: (subscriptionId: string, count: number) => {
      for (let n = 0; n < count; n += 1) backlog.arrive(subscriptionId);
    },
  };
};
const counts = (entries: Record<string, number>): Map<string, number> => new Map(Object.entries(entries));

test.each([
  ['off', false],
  [0, true],
] as const)('the threshold %s never changes its mind', (threshold, isDrained) => {
  const { backlog } = setUp(threshold);
  backlog.see(counts({ a: 100_000 }));
  expect([backlog.isDrained('a'), backlog.isBurst()]).toEqual([isDrained, isDrained]);
  backlog.see(counts({}));
  expect([backlog.isDrained('a'), backlog.isBurst()]).toEqual([isDrained, isDrained]);
});

test('more than the threshold of one subscription drains that one only', () => {
  const { backlog } = setUp(10);
  backlog.see(counts({ a: 10, b: 3 }));
  expect(backlog.isBurst()).toBe(false);
  backlog.see(counts({ a: 11, b: 3 }));
  expect([backlog.isDrained('a'), backlog.isDrained('b')]).toEqual([true, false]);
});

test('more than five thresholds in all drain everything, however thinly they are spread', () => {
  const { backlog } = setUp(10);
  backlog.see(counts(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`s${n}`, 1]))));
  expect(backlog.isDrained('s1')).toBe(false);
  backlog.see(counts(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`s${n}`, 1]))));
  expect([backlog.isDrained('s1'), backlog.isDrained('unknown')]).toEqual([true, true]);
});

test('an emptied queue does not end a burst while as much goes on coming', () => {
  const { backlog, pass, arrive } = setUp(10);
  arrive('a', 20);
  backlog.see(counts({ a: 20 }));
  for (let second = 0; second < 5; second += 1) {
    backlog.see(counts({}));
    expect(backlog.isDrained('a')).toBe(true);
    pass(1_000);
    arrive('a', 20);
  }
});

test('a burst ends when little waits and little has come for a second, and not before', () => {
  const { backlog, pass, arrive } = setUp(10);
  arrive('a', 60);
  backlog.see(counts({ a: 60 }));
  pass(999);
  backlog.see(counts({ a: 5 }));
  expect(backlog.isDrained('a')).toBe(true);
  pass(2_001);
  arrive('a', 5);
  backlog.see(counts({ a: 6 }));
  expect(backlog.isDrained('a')).toBe(true);
  backlog.see(counts({ a: 5 }));
  expect([backlog.isDrained('a'), backlog.isBurst()]).toEqual([false, false]);
});

test('a late try begins a burst when more came in a second than the threshold, however short the queue is', () => {
  const { backlog, arrive } = setUp(10);
  arrive('a', 10);
  backlog.late('a');
  backlog.see(counts({ a: 1 }));
  expect(backlog.isDrained('a')).toBe(false);
  arrive('a', 1);
  backlog.late('a');
  backlog.see(counts({ a: 1 }));
  expect([backlog.isDrained('a'), backlog.isDrained('b')]).toEqual([true, false]);
  for (let n = 0; n < 40; n += 1) arrive(`s${n}`, 1);
  backlog.late('s1');
  backlog.see(counts({}));
  expect(backlog.isDrained('b')).toBe(true);
});
