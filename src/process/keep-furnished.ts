import type { Client } from '@temporalio/client';
import { untilReachable } from '../platform/db/failures.ts';
import { type Furniture, furnish, isNamespaceMissing, type Schedule } from '../platform/temporal/furnish.ts';

// Time between looks whether Temporal still has what we need; a lost store is made good within this time.
const FURNISH_EVERY_MS = 15_000;
// Limit of that look, shorter than the time between two. A server that hangs would otherwise keep the look for ever and seem healthy.
const FURNISH_WITHIN_MS = 10_000;
/** The SDK's workers give up when their namespace is denied for about ten seconds, and a new one is known two seconds after it was made. */
const GLANCE_EVERY_MS = 3_000;

type Wanted = Omit<Parameters<typeof furnish>[1], 'before' | 'schedules'>;

/** The namespace, the search attributes and the schedules that a worker needs in Temporal. */
type Furnished = {
  /** Whether the namespace had our search attributes at the last look. */
  isSearchable(): boolean;
  /** Whether the last look succeeded. */
  isHealthy(): boolean;
  /** Makes all that is missing. `abandon` is called where the store is new, now or later, and returns the number of deliveries. */
  begin(schedules: readonly Schedule[], abandon: () => Promise<number>): Promise<void>;
  /** Looks again and again from now on, until `stop`. */
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
      // Only this look finds the store new, and later starts in it would be abandoned too: the work is not left to the next look.
      const abandoned = await untilReachable(abandon, () => isStopped);
      log.warn({ deliveries: abandoned }, "Temporal's store is new; deliveries that the old one carried are due again");
    } catch (error) {
      isHealthy = false;
      log.warn(
        { err: error },
        'the namespace and the schedules in Temporal could not be checked; the next look tries again',
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
