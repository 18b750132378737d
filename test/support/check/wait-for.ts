import { setTimeout as sleep } from 'node:timers/promises';

// A check of what this process has in memory costs nothing.
const LOOK_EVERY_MS = 25;
// A check that asks the API, PostgreSQL or Temporal takes processor time from the work it waits for. At 40 checks a second three files
// of test/faults took 231 s of processor time, and with these pauses 173 s. A pause is a tenth of the wait so far, so the wait becomes
// at most a tenth longer.
const SHARE_OF_THE_WAIT = 0.1;
const LOOK_AT_LEAST_EVERY_MS = 250;
// The condition is certain to come, usually within a second: only a fault may exceed this, never a slow machine.
const WITHIN_MS = 45_000;

/** Waits until `look` returns something other than undefined or false, and returns it. Fails with the last result after `withinMs`. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = WITHIN_MS,
): Promise<T> {
  const begunAt = Date.now();
  for (;;) {
    const looked = look();
    const seen = await looked;
    if (seen !== undefined && seen !== false) return seen;
    const waitedMs = Date.now() - begunAt;
    if (waitedMs > withinMs) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    await sleep(looked instanceof Promise ? pauseAfter(waitedMs) : LOOK_EVERY_MS);
  }
}

const pauseAfter = (waitedMs: number): number =>
  Math.min(LOOK_AT_LEAST_EVERY_MS, Math.max(LOOK_EVERY_MS, waitedMs * SHARE_OF_THE_WAIT));
