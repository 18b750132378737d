import { isUnreachable } from './failures.ts';

export type GroupOptions<I, O> = {
  /** Runs one group in one transaction and returns results in the order of the items. Throws if the transaction failed. */
  run: (items: readonly I[]) => Promise<readonly O[]>;
  /** Concurrent transactions. Items that arrive while they run share the next one. */
  inFlight: number;
  /** Maximum weight of a group (for example in messages); a heavier single item is a group of its own. */
  maxWeight: number;
  weightOf: (item: I) => number;
  /** A second limit of a group, in another unit (for example rows that its items create). */
  also?: { maxWeight: number; weightOf: (item: I) => number } | undefined;
  /** Who an item belongs to. If more is waiting than fits into one group, owners take turns; the items of one owner keep their order. */
  ownerOf?: ((item: I) => string) | undefined;
  /** Receives the number of items of each group as it starts. */
  onGroup?: ((items: number) => void) | undefined;
};

export type Grouping<I, O> = {
  /** Adds an item to the next group; settles with its own result. */
  add(item: I): Promise<O>;
  /** Weight of the items waiting for a group, without those being committed. */
  waiting(): number;
};

type Waiting<I, O> = { item: I; resolve: (answer: O) => void; reject: (reason: unknown) => void };

/**
 * Group commit: items that arrive in one turn of the event loop while a slot is free are committed at the end of that turn. Under load
 * the transactions grow by themselves and share their cost. A group that fails is repeated item by item, so that a bad row fails alone.
 * If the connection is lost during the commit, its outcome is unknown, and every item of the group is rejected with that error.
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
  // Queues by owner, the next one to be served first.
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
      // Owners that were served move to the end.
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
        if (answer === undefined) reject(new Error('A group returned fewer results than it has items'));
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

  /** After the input of this turn of the event loop, so that items read from the sockets together are committed together. */
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
