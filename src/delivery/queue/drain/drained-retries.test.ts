import { expect, test } from '@jest/globals';
import { createDrainedRetries } from './drained-retries.ts';

test('retries are counted for each subscription while the drain has them', () => {
  const retries = createDrainedRetries();
  retries.enter('a', 'slow');
  retries.enter('b', 'slow');
  retries.enter('c', 'quick');
  expect([...retries.counts]).toEqual([
    ['slow', 2],
    ['quick', 1],
  ]);
  retries.leave('a');
  retries.leave('c');
  expect([...retries.counts]).toEqual([['slow', 1]]);
});

test('a first try, and a retry that has left already, change nothing when they leave', () => {
  const retries = createDrainedRetries();
  retries.enter('a', 'slow');
  retries.leave('first');
  retries.leave('a');
  retries.leave('a');
  expect(retries.counts.size).toBe(0);
});

test('a retry that is offered again before it has left is one', () => {
  const retries = createDrainedRetries();
  retries.enter('a', 'slow');
  retries.enter('a', 'slow');
  expect(retries.counts.get('slow')).toBe(1);
});
