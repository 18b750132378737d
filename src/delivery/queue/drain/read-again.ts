import type { Pool } from 'pg';
import { createGrouping } from '../../../platform/db/group.ts';
import { isReadTooLongAgo } from '../../attempt/just-read.ts';
import { loadHeld } from '../../attempt/load.ts';
import type { DeliveryToAttempt } from '../../../kernel/contract/delivery-workflow.ts';

// Deliveries that were read too long ago come in hundreds. Read one by one, they would fall further behind with every query.
const READ_AT_ONCE = 100;
const READS_IN_FLIGHT = 2;

/** Gives a delivery as it is, or reads it again when that was too long ago; undefined when it is gone or held by another process. */
export function createReadAgain(
  pool: Pool,
  incarnationId: string,
): (delivery: DeliveryToAttempt) => Promise<DeliveryToAttempt | undefined> | DeliveryToAttempt {
  const reading = createGrouping<string, { found: DeliveryToAttempt | undefined }>({
    inFlight: READS_IN_FLIGHT,
    maxWeight: READ_AT_ONCE,
    weightOf: () => 1,
    run: async (ids) => {
      const found = new Map(
        (await loadHeld(pool, ids, incarnationId)).map((delivery) => [delivery.deliveryId, delivery]),
      );
      return ids.map((id) => ({ found: found.get(id) }));
    },
  });
  return (delivery) =>
    isReadTooLongAgo(delivery) ? reading.add(delivery.deliveryId).then(({ found }) => found) : delivery;
}

/**
 * Reads those of these again that were read too long ago, in place: a limit may have changed, or another process closed a circuit,
 * while a subscription's next try was refused.
 */
export async function readOldAgain(
  { pool, incarnationId }: { pool: Pool; incarnationId: string },
  waiting: readonly { delivery: DeliveryToAttempt }[],
): Promise<void> {
  const old = waiting.filter(({ delivery }) => isReadTooLongAgo(delivery)).slice(0, READ_AT_ONCE);
  if (old.length === 0) return;
  const ids = old.map(({ delivery }) => delivery.deliveryId);
  const found = await loadHeld(pool, ids, incarnationId).catch(() => []);
  for (const item of old) {
    const fresh = found.find(({ deliveryId }) => deliveryId === item.delivery.deliveryId);
    // The round stays the one of the claim: a delivery that has moved on is found out when its turn comes.
    if (fresh?.round === item.delivery.round) item.delivery = fresh;
  }
}
