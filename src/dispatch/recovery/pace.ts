/**
 * Spaces out a look at PostgreSQL that costs more the longer a snapshot stays open there (a dump, a forgotten transaction), so that
 * it takes a bounded part of the time.
 */
export type Pace = {
  isDue(): boolean;
  /** Makes the look. The next one is due after a rest that follows from the length of this one. */
  look<T>(work: () => Promise<T>): Promise<T>;
};

/** `restAfter` gives the rest after a look of this length, both in ms. The first look is due at once. */
export function createPace(restAfter: (tookMs: number) => number): Pace {
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    isDue: () => performance.now() >= nextAt,
    async look(work) {
      const startedAt = performance.now();
      try {
        return await work();
      } finally {
        const now = performance.now();
        nextAt = now + restAfter(now - startedAt);
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
