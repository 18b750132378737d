/** Work that yields to the event loop. */
export type Slices = {
  /**
   * Calls `step` until it returns false. If this turn of the event loop runs out of time, later turns continue. Owners of waiting work
   * take turns, so that a thousand messages of one do not delay the single message of another. Rejects with what a step throws.
   */
  run(owner: string, step: () => boolean, more?: More): Promise<void>;
};

type More = {
  /** Work of one owner takes turns by part. Within a part, the order is first come, first served. */
  part?: string;
  /**
   * Bytes received or to be sent over a connection for this work. Moving them is work too, so they shorten the turn and lengthen the
   * pause.
   */
  bytes?: number;
};

type Work = {
  owner: string;
  step: () => boolean;
  resolve: () => void;
  reject: (error: unknown) => void;
} & Required<More>;

type Timing = {
  /** Duration of a turn, whatever the number of messages. */
  forMs: number;
  /**
   * A turn with at least a millisecond of work is followed by a pause this many times as long as the work. With 0, the next turn
   * follows directly.
   */
  restTimes?: number;
  /** In milliseconds. */
  now?: (() => number) | undefined;
};

/** Shorter work needs no pause. */
const LEAST_MS = 1;
/** Bytes of a connection that count as a millisecond of work. */
const BYTES_PER_MS = 256 * 1024;

export function createSlices({ forMs, restTimes = 0, now = () => performance.now() }: Timing): Slices {
  // In the order of their turns: a Map keeps insertion order.
  const waiting = new Map<string, Map<string, Work[]>>();
  /** When this turn runs out of time; undefined if none has started. */
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
    // Nothing starts before the pause is over.
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

  /** Runs at least one step: on a machine that is always late, work that waited for a turn with time left would wait forever. */
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

/** Runs steps in turns of the owner, and returns the result of the last one. Rejects with what a step throws. */
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
  // `as`: the steps have ended, or one has thrown.
  return (done as unknown as { value: T }).value;
}

/** The first work of the part and owner whose turn it is. Both then move to the end of their order. */
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

/** A body with at least this many bytes takes turns with others. Reading a smaller one takes up to 2 ms. */
export const COSTLY_BYTES = 32 * 1024;
const TURN_MS = 5;
const REST_TIMES = 2;

/** The common owner of everything that unauthenticated callers send. */
export const UNPROVEN = '';

/**
 * Turns for work on what callers send or read that may take long: bodies and their signatures, definitions, large responses. There is
 * one per process, and all of this work together gets a third of the event loop, so that most other requests find it free.
 */
export const createCostlyTurns = (): Slices => createSlices({ forMs: TURN_MS, restTimes: REST_TIMES });
