import { expect, test } from '@jest/globals';
import { createConnectionShares } from './tenants.ts';

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
type Begun = ReturnType<typeof held> & { done: Promise<string> };
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an owner uses half of the connections, and gives each one to the request that has waited longest', async () => {
  const shares = createConnectionShares(4);
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

test('owners do not wait for each other, and failed work releases its connection', async () => {
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

test('busy owners leave the last quarter to an owner that uses none, and take turns', async () => {
  const shares = createConnectionShares(8);
  const [busy, other, late] = ['a', 'b', 'c'].map((owner) =>
    Array.from({ length: 5 }, () => {
      const one = held();
      return { ...one, done: shares(owner, one.work) };
    }),
  ) as [Begun[], Begun[], Begun[]];
  await settled();
  const begun = (): number[] => [busy, other, late].map((all) => all.filter(({ hasBegun }) => hasBegun()).length);
  // Half for the first, what three quarters leave for the second, and one for each that has none.
  expect(begun()).toEqual([4, 2, 1]);
  busy[0]?.end('1');
  await settled();
  expect(begun()).toEqual([4, 2, 1]);
  busy[1]?.end('1');
  await settled();
  busy[2]?.end('1');
  await settled();
  expect(begun()).toEqual([5, 3, 1]);
  for (const { end, done } of [...busy, ...other, ...late]) {
    end('1');
    expect(await done).toBe('1');
  }
});
