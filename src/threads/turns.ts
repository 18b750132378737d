import { createLru } from '../shared/lru.ts';

/** Whose job is next, by what each key has had: time of threads, counted while it was busy only. */
export type Turns = {
  begin(key: string): void;
  end(key: string): void;
  /** One of its jobs ended a thread: for a minute it leaves the last thread that is ready to others. */
  mark(key: string): void;
  /** The first job of the key that has had least; none of a key that runs already. `ready` threads have begun, busy or not. */
  nextOf<T extends { key: string }>(waiting: readonly T[], running: ReadonlySet<string>, ready: number): T | undefined;
};

// What is forgotten has had nothing.
const KEPT_KEYS = 1_000;
const MARKED_FOR_MS = 60_000;

/** `now` in milliseconds. */
export function createTurns(now: () => number): Turns {
  // Start-time fair queueing: a key that has waited for nothing starts at the time that is being served, not at zero.
  const had = createLru<number>(KEPT_KEYS);
  const marked = createLru<number>(KEPT_KEYS);
  const begun = new Map<string, { turn: number; at: number }>();
  let served = 0;

  const turnOf = (key: string): number => Math.max(had.get(key) ?? 0, served);
  const isMarked = (key: string): boolean => {
    const at = marked.get(key);
    return at !== undefined && now() - at < MARKED_FOR_MS;
  };

  return {
    begin(key) {
      served = turnOf(key);
      begun.set(key, { turn: served, at: now() });
    },
    end(key) {
      const { turn, at } = begun.get(key) ?? { turn: served, at: now() };
      begun.delete(key);
      had.set(key, turn + now() - at, 1);
    },
    mark: (key) => marked.set(key, now(), 1),
    nextOf(waiting, running, ready) {
      const isFull = [...running].filter(isMarked).length >= ready - 1;
      let next: { job: (typeof waiting)[number]; turn: number } | undefined;
      for (const job of waiting) {
        if (running.has(job.key) || (isFull && isMarked(job.key))) continue;
        const turn = turnOf(job.key);
        if (next === undefined || turn < next.turn) next = { job, turn };
      }
      return next?.job;
    },
  };
}
