import { CIRCUIT_OPENS_AT } from '../../kernel/rules/circuit.ts';

// The window moves on by a thirtieth at a time: tries are counted, not kept.
const PARTS = 30;
const PART_MS = CIRCUIT_OPENS_AT.windowMs / PARTS;

/** The tries of one subscription in the last 5 minutes, as this process has seen them. `now` in ms. */
export type FailureWindow = {
  add(isDelivered: boolean, now: number): void;
  /** Whether the circuit is to open: at least 20 tries, at least 90 % failed. */
  isFailing(now: number): boolean;
  clear(): void;
};

export function createFailureWindow(): FailureWindow {
  // Oldest first; parts of the window without a try are left out.
  let parts: { number: number; tries: number; failures: number }[] = [];
  const partOf = (now: number): number => Math.floor(now / PART_MS);

  return {
    add(isDelivered, now) {
      const number = partOf(now);
      let part = parts.at(-1);
      if (part?.number !== number) {
        part = { number, tries: 0, failures: 0 };
        parts = [...parts.filter((old) => old.number > number - PARTS), part];
      }
      part.tries += 1;
      if (!isDelivered) part.failures += 1;
    },
    isFailing(now) {
      const counted = parts.filter((part) => part.number > partOf(now) - PARTS);
      const tries = counted.reduce((sum, part) => sum + part.tries, 0);
      const failures = counted.reduce((sum, part) => sum + part.failures, 0);
      return tries >= CIRCUIT_OPENS_AT.attempts && failures >= tries * CIRCUIT_OPENS_AT.failedPart;
    },
    clear() {
      parts = [];
    },
  };
}
