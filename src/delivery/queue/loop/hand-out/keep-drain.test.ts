import { expect, test } from '@jest/globals';
import { createDrainKeeper } from './keep-drain.ts';

test('one drain at a time, the next one when it has ended, and not more than one a second', async () => {
  let time = 0;
  const ends: (() => void)[] = [];
  const failures: unknown[] = [];
  const asides: Promise<void>[] = [];
  const { keep } = createDrainKeeper({
    startDrain: () => new Promise((resolve) => ends.push(resolve)),
    aside: (work) => asides.push(work),
    onFailure: (error) => failures.push(error),
    now: () => time,
  });
  keep();
  time = 5_000;
  keep();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await asides[0];
  keep();
  ends[1]?.();
  await asides[1];
  keep();
  expect(ends).toHaveLength(2);
  time = 6_000;
  keep();
  expect([ends.length, failures]).toEqual([3, []]);
});

test('a drain that cannot be started is told of, and tried again', async () => {
  let time = 0;
  const failures: unknown[] = [];
  const asides: Promise<void>[] = [];
  const { keep } = createDrainKeeper({
    startDrain: () => Promise.reject(new Error('Temporal is away')),
    aside: (work) => asides.push(work),
    onFailure: (error) => failures.push(error),
    now: () => time,
  });
  keep();
  await asides[0];
  time = 1_000;
  keep();
  await asides[1];
  expect(failures).toHaveLength(2);
});
