import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Counters } from './counters.ts';

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
