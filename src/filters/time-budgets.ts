import { createLru } from '../shared/lru.ts';

/** Of one key, milliseconds of a thread: what it may use at once, and what comes back in a second. */
export type TimeBudget = { fullMs: number; perSecondMs: number };

export type TimeBudgets = {
  isUsedUp(key: string): boolean;
  /** May go below nothing: what was begun is paid for. */
  charge(key: string, ms: number): void;
};

// What is forgotten is full again.
const KEPT_KEYS = 1_000;

/** A bucket of time for each key. `now` in milliseconds. */
export function createTimeBudgets({ fullMs, perSecondMs }: TimeBudget, now: () => number): TimeBudgets {
  const budgets = createLru<{ leftMs: number; at: number }>(KEPT_KEYS);
  const leftOf = (key: string): number => {
    const known = budgets.get(key);
    return known === undefined ? fullMs : Math.min(fullMs, known.leftMs + ((now() - known.at) / 1_000) * perSecondMs);
  };
  return {
    isUsedUp: (key) => leftOf(key) <= 0,
    charge(key, ms) {
      budgets.set(key, { leftMs: leftOf(key) - ms, at: now() }, 1);
    },
  };
}
