import { expect, test } from '@jest/globals';
import { createConnectionShares } from './shares.ts';

/** Work that ends when it is told to. */
function held() {
  let end: (value: string) => void = () => undefined;
  let fail: (failure: Error) => void = () => undefined;
  const promise = new Promise<string>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  let begun = 0;
  const work = () => {
    begun += 1;
    return promise;
  };
  return { work, end, fail, hasBegun: () => begun > 0 };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an owner has so many connections at a time, and gives each to the request that has waited longest', async () => {
  const shares = createConnectionShares(2);
  const all = [held(), held(), held(), held()] as const;
  const [first, second, third, fourth] = all;
  const done = all.map(({ work }) => shares('a', work));
  await settled();
  expect(all.map(({ hasBegun }) => hasBegun())).toEqual([true, true, false, false]);
  second.end('2');
  await settled();
  expect(all.map(({ hasBegun }) => hasBegun())).toEqual([true, true, true, false]);
  for (const each of [first, third, fourth]) each.end('other');
  expect(await Promise.all(done)).toEqual(['other', '2', 'other', 'other']);
});

test('owners do not wait for each other, and failed work gives its connection back', async () => {
  const shares = createConnectionShares(1);
  const [one, other] = [held(), held()];
  const failed = shares('a', one.work);
  const waiting = shares('a', () => Promise.resolve('next'));
  expect(await shares('b', () => Promise.resolve('b'))).toBe('b');
  one.fail(new Error('broken'));
  await expect(failed).rejects.toThrow('broken');
  expect(await waiting).toBe('next');
  const again = shares('a', other.work);
  await settled();
  expect(other.hasBegun()).toBe(true);
  other.end('done');
  expect(await again).toBe('done');
});
