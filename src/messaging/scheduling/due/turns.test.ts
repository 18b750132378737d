import { expect, test } from '@jest/globals';
import { createDueTurns } from './turns.ts';

const channel = (id: string) => ({ id, environmentId: id.slice(0, 1) });
const a = ['a1', 'a2', 'a3', 'a4'].map(channel);
const b = ['b1'].map(channel);
const ids = (channels: readonly { id: string }[]): string[] => channels.map(({ id }) => id);
const NONE: ReadonlySet<string> = new Set();

test('environments are served in turn, and so are the channels of each', () => {
  const turns = createDueTurns();
  turns.set([...a, ...b]);
  expect(ids(turns.next(9))).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
  turns.done(turns.next(1), NONE);
  expect(ids(turns.next(9))).toEqual(['b1', 'a2', 'a3', 'a4', 'a1']);
  turns.set([...a, ...b]);
  expect(ids(turns.next(9))).toEqual(['b1', 'a2', 'a3', 'a4', 'a1']);
  turns.done(turns.next(1), NONE);
  turns.set([...a, ...b]);
  expect(ids(turns.next(2))).toEqual(['a2', 'b1']);
});

test('a channel whose messages did not fit is first in the next batch', () => {
  const turns = createDueTurns();
  turns.set([...a, ...b]);
  turns.done(turns.next(3), new Set(['b1']));
  expect(ids(turns.next(9))).toEqual(['b1', 'a3', 'a4', 'a1', 'a2']);
});

test('channels without due messages are removed, and all of them when nothing is due any more', () => {
  const turns = createDueTurns();
  turns.set(a);
  turns.done(turns.next(2), NONE);
  turns.set(b);
  expect(ids(turns.next(9))).toEqual(['b1']);
  expect(turns.isEmpty()).toBe(false);
  turns.clear();
  expect(turns.isEmpty()).toBe(true);
});
