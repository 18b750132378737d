/**
 * Spaces out a look at PostgreSQL that costs more the longer a snapshot stays open there (a dump, a forgotten transaction), so that
 * it takes a bounded part of the time.
 */
export type Pace = {
  isDue(): boolean;
  /** Makes the look. The next one is due after a rest that follows from the length of this one and the two before. */
  look<T>(work: () => Promise<T>): Promise<T>;
};

// An outage makes a look or two long, and an open snapshot all of them. A rest after the former would leave a row that nobody moves
// alone for an hour, just when there are such rows.
const BELIEVED_AFTER = 3;

/**
 * `restAfter` gives the rest after looks of this length, both in ms. The length is the least one of the last three looks, and 0 before
 * there were three. A look that fails says nothing about it. The first look is due at once.
 */
export function createPace(restAfter: (tookMs: number) => number, now: () => number = () => performance.now()): Pace {
  let nextAt = Number.NEGATIVE_INFINITY;
  let lengths = Array.from({ length: BELIEVED_AFTER }, () => 0);
  return {
    isDue: () => now() >= nextAt,
    async look(work) {
      const startedAt = now();
      try {
        const seen = await work();
        lengths = [...lengths.slice(1), now() - startedAt];
        return seen;
      } finally {
        nextAt = now() + restAfter(Math.min(...lengths));
      }
    },
  };
}

/** Makes a look whose time has come, each name at its own pace; undefined if the time has not come. */
export type Paced = <T>(name: string, work: () => Promise<T>) => Promise<T | undefined>;

export function createPaced(restAfter: (tookMs: number) => number): Paced {
  const paces = new Map<string, Pace>();
  return async (name, work) => {
    const pace = paces.get(name) ?? createPace(restAfter);
    paces.set(name, pace);
    return pace.isDue() ? pace.look(work) : undefined;
  };
}
