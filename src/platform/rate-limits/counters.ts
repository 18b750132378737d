import { RateLimiterMemory } from 'rate-limiter-flexible';

/** A count within a window that started with its first request. */
export type WindowCount = { count: number; millisecondsLeft: number };

/**
 * The limiter's counters: in this process, in the supervisor for all of its processes, or in Redis for all processes anywhere. Names
 * are rate-limit keys, not secrets.
 */
export type Counters = {
  /** Adds one to the window of `seconds` with this name. */
  add(name: string, seconds: 1 | 60): Promise<WindowCount>;
  /** Takes back the count of a rejected request, without waiting for it. */
  giveBack(name: string, seconds: 1 | 60): void;
  /** Acquires one of `places` slots; undefined if all are in use. Calling the result releases it. */
  enter(name: string, places: number): Promise<(() => void) | undefined>;
};

/** A command to counters in another process. A slot has a number chosen by the asking process. */
export type CountCommand =
  | readonly ['add', name: string, seconds: 1 | 60]
  | readonly ['giveBack', name: string, seconds: 1 | 60]
  | readonly ['enter', name: string, places: number, place: number]
  | readonly ['leave', place: number];

/** Replies to `add` (the count and the milliseconds left) and to `enter` (whether a slot was free), in the order of the commands. */
export type CountAnswer = readonly [count: number, millisecondsLeft: number] | boolean;

/** The limiter compares counts with the limit of each key itself, so the library gets a limit that is never reached. */
export const UNLIMITED_POINTS = Number.MAX_SAFE_INTEGER;

/** Counters in the memory of one process: the only one, or the supervisor of several. */
export function createMemoryCounters(): Counters {
  const windows = {
    1: new RateLimiterMemory({ points: UNLIMITED_POINTS, duration: 1 }),
    60: new RateLimiterMemory({ points: UNLIMITED_POINTS, duration: 60 }),
  };
  const inFlight = new Map<string, number>();

  return {
    async add(name, seconds) {
      const { consumedPoints, msBeforeNext } = await windows[seconds].consume(name);
      return { count: consumedPoints, millisecondsLeft: msBeforeNext };
    },
    giveBack(name, seconds) {
      void windows[seconds].reward(name);
    },
    async enter(name, places) {
      const taken = inFlight.get(name) ?? 0;
      if (taken >= places) return undefined;
      inFlight.set(name, taken + 1);
      return () => {
        const rest = (inFlight.get(name) ?? 1) - 1;
        // A name without requests uses no memory.
        if (rest === 0) inFlight.delete(name);
        else inFlight.set(name, rest);
      };
    },
  };
}

/** Tracks how much of a process-wide limit each owner uses; no owner may have more than its share. */
type Shares = {
  /** Takes one. Otherwise returns which limit is reached: the owner's own, or that of the process. */
  take(owner: string): 'taken' | 'own' | 'all';
  /** Releases one that this owner has taken. */
  give(owner: string): void;
};

export function createShares({ inAll, ofOne }: { inAll: number; ofOne: number }): Shares {
  const takenBy = new Map<string, number>();
  let taken = 0;
  return {
    take(owner) {
      const own = takenBy.get(owner) ?? 0;
      if (own >= ofOne) return 'own';
      if (taken >= inAll) return 'all';
      taken += 1;
      takenBy.set(owner, own + 1);
      return 'taken';
    },
    give(owner) {
      const rest = (takenBy.get(owner) ?? 1) - 1;
      taken -= 1;
      // An owner without any uses no memory.
      if (rest === 0) takenBy.delete(owner);
      else takenBy.set(owner, rest);
    },
  };
}
