/** How far a replay is. `done` of `whole`: rows, or ms of a span. `left`: rows, where their number is known. `most`: a second at most. */
export type ReplayPace = {
  createdAt: string;
  replayed: number;
  done: number;
  whole: number;
  left?: number;
  most: number | undefined;
};

type BulkRow = { createdAt: string; failed: number; matched: number; ratePerSecond?: number | undefined };

/** How far a replay of dead letters is, or a retry of deliveries. A row that could not be made due is done as well. */
export function paceOfBulk({ createdAt, failed, matched, ratePerSecond }: BulkRow, replayed: number): ReplayPace {
  const done = replayed + failed;
  return { createdAt, replayed, done, whole: matched, left: Math.max(0, matched - done), most: ratePerSecond };
}

/**
 * How many rows a second a replay has made due so far, and in how many seconds it ends if it goes on so: never earlier than its most would
 * let it. The first second says nothing, and neither is known then.
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
