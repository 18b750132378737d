/**
 * A worker process among the living ones: position `at`, from 0, `of` so many, in the order of their incarnations' ids. `isNew`: the
 * others may not know of it yet, and share as if it were not there.
 */
export type Rank = { at: number; of: number; isNew: boolean };

// Looks are divided among so many processes at most: whoever dies, another process looks before five turns are over.
const DIVIDED_BY_AT_MOST = 4;
// A turn that begins within this part of a turn's length is the present one: timers and clocks differ by some ms.
const PRESENT_PART = 0.05;

/**
 * Ms until a process's next turn of a look that all living processes together make every `everyMs`, by turns. `now` is a time of day,
 * in ms, that all of them share. The result is above 0 and at most `everyMs` times the processes that take turns, or a little more.
 */
export function nextTurnInMs({ at, of }: Rank, now: number, everyMs: number): number {
  const takers = Math.min(Math.max(1, of), DIVIDED_BY_AT_MOST);
  const roundMs = takers * everyMs;
  const inMs = roundMs - ((now - (at % takers) * everyMs) % roundMs);
  return inMs <= everyMs * PRESENT_PART ? inMs + roundMs : inMs;
}

/**
 * A process's part of `places`, a whole number. The first processes have one more where the places cannot be divided equally. Each has
 * one at least, so only processes beyond the number of places exceed it. A new process has one: the others have divided all.
 */
export const shareOf = (places: number, { at, of, isNew }: Rank): number =>
  isNew ? 1 : Math.max(1, Math.ceil((places - at) / Math.max(1, of)));
