/**
 * The progress of a replay. `done` of `whole`: rows, or ms of a time span. `left`: rows, if their number is known.
 * `most`: the rate limit per second.
 */
export type ReplayPace = {
  createdAt: string;
  replayed: number;
  done: number;
  whole: number;
  left?: number;
  most: number | undefined;
};

type BulkRow = { createdAt: string; failed: number; matched: number; ratePerSecond?: number | undefined };

/**
 * Returns the progress of a replay of dead letters or a retry of deliveries. A row that could not be re-queued counts
 * as done.
 */
export function paceOfBulk({ createdAt, failed, matched, ratePerSecond }: BulkRow, replayed: number): ReplayPace {
  const done = replayed + failed;
  return { createdAt, replayed, done, whole: matched, left: Math.max(0, matched - done), most: ratePerSecond };
}

/**
 * Returns how many rows per second a replay has re-queued so far, and the seconds left at that rate, never fewer than
 * its rate limit allows. Within the first second neither is known.
 */
export function paceOf(
  { createdAt, replayed, done, whole, left = 0, most }: ReplayPace,
  now: number,
): { rate: number | undefined; secondsLeft: number | undefined } {
  const seconds = (now - Date.parse(createdAt)) / 1_000;
  const hasBegun = done > 0 && seconds >= 1;
  const atLeast = most === undefined ? 0 : left / most;
  const secondsLeft = hasBegun ? Math.max(atLeast, (Math.max(0, whole - done) * seconds) / done) : atLeast;
  const rate = replayed / seconds;
  return {
    rate: hasBegun ? (rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate)) : undefined,
    secondsLeft: secondsLeft === 0 ? undefined : Math.ceil(secondsLeft),
  };
}
