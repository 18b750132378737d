import type { Pool } from 'pg';
import { createGrouping } from '../../db/group.ts';
import { loadForAttempts } from '../../deliveries/load.ts';
import type { DeliveryToAttempt } from '../../shared/delivery-to-attempt.ts';
import { READ_STALE_AFTER_MS } from '../../shared/erasure.ts';

// Those that have waited too long come in hundreds: read one by one they would fall back further with every query.
const READ_AT_ONCE = 100;
const READS_IN_FLIGHT = 2;

export const ageOf = ({ subscription }: DeliveryToAttempt): number => Date.now() - subscription.readAt;

/** Whether it may be paused, deleted, erased or have another URL by now: it must be read again before its request is made. */
export const isStale = (delivery: DeliveryToAttempt): boolean => ageOf(delivery) > READ_STALE_AFTER_MS;

/** Whether its request will probably be made before it is stale, were it queued now. */
export const isFresh = (delivery: DeliveryToAttempt): boolean => ageOf(delivery) < READ_STALE_AFTER_MS / 2;

/** Gives a delivery as it is, or as it has become when what is known of it is stale; undefined when it is gone. */
export function createFreshness(
  pool: Pool,
): (delivery: DeliveryToAttempt) => Promise<DeliveryToAttempt | undefined> | DeliveryToAttempt {
  const reading = createGrouping<string, { found: DeliveryToAttempt | undefined }>({
    inFlight: READS_IN_FLIGHT,
    maxWeight: READ_AT_ONCE,
    weightOf: () => 1,
    run: async (ids) => {
      const found = new Map((await loadForAttempts(pool, ids)).map((delivery) => [delivery.deliveryId, delivery]));
      return ids.map((id) => ({ found: found.get(id) }));
    },
  });
  return (delivery) => (isStale(delivery) ? reading.add(delivery.deliveryId).then(({ found }) => found) : delivery);
}

/**
 * Reads those of these that are stale again, in place: a limit may have been changed, or a circuit closed by another process,
 * while a subscription's next try was refused.
 */
export async function refreshStale(pool: Pool, waiting: readonly { delivery: DeliveryToAttempt }[]): Promise<void> {
  const stale = waiting.filter(({ delivery }) => isStale(delivery)).slice(0, READ_AT_ONCE);
  if (stale.length === 0) return;
  const found = await loadForAttempts(
    pool,
    stale.map(({ delivery }) => delivery.deliveryId),
  ).catch(() => []);
  for (const item of stale) {
    const fresh = found.find(({ deliveryId }) => deliveryId === item.delivery.deliveryId);
    // Its round stays the one it was claimed in: a delivery that has moved on is found out when its turn comes.
    if (fresh?.round === item.delivery.round) item.delivery = fresh;
  }
}
