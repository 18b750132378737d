import { expect, test } from '@jest/globals';
import { NotReady } from '../../kernel/errors.ts';
import { waitingBy } from './until-ready.ts';

test('a wait says a reason once, again after a minute, and another reason at once', () => {
  let now = 0;
  const said: string[] = [];
  const failure = new NotReady('away', { advice: 'away' });
  const { tell } = waitingBy(
    (sentence) => said.push(sentence),
    new AbortController().signal,
    () => now,
  );
  for (now = 0; now <= 61_000; now += 1_000) tell('PostgreSQL is not there', failure);
  tell('no migration', failure);
  expect(said).toEqual(['PostgreSQL is not there', 'still: PostgreSQL is not there', 'no migration']);
});
