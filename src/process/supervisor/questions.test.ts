import { expect, test } from '@jest/globals';
import { createQuestions } from './questions.ts';

const NEVER_MS = 1_000_000;

test('a question ends when all have replied or died, and a reply to another question does not count', async () => {
  const questions = createQuestions<string>();
  const said: [process: string, question: number][] = [];
  let hasEnded = false;
  const asked = questions
    .ask(['one', 'two', 'three'], NEVER_MS, (process, question) => void said.push([process, question]))
    .then((answered) => {
      hasEnded = true;
      return answered;
    });
  expect(said).toEqual([
    ['one', 1],
    ['two', 1],
    ['three', 1],
  ]);
  const other = questions.ask(['three'], NEVER_MS, () => undefined);
  questions.hear('one', 1);
  questions.hear('two', 7);
  questions.hear('three', 2);
  await other;
  expect(hasEnded).toBe(false);
  questions.leave('two');
  questions.hear('three', 1);
  expect(await asked).toEqual(new Set(['one', 'three']));
});

test('a question without recipients, and one that nobody answers, end too', async () => {
  expect(await createQuestions<string>().ask([], NEVER_MS, () => undefined)).toEqual(new Set());
  expect(await createQuestions<string>().ask(['silent'], 1, () => undefined)).toEqual(new Set());
});
