import { expect, test } from '@jest/globals';
import type { ClaimedDelivery } from '../../../record/statements/claim.ts';
import { createTakenOver } from './taken-over.ts';

// `as`: what is used of a claim.
const claimed = (id: string, subscriptionId: string): ClaimedDelivery => ({ id, subscriptionId }) as ClaimedDelivery;

test('each counts until Temporal has answered, and as begun where Temporal is away', async () => {
  const answers = new Map<string, (isBegun: boolean | Error) => void>();
  const known: [string, boolean][] = [];
  const takenOver = createTakenOver({
    isBegun: ({ id }) =>
      new Promise((resolve, reject) => {
        answers.set(id, (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
      }),
    onKnown: ({ id }, isBegun) => known.push([id, isBegun]),
  });
  const counts = new Map([['a', 1]]);

  const asked = takenOver.ask([claimed('1', 'a'), claimed('2', 'a'), claimed('3', 'b')]);
  takenOver.countInto(counts);
  expect([[...takenOver.ids()], takenOver.size(), [...counts]]).toEqual([
    ['1', '2', '3'],
    3,
    [
      ['a', 3],
      ['b', 1],
    ],
  ]);
  await new Promise(setImmediate);
  answers.get('1')?.(true);
  answers.get('2')?.(false);
  answers.get('3')?.(new Error('Temporal is away'));
  await asked;

  expect(known).toEqual([
    ['1', true],
    ['2', false],
    ['3', true],
  ]);
  expect(takenOver.size()).toBe(0);
});
