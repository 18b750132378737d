import { RateLimiterMemory } from 'rate-limiter-flexible';

/** A count within a window that began with its first request. */
export type WindowCount = { count: number; millisecondsLeft: number };

/**
 * The limiter's counters: in this process, in its supervisor for all of its processes, or in Redis for all processes anywhere. Names
 * are rate-limit keys, not secrets.
 */
export type Counters = {
  /** Adds one to the window of `seconds` under this name. */
  add(name: string, seconds: 1 | 60): Promise<WindowCount>;
  /** Takes back the count of a refused request, without a promise to wait for. */
  giveBack(name: string, seconds: 1 | 60): void;
  /** Takes one of `places`; undefined when all are taken. The result gives it back. */
  enter(name: string, places: number): Promise<(() => void) | undefined>;
};

/** A command to counters in another process. A place has a number of the asking process's own. */
export type CountCommand =
  | readonly ['add', name: string, seconds: 1 | 60]
  | readonly ['giveBack', name: string, seconds: 1 | 60]
  | readonly ['enter', name: string, places: number, place: number]
  | readonly ['leave', place: number];

/** Answers to `add` (the count and the milliseconds left) and to `enter` (whether there was a place), in the order of the commands. */
export type CountAnswer = readonly [count: number, millisecondsLeft: number] | boolean;

/** The limiter compares counts with the limit of each key, so the library gets a limit that is never reached. */
export const UNLIMITED_POINTS = Number.MAX_SAFE_INTEGER;

/** Counters in the memory of one process: of the only one, or of the supervisor of several. */
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
        // A name without requests takes no memory.
        if (rest === 0) inFlight.delete(name);
        else inFlight.set(name, rest);
      };
    },
  };
}

/** Who has taken how much of a bound of the process, of which no owner may have more than a share. */
type Shares = {
  /** Takes one of them. Otherwise says which bound is reached: the owner's own, or that of the process. */
  take(owner: string): 'taken' | 'own' | 'all';
  /** Gives one back that this owner has taken. */
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
      // An owner without any takes no memory.
      if (rest === 0) takenBy.delete(owner);
      else takenBy.set(owner, rest);
    },
  };
}
