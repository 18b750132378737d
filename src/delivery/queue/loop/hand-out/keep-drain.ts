import type { StartDrain } from '../../start-delivery.ts';

// A drain that ends at once would otherwise be started again without a pause.
const PAUSE_MS = 1_000;

/**
 * Keeps one drain of this process running: the first hundred deliveries of a burst must find it ready. `aside` runs work that a stop
 * waits for, and wakes the dispatcher at its end.
 */
export function createDrainKeeper({
  startDrain,
  aside,
  onFailure,
  now,
}: {
  startDrain: StartDrain;
  aside: (work: Promise<void>) => void;
  onFailure: (error: unknown) => void;
  now: () => number;
}): { keep(): void } {
  let isKept = false;
  let notBefore = Number.NEGATIVE_INFINITY;
  return {
    keep() {
      if (isKept || now() < notBefore) return;
      isKept = true;
      notBefore = now() + PAUSE_MS;
      aside(
        startDrain()
          .catch(onFailure)
          .finally(() => {
            isKept = false;
          }),
      );
    },
  };
}
