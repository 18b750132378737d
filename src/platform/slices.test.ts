import { describe, expect, test } from '@jest/globals';
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
  const slices = createSlices({ forMs: 5, now: () => time });
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

test('owners take turns: one that has little to do does not wait until another one has done all', async () => {
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

describe('rests', () => {
  /** Steps of two milliseconds on a clock of its own, and in which turn of the event loop each was made. */
  const working = (restTimes: number) => {
    let time = 0;
    const slices = createSlices({ forMs: 5, restTimes, now: () => time });
    const work = (steps: number, bytes?: number): Promise<void> => {
      let left = steps;
      const step = (): boolean => {
        time += 2;
        left -= 1;
        return left > 0;
      };
      return slices.run('a', step, { ...(bytes !== undefined && { bytes }) });
    };
    return { slices, work };
  };
  const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const timeOf = async (work: Promise<unknown>): Promise<number> => {
    const startedAt = performance.now();
    await work;
    return performance.now() - startedAt;
  };

  test('are so many times as long as the work before them', async () => {
    // 6 ms of work in each turn, three turns, and a rest after each of the first two.
    expect(await timeOf(working(10).work(9))).toBeGreaterThan(115);
  });

  test('are longer by the bytes that were moved', async () => {
    const { work } = working(1);
    await work(1, 50 * 256 * 1024);
    await endOfTurn();
    expect(await timeOf(work(1))).toBeGreaterThan(45);
  });

  test('bytes that were moved end a turn as time does', async () => {
    const slices = createSlices({ forMs: 5, restTimes: 0.01, now: () => 0 });
    const order: string[] = [];
    const work = (owner: string): Promise<void> =>
      slices.run(
        owner,
        () => {
          order.push(owner);
          return false;
        },
        { bytes: 5 * 256 * 1024 },
      );
    await Promise.all([...Array.from({ length: 20 }, () => work('a')), work('b')]);
    expect(order.indexOf('b')).toBe(2);
  });

  test('follow a step that throws', async () => {
    const { slices, work } = working(1);
    const failing = slices.run(
      'a',
      () => {
        throw new Error('no JSON');
      },
      { bytes: 50 * 256 * 1024 },
    );
    await expect(failing).rejects.toThrow('no JSON');
    await endOfTurn();
    expect(await timeOf(work(1))).toBeGreaterThan(45);
  });

  test('do not follow work of less than a millisecond', async () => {
    const slices = createSlices({ forMs: 5, restTimes: 1_000_000, now: () => 0 });
    await slices.run('a', () => false);
    await endOfTurn();
    await slices.run('a', () => false);
  });
});

test('an owner with many parts has no more turns than one with a single part', async () => {
  let time = 0;
  const slices = createSlices({ forMs: 1, now: () => time });
  const order: string[] = [];
  const work = (owner: string, part: string, steps: number): Promise<void> => {
    let left = steps;
    const step = (): boolean => {
      time += 1;
      left -= 1;
      order.push(owner + part);
      return left > 0;
    };
    return slices.run(owner, step, { part });
  };
  await Promise.all([work('a', '1', 3), work('a', '2', 3), work('a', '3', 3), work('b', '1', 3)]);
  expect(order.join(' ')).toBe('a1 a1 b1 a2 b1 a3 b1 a1 a2 a3 a2 a3');
});

test('of one part, what came first is done before what came later', async () => {
  let time = 0;
  const slices = createSlices({ forMs: 1, now: () => time });
  const order: string[] = [];
  const work = (name: string): Promise<void> => {
    let left = 3;
    return slices.run('a', () => {
      time += 1;
      left -= 1;
      order.push(name);
      return left > 0;
    });
  };
  await Promise.all([work('1'), work('2')]);
  expect(order.join('')).toBe('111222');
});
