import type { Pool } from 'pg';
import { createGrouping } from '../../db/group.ts';
import { isStale } from '../../deliveries/attempt/age.ts';
import { loadForAttempts } from '../../deliveries/attempt/load.ts';
import type { DeliveryToAttempt } from '../../deliveries/attempt/delivery-to-attempt.ts';

// Stale deliveries come in hundreds. Read one by one, they would fall further behind with every query.
const READ_AT_ONCE = 100;
const READS_IN_FLIGHT = 2;

/** Gives a delivery as it is, or reads it again when it is stale; undefined when it is gone. */
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
 * Reads the stale ones of these again, in place: a limit may have changed, or another process closed a circuit, while a
 * subscription's next try was refused.
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
    // The round stays the one of the claim: a delivery that has moved on is found out when its turn comes.
    if (fresh?.round === item.delivery.round) item.delivery = fresh;
  }
}
