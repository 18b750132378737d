import { setTimeout as sleep } from 'node:timers/promises';

// Looked at often enough that waiting adds nothing to a test, seldom enough to leave the two cores alone.
const LOOK_EVERY_MS = 25;
// The condition is certain to come, usually within a second: only a fault may exceed this, never a machine that stalls.
const WITHIN_MS = 45_000;

/** Waits until `look` gives something other than undefined or false, and returns it. Fails with the last look after `withinMs`. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = WITHIN_MS,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
