import { isUnreachable } from './failures.ts';

export type GroupOptions<I, O> = {
  /** Does one group in one transaction; answers stand in the order of the items. Throws when the transaction failed. */
  run: (items: readonly I[]) => Promise<readonly O[]>;
  /** Transactions at a time. Items that arrive while they run share the next one. */
  inFlight: number;
  /** Weight (for example messages) that one group holds at most; a heavier single item is a group of its own. */
  maxWeight: number;
  weightOf: (item: I) => number;
  /** A second bound of a group, in a measure of its own (for example rows that come of its items). */
  also?: { maxWeight: number; weightOf: (item: I) => number } | undefined;
  /** Whose item it is. Owners take turns while more waits than one group holds; the items of one owner keep their order. */
  ownerOf?: ((item: I) => string) | undefined;
  /** Told of the number of items of each group as it begins. */
  onGroup?: ((items: number) => void) | undefined;
};

export type Grouping<I, O> = {
  /** Adds an item to the next group; settles with its own answer. */
  add(item: I): Promise<O>;
  /** Weight of items that wait for a group, without those being committed. */
  waiting(): number;
};

type Waiting<I, O> = { item: I; resolve: (answer: O) => void; reject: (reason: unknown) => void };

/**
 * Group commit: items that arrive in one turn of the event loop and find a free place are committed at the turn's end. Under load the
 * transactions grow by themselves and their cost is shared. A group that fails is run again item by item, so that one poisoned row
 * fails alone. While PostgreSQL is out of reach nothing is known about the commit, and every item of the group is told so.
 */
export function createGrouping<I, O>({
  run,
  inFlight,
  maxWeight,
  weightOf,
  also,
  ownerOf = () => '',
  onGroup,
}: GroupOptions<I, O>): Grouping<I, O> {
  // By owner, the next one to be served first.
  const queues = new Map<string, Waiting<I, O>[]>();
  let weight = 0;
  let running = 0;
  let isPumping = false;

  const nextGroup = (): Waiting<I, O>[] => {
    const group: Waiting<I, O>[] = [];
    let size = 0;
    let alsoSize = 0;
    const owners = [...queues].map(([owner, items]) => ({ owner, items, taken: 0 }));
    let inTurn = owners;
    while (inTurn.length > 0)
      inTurn = inTurn.filter((turn) => {
        const next = turn.items[turn.taken];
        if (next === undefined) return false;
        const itsWeight = weightOf(next.item);
        const alsoOfIt = also?.weightOf(next.item) ?? 0;
        const fits = size + itsWeight <= maxWeight && (also === undefined || alsoSize + alsoOfIt <= also.maxWeight);
        if (group.length > 0 && !fits) return false;
        size += itsWeight;
        alsoSize += alsoOfIt;
        group.push(next);
        turn.taken += 1;
        return true;
      });
    for (const { owner, items, taken } of owners) {
      if (taken === 0) continue;
      // Owners that were served go to the end.
      queues.delete(owner);
      if (taken < items.length) queues.set(owner, items.slice(taken));
    }
    weight -= size;
    return group;
  };

  const commit = async (group: readonly Waiting<I, O>[]): Promise<void> => {
    try {
      const answers = await run(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, index) => {
        const answer = answers[index];
        if (answer === undefined) reject(new Error('A group was answered for fewer items than it held'));
        else resolve(answer);
      });
    } catch (error) {
      if (group.length === 1 || isUnreachable(error)) for (const { reject } of group) reject(error);
      else for (const one of group) await commit([one]);
    }
  };

  const pump = (): void => {
    while (running < inFlight && queues.size > 0) {
      running += 1;
      const group = nextGroup();
      onGroup?.(group.length);
      void commit(group).finally(() => {
        running -= 1;
        pump();
      });
    }
  };

  /** After the input of this turn of the event loop: items read from the sockets together are committed together. */
  const pumpSoon = (): void => {
    if (isPumping || running >= inFlight) return;
    isPumping = true;
    setImmediate(() => {
      isPumping = false;
      pump();
    });
  };

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const owner = ownerOf(item);
        const queue = queues.get(owner) ?? [];
        queue.push({ item, resolve, reject });
        queues.set(owner, queue);
        weight += weightOf(item);
        pumpSoon();
      }),
    waiting: () => weight,
  };
}
