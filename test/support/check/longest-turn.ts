import { threadCpuUsage } from 'node:process';

const spentMs = (before: NodeJS.CpuUsage): number => {
  const { user, system } = threadCpuUsage(before);
  return (user + system) / 1000;
};

/**
 * Runs `work` and returns the longest turn of this thread's event loop meanwhile, in ms of processor time.
 *
 * No other request is answered during a turn, so this is how long the work can hold up other callers. Processor time is
 * compared and not elapsed time: a machine with other work to do stretches the latter at random. The service must run
 * in this process (`startPosthorn`), and `work` must prepare nothing costly itself: its own turns count too.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
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
 * Processor time in ms that `JSON.parse` needs here and now for 8 MiB of ordinary JSON, more than the largest body: 30 to 60 ms. Bounds are
 * multiples of it, because a machine that is twice as slow needs twice as long for everything. A collection of garbage takes as long as
 * this now and then, so a bound is three of them at least.
 */
export function referenceTurn(): number {
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
