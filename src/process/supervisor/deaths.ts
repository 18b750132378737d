// Five deaths within a minute are no accident, and a sixth start would not change that.
const TOO_MANY = 5;
const WITHIN_MS = 60_000;

/** Counts deaths of service processes; `now` in ms. The result of `add` says whether they are too many to start another one. */
export function createDeaths(now: () => number): { add(): boolean } {
  let deaths: number[] = [];
  return {
    add() {
      deaths = [...deaths.filter((at) => at > now() - WITHIN_MS), now()];
      return deaths.length >= TOO_MANY;
    },
  };
}
