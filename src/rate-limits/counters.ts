/** A count within a window that began with its first request. */
export type Count = { count: number; millisecondsLeft: number };

/** The limiter's counters: in this process, or in Redis for all of them. Names are rate-limit keys, not secrets. */
export type Counters = {
  /** Adds one to the window of `seconds` under this name. */
  add(name: string, seconds: 1 | 60): Promise<Count>;
  /** Takes back the count of a refused request, without a promise to wait for. */
  giveBack(name: string, seconds: 1 | 60): void;
  /** Takes one of `places`; undefined when all are taken. The result gives it back. */
  enter(name: string, places: number): Promise<(() => void) | undefined>;
};
