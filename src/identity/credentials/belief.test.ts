import { beforeEach, expect, test } from '@jest/globals';
import { type Belief, createBelief, RENEWAL } from './belief.ts';

type Known = { id: string; version: number };

let now: number;
let reads: number;
let belief: Belief<Known>;
beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  reads = 0;
  belief = createBelief(() => new Date(now));
});
const read = async (): Promise<Known> => ({ id: 'a', version: (reads += 1) });
const versionOf = async (name: string) => (await belief.recall(name, read))?.version;

test('a credential is read at most once in 5 seconds, and again if the clock was set back', async () => {
  expect([await versionOf('a'), await versionOf('a')]).toEqual([1, 1]);
  now += 4_999;
  expect(await versionOf('a')).toBe(1);
  now += 1;
  expect(await versionOf('a')).toBe(2);
  now -= 1;
  expect(await versionOf('a')).toBe(3);
});

test('a long-lived request reads it at most once in 2 seconds, and other requests use the result', async () => {
  const renew = async () => (await belief.recall('a', read, RENEWAL))?.version;
  expect(await versionOf('a')).toBe(1);
  now += 1_999;
  expect(await renew()).toBe(1);
  now += 1;
  expect([await renew(), await versionOf('a'), await renew()]).toEqual([2, 2, 2]);
});

test('a credential that is unknown or could not be read is read again', async () => {
  expect(await belief.recall('a', async () => undefined)).toBeUndefined();
  await expect(belief.recall('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await versionOf('a')).toBe(1);
});

test('removes only the matching entry', async () => {
  await versionOf('a');
  await belief.recall('b', async () => ({ id: 'b', version: 9 }));
  belief.forget(({ id }) => id === 'a');
  expect([await versionOf('a'), await versionOf('b')]).toEqual([2, 9]);
});

// Regression: a key that was being read was dropped only when the result came, and requests used it until then.
test('drops an entry that is still being read, because it may have been read before the change', async () => {
  const answers: ((known: Known) => void)[] = [];
  const slow = belief.recall('a', () => new Promise((resolve) => void answers.push(resolve)));
  belief.forget(({ id }) => id === 'a');
  expect(await versionOf('a')).toBe(1);
  answers[0]?.({ id: 'a', version: 0 });
  expect([(await slow)?.version, await versionOf('a')]).toEqual([0, 1]);
});
