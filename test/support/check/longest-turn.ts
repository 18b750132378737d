import { threadCpuUsage } from 'node:process';
import { expect } from '@jest/globals';

/** Returns the processor time in ms that this thread has used since. */
const spentMs = (before: NodeJS.CpuUsage): number => {
  const { user, system } = threadCpuUsage(before);
  return (user + system) / 1000;
};

/**
 * Runs `work` and returns the longest turn of this thread's event loop during it, in ms of processor time. Elapsed time would vary with
 * the other load on the machine.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let before = threadCpuUsage();
  const measure = (): void => {
    longest = Math.max(longest, spentMs(before));
    before = threadCpuUsage();
    if (!isOver) setImmediate(measure);
  };
  setImmediate(measure);
  try {
    await work();
  } finally {
    isOver = true;
    measure();
  }
  return longest;
}

/**
 * Returns the processor time in ms that `JSON.parse` needs for 8 MiB of ordinary JSON on this machine, more than the largest body: 30
 * to 60 ms. The limit is a multiple of it, because a machine that is half as fast needs twice as long for everything.
 */
function referenceTurn(): number {
  const text = JSON.stringify(
    Array.from({ length: 100_000 }, (_, number) => ({
      id: `item_${number}`,
      name: 'An ordinary thing',
      price: number / 7,
      tags: ['a', 'b'],
    })),
  );
  const times = Array.from({ length: 5 }, () => {
    const before = threadCpuUsage();
    JSON.parse(text);
    return spentMs(before);
  });
  return times.toSorted((one, other) => one - other)[2] ?? 0;
}

/** 20 references take about a second. The faults that this guards against took at least two seconds, and up to an hour. */
const REFERENCES = 20;
/** Garbage collection may take half a second, but hardly three times in a row. */
const TRIES = 3;

/** Measured once in each file of tests. */
let reference: number | undefined;

/**
 * Expects that `work` never blocks the event loop for a second or more, because no other request is answered meanwhile. Shorter turns
 * are measured by `npm run bench:hold-up`, on a quiet machine.
 *
 * The service must run in this process (`startPosthorn`). `work` is repeated if a turn was too long, and must not prepare anything
 * expensive, since its own turns count too.
 */
export async function expectShortTurns(work: () => Promise<unknown>): Promise<void> {
  reference ??= referenceTurn();
  const bound = REFERENCES * reference;
  const turns: number[] = [];
  do turns.push(await longestTurn(work));
  while (turns.length < TRIES && Math.min(...turns) >= bound);
  expect(Math.min(...turns)).toBeLessThan(bound);
}
