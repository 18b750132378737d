/** Work that leaves the event loop its turns. */
export type Slices = {
  /**
   * Calls `step` until it says that nothing is left. Once this turn of the event loop has no time left, the next turns go on with it.
   * Waiting work takes turns by its key, so that a thousand messages of one key do not hold up the one message of another.
   */
  run(key: string, step: () => boolean): Promise<void>;
};

type Work = { key: string; step: () => boolean; resolve: () => void; reject: (error: unknown) => void };

/** `forMs` is the time of one turn, whatever the number of messages; `now` in milliseconds. */
export function createSlices(forMs: number, now: () => number): Slices {
  // In the order of their turns: a Map keeps that of insertion.
  const waiting = new Map<string, Work[]>();
  let endsAt: number | undefined;

  const hasTime = (): boolean => {
    const time = now();
    if (endsAt === undefined) {
      endsAt = time + forMs;
      setImmediate(takeTurn);
    }
    return time < endsAt;
  };

  const wait = (work: Work): void => {
    const sameKey = waiting.get(work.key);
    if (sameKey === undefined) waiting.set(work.key, [work]);
    else sameKey.push(work);
  };

  const takeTurn = (): void => {
    endsAt = undefined;
    while (waiting.size > 0 && hasTime()) {
      const work = nextOf(waiting);
      if (work !== undefined) proceed(work);
    }
  };

  /** Makes at least one step: work that waited for a turn with time left would wait for ever on a machine that is always late. */
  const proceed = (work: Work): void => {
    try {
      let isMore = work.step();
      while (isMore && hasTime()) isMore = work.step();
      if (!isMore) return work.resolve();
      wait(work);
    } catch (error) {
      work.reject(error);
    }
  };

  return {
    run: (key, step) =>
      new Promise((resolve, reject) => {
        const work = { key, step, resolve, reject };
        if (waiting.size === 0 && hasTime()) proceed(work);
        else wait(work);
      }),
  };
}

/** The first work of the key whose turn it is. The key then goes to the end of the order. */
function nextOf(waiting: Map<string, Work[]>): Work | undefined {
  for (const [key, works] of waiting) {
    waiting.delete(key);
    const work = works.shift();
    if (works.length > 0) waiting.set(key, works);
    return work;
  }
  return undefined;
}
