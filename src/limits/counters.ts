/** A count within a window that began with its first request. */
export type Count = { count: number; millisecondsLeft: number };

/** What the limiter counts with: in this process, or in Redis for all of them. Names are rate-limit keys, not secrets. */
export type Counters = {
  /** Adds one to the window of `seconds` under this name. */
  add(name: string, seconds: 1 | 60): Promise<Count>;
  /** Takes back what a refused request has added. Nobody waits for it. */
  giveBack(name: string, seconds: 1 | 60): void;
  /** Takes a place among those in flight; undefined when all `places` are taken. The result gives it back. */
  enter(name: string, places: number): Promise<(() => void) | undefined>;
};
