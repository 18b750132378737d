import { expect, test } from '@jest/globals';
import { createSlices } from './slices.ts';

/** Steps that take a millisecond each on a clock of their own, and in which turn of the event loop each was made. */
function scene() {
  let time = 0;
  let turn = 0;
  let isOver = false;
  const made: string[] = [];
  const turns: number[] = [];
  const watch = (): void => {
    turn += 1;
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  const slices = createSlices(5, () => time);
  const work = (key: string, steps: number): Promise<void> => {
    let left = steps;
    return slices.run(key, () => {
      time += 1;
      left -= 1;
      made.push(key);
      turns.push(turn);
      return left > 0;
    });
  };
  return { slices, work, made, turns, end: () => (isOver = true) };
}

test('work that fits in one turn is done at once', async () => {
  const { work, turns, end } = scene();
  await Promise.all([work('a', 2), work('b', 2)]);
  expect(turns).toEqual([0, 0, 0, 0]);
  end();
});

test('a turn of the event loop has five milliseconds of work, whatever waits', async () => {
  const { work, turns, end } = scene();
  await Promise.all([work('a', 23), work('b', 40), work('a', 2)]);
  const inTurn = new Map<number, number>();
  for (const each of turns) inTurn.set(each, (inTurn.get(each) ?? 0) + 1);
  expect(turns).toHaveLength(65);
  expect(Math.max(...inTurn.values())).toBeLessThanOrEqual(5);
  end();
});

test('keys take turns: one that has little to do does not wait until another one has done all', async () => {
  const { work, made, end } = scene();
  const all = [work('busy', 100), work('busy', 100), work('late', 1)];
  await all[2];
  expect(made.indexOf('late')).toBeLessThanOrEqual(10);
  await Promise.all(all);
  end();
});

test('a step that throws ends its work and nobody else’s', async () => {
  const { slices, work, end } = scene();
  const failing = slices.run('a', () => {
    throw new Error('no JSON');
  });
  const [outcome] = await Promise.allSettled([failing, work('a', 8)]);
  expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'no JSON' } });
  end();
});
