import { expect, test } from '@jest/globals';
import { createRounds } from './questions.ts';

const NEVER_MS = 1_000_000;

test('a round ends when all have answered or died, and an answer to another round does not count', async () => {
  const rounds = createRounds<string>();
  const said: [process: string, round: number][] = [];
  let hasEnded = false;
  const asked = rounds
    .ask(['one', 'two', 'three'], NEVER_MS, (process, round) => void said.push([process, round]))
    .then((answered) => {
      hasEnded = true;
      return answered;
    });
  expect(said).toEqual([
    ['one', 1],
    ['two', 1],
    ['three', 1],
  ]);
  const other = rounds.ask(['three'], NEVER_MS, () => undefined);
  rounds.hear('one', 1);
  rounds.hear('two', 7);
  rounds.hear('three', 2);
  await other;
  expect(hasEnded).toBe(false);
  rounds.leave('two');
  rounds.hear('three', 1);
  expect(await asked).toEqual(new Set(['one', 'three']));
});

test('a round without anybody to ask, and one that nobody answers, end as well', async () => {
  expect(await createRounds<string>().ask([], NEVER_MS, () => undefined)).toEqual(new Set());
  expect(await createRounds<string>().ask(['silent'], 1, () => undefined)).toEqual(new Set());
});
