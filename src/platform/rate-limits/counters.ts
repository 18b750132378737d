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
