// Five deaths within a minute before a process was ready are no accident, and a sixth start would not change that. One that was ready has
// served others, and what it died of is given up after three deaths (src/platform/crashes).
const TOO_MANY = 5;
const WITHIN_MS = 60_000;

/**
 * Counts deaths of service processes that were not ready yet; `now` in ms. The result of `add` says whether they are too many to start
 * another one.
 */
export function createDeaths(now: () => number): { add(): boolean } {
  let deaths: number[] = [];
  return {
    add() {
      deaths = [...deaths.filter((at) => at > now() - WITHIN_MS), now()];
      return deaths.length >= TOO_MANY;
    },
  };
}
