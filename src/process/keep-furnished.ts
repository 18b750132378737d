import type { Client } from '@temporalio/client';
import { untilReachable } from '../platform/db/failures.ts';
import { type Furniture, furnish, isNamespaceMissing, type Schedule } from '../platform/temporal/furnish.ts';

// Interval of the checks whether Temporal still has what we need; a lost store is set up again within this time.
const FURNISH_EVERY_MS = 15_000;
// Timeout of that check, shorter than its interval. Otherwise a server that hangs would block the check forever and seem healthy.
const FURNISH_WITHIN_MS = 10_000;
/**
 * The SDK's workers give up if their namespace is denied for about ten seconds, and a new one is available two seconds after it was
 * created.
 */
const GLANCE_EVERY_MS = 3_000;

type Wanted = Omit<Parameters<typeof furnish>[1], 'before' | 'schedules'>;

/** The namespace, the search attributes and the schedules that a worker needs in Temporal. */
type Furnished = {
  /** Whether the namespace had our search attributes at the last check. */
  isSearchable(): boolean;
  /** Whether the last check succeeded. */
  isHealthy(): boolean;
  /**
   * Creates everything that is missing. `abandon` is called if the store is new, now or later, and returns the number of re-queued
   * deliveries.
   */
  begin(schedules: readonly Schedule[], abandon: () => Promise<number>): Promise<void>;
  /** Repeats the check from now on, until `stop`. */
  watch(): void;
  stop(): void;
};

export function keepFurnished(client: Client, wanted: Wanted): Furnished {
  const { log, namespace } = wanted;
  let furniture: Furniture = { isSearchable: false, isNewStore: false };
  let schedules: readonly Schedule[] = [];
  let abandon: () => Promise<number> = () => Promise.resolve(0);
  let isHealthy = true;
  let isStopped = false;
  let timers: NodeJS.Timeout[] = [];

  const look = async (): Promise<void> => {
    try {
      const found = await client.withDeadline(Date.now() + FURNISH_WITHIN_MS, () =>
        furnish(client, { ...wanted, schedules, before: furniture }),
      );
      furniture = found;
      isHealthy = true;
      if (!found.isNewStore) return;
      // Only this check finds the store new, and workflows started later would be detached too, so the work is not left to the next
      // check.
      const abandoned = await untilReachable(abandon, () => isStopped);
      log.warn(
        { deliveries: abandoned },
        "Temporal's store is new (lost or replaced); re-queued the deliveries whose workflows were in the old one",
      );
    } catch (error) {
      isHealthy = false;
      log.warn(
        { err: error },
        'could not check the namespace and the schedules in Temporal; the next check will try again',
      );
    }
  };
  const glance = async (): Promise<void> => {
    const isMissing = await client
      .withDeadline(Date.now() + GLANCE_EVERY_MS, () => isNamespaceMissing(client, namespace))
      .catch(() => false);
    if (isMissing && !isStopped) await look();
  };

  return {
    isSearchable: () => furniture.isSearchable,
    isHealthy: () => isHealthy,
    async begin(wantedSchedules, abandonAll) {
      schedules = wantedSchedules;
      abandon = abandonAll;
      furniture = await furnish(client, { ...wanted, schedules });
      if (furniture.isNewStore) await abandon();
    },
    watch() {
      timers = [setInterval(() => void look(), FURNISH_EVERY_MS), setInterval(() => void glance(), GLANCE_EVERY_MS)];
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
    },
  };
}
