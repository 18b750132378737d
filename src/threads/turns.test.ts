import { expect, test } from '@jest/globals';
import { createTurns, type Turns } from './turns.ts';

const none = new Set<string>();
const jobs = (...keys: string[]): { key: string; n: number }[] => keys.map((key, n) => ({ key, n }));

/** Two threads and a clock that is set by hand. */
function turnsAt(): { turns: Turns; work: (key: string, ms: number) => void; pass: (ms: number) => void } {
  let now = 0;
  const turns = createTurns(() => now);
  const work = (key: string, ms: number): void => {
    turns.begin(key);
    now += ms;
    turns.end(key);
  };
  return { turns, work, pass: (ms) => (now += ms) };
}

test('jobs are served in the order in which they came while all keys have had the same', () => {
  const { turns } = turnsAt();
  expect(turns.nextOf(jobs('a', 'b', 'a'), none, 2)?.n).toBe(0);
  expect(turns.nextOf(jobs('a', 'b', 'a'), new Set(['a']), 2)?.n).toBe(1);
  expect(turns.nextOf(jobs('a', 'a'), new Set(['a']), 2)).toBeUndefined();
});

test('the key that has had least goes first, however many jobs of others came before', () => {
  const { turns, work } = turnsAt();
  work('hostile', 350);
  work('other', 300);
  expect(turns.nextOf(jobs('hostile', 'hostile', 'other', 'quiet'), none, 2)?.key).toBe('quiet');
  work('quiet', 1);
  expect(turns.nextOf(jobs('hostile', 'other', 'quiet'), none, 2)?.key).toBe('quiet');
  work('quiet', 400);
  expect(turns.nextOf(jobs('hostile', 'other', 'quiet'), none, 2)?.key).toBe('other');
});

test('a key saves nothing up while it has no jobs', () => {
  const { turns, work } = turnsAt();
  for (let n = 0; n < 10; n += 1) work('busy', 100);
  work('late', 50);
  work('late', 100);
  // It began where the busy one was served last, a hundred milliseconds behind it, and has caught up.
  expect(turns.nextOf(jobs('late', 'busy'), none, 2)?.key).toBe('busy');
});

test('keys whose jobs ended threads leave the last thread that is ready to others for a minute', () => {
  const { turns, pass } = turnsAt();
  turns.mark('a');
  turns.mark('b');
  expect(turns.nextOf(jobs('a', 'b', 'c'), none, 2)?.key).toBe('a');
  expect(turns.nextOf(jobs('b', 'c'), new Set(['a']), 2)?.key).toBe('c');
  expect(turns.nextOf(jobs('b'), new Set(['a']), 2)).toBeUndefined();
  expect(turns.nextOf(jobs('b'), new Set(['c']), 2)?.key).toBe('b');
  // The other thread is only being made.
  expect(turns.nextOf(jobs('b', 'c'), none, 1)?.key).toBe('c');
  expect(turns.nextOf(jobs('b'), none, 1)).toBeUndefined();
  pass(60_000);
  expect(turns.nextOf(jobs('b'), new Set(['a']), 2)?.key).toBe('b');
});
