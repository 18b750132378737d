/**
 * The index of a worker process among the running ones: position `at` (from 0) of `of` workers, in the order of their worker ids.
 * `isNew`: the others may not know of it yet and divide slots without it.
 */
export type Rank = { at: number; of: number; isNew: boolean };

// Scans are divided among at most this many processes, so that if one dies, another scans within five turns.
const DIVIDED_BY_AT_MOST = 4;
// A turn that begins within this fraction of a turn's length counts as the current one, because timers and clocks differ by some ms.
const PRESENT_PART = 0.05;

/**
 * Milliseconds until a process's next turn of a scan that all running processes together perform every `everyMs`, in turn. `now` is a
 * time of day in ms that all of them share. The result is above 0 and up to `everyMs` times the number of processes that take turns, or
 * slightly more.
 */
export function nextTurnInMs({ at, of }: Rank, now: number, everyMs: number): number {
  const takers = Math.min(Math.max(1, of), DIVIDED_BY_AT_MOST);
  const roundMs = takers * everyMs;
  const inMs = roundMs - ((now - (at % takers) * everyMs) % roundMs);
  return inMs <= everyMs * PRESENT_PART ? inMs + roundMs : inMs;
}

/**
 * A process's share of `places` slots, a whole number. If they cannot be divided equally, the first processes have one more. Each has
 * at least one, so the total is exceeded only with more processes than slots. A new process has one, because the others have divided
 * all of them.
 */
export const shareOf = (places: number, { at, of, isNew }: Rank): number =>
  isNew ? 1 : Math.max(1, Math.ceil((places - at) / Math.max(1, of)));
