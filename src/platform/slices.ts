/** Work that leaves the event loop its turns. */
export type Slices = {
  /**
   * Calls `step` until it says that nothing is left. Once this turn of the event loop has no time left, later turns go on with it.
   * Waiting work takes turns by its owner, so that a thousand messages of one do not hold up the one message of another. Rejects with
   * what a step throws.
   */
  run(owner: string, step: () => boolean, more?: More): Promise<void>;
};

type More = {
  /** Work of one owner takes turns by these. Of the same one, what came first is done first. */
  part?: string;
  /** Came over a connection for this work or will go over one. Moving them is work, too: they shorten the turn and lengthen the rest. */
  bytes?: number;
};

type Work = {
  owner: string;
  step: () => boolean;
  resolve: () => void;
  reject: (error: unknown) => void;
} & Required<More>;

type Timing = {
  /** The time of one turn, whatever the number of messages. */
  forMs: number;
  /** A turn with work of at least a millisecond is followed by a rest so many times as long as the work. 0: the next turn goes on. */
  restTimes?: number;
  /** In milliseconds. */
  now?: (() => number) | undefined;
};

/** Shorter work needs no rest. */
const LEAST_MS = 1;
/** Bytes of a connection that are counted as a millisecond of work. */
const BYTES_PER_MS = 256 * 1024;

export function createSlices({ forMs, restTimes = 0, now = () => performance.now() }: Timing): Slices {
  // In the order of their turns: a Map keeps that of insertion.
  const waiting = new Map<string, Map<string, Work[]>>();
  /** When this turn has no time left. Undefined: none has begun. */
  let endsAt: number | undefined;
  let workedMs = 0;

  const hasTime = (): boolean => {
    const time = now();
    if (endsAt === undefined) {
      endsAt = time + forMs;
      workedMs = 0;
      setImmediate(rest);
    }
    return time < endsAt && workedMs < forMs;
  };

  const rest = (): void => {
    // Nothing begins before the rest is over.
    endsAt = -Infinity;
    if (restTimes === 0 || workedMs < LEAST_MS) takeTurn();
    else setTimeout(takeTurn, Math.ceil(workedMs * restTimes));
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
    const startedAt = restTimes === 0 ? 0 : now();
    let isMore = false;
    try {
      isMore = work.step();
      while (isMore && hasTime()) isMore = work.step();
      if (!isMore) work.resolve();
    } catch (error) {
      isMore = false;
      work.reject(error);
    }
    if (isMore) place(work, 'first');
    if (restTimes > 0) workedMs += now() - startedAt + (isMore ? 0 : work.bytes / BYTES_PER_MS);
  };

  const place = (work: Work, where: 'first' | 'last'): void => {
    const parts = waiting.get(work.owner) ?? new Map<string, Work[]>();
    const works = parts.get(work.part) ?? [];
    if (where === 'first') works.unshift(work);
    else works.push(work);
    parts.set(work.part, works);
    waiting.set(work.owner, parts);
  };

  return {
    run: (owner, step, { part = '', bytes = 0 } = {}) =>
      new Promise((resolve, reject) => {
        const work = { owner, step, part, bytes, resolve, reject };
        if (waiting.size === 0 && hasTime()) proceed(work);
        else place(work, 'last');
      }),
  };
}

/** Takes one step after the other in turns of the owner, and returns what the last one gives. Rejects with what a step throws. */
export async function takeSteps<T>(
  slices: Slices,
  owner: string,
  { steps, ...more }: More & { steps: { next(): IteratorResult<void, T> } },
): Promise<T> {
  let done: { value: T } | undefined;
  const step = (): boolean => {
    const result = steps.next();
    if (result.done === true) done = { value: result.value };
    return result.done !== true;
  };
  await slices.run(owner, step, more);
  // `as`: it has come to the end, or has thrown.
  return (done as unknown as { value: T }).value;
}

/** The first work of the part and the owner whose turn it is. Both then go to the end of their order. */
function nextOf(waiting: Map<string, Map<string, Work[]>>): Work | undefined {
  for (const [owner, parts] of waiting) {
    waiting.delete(owner);
    for (const [part, works] of parts) {
      parts.delete(part);
      const work = works.shift();
      if (works.length > 0) parts.set(part, works);
      if (parts.size > 0) waiting.set(owner, parts);
      return work;
    }
  }
  return undefined;
}

/** A body of this many bytes takes turns with others. Reading a smaller one takes 2 ms at most. */
export const COSTLY_BYTES = 32 * 1024;
const TURN_MS = 5;
const REST_TIMES = 2;

/** The one owner of what callers send who have proved nothing. */
export const UNPROVEN = '';

/**
 * Turns for work on what callers send or read that may take long: bodies and their signatures, definitions, large answers. One for the
 * process: all of it together has a third of the event loop, so that most other requests find it free.
 */
export const createCostlyTurns = (): Slices => createSlices({ forMs: TURN_MS, restTimes: REST_TIMES });
