import { isJustRead } from './age.ts';
import type { DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';

/**
 * Deliveries that this process has read at their publish and has started in Temporal. Their first try comes back to it some ms later
 * and spares the query. One that comes late, or to another process, reads anew.
 */
export function createJustRead() {
  // In the order of keeping: the oldest one first.
  const kept = new Map<string, DeliveryToAttempt>();
  return {
    keep(delivery: DeliveryToAttempt): void {
      for (const old of kept.values()) {
        if (isJustRead(old)) break;
        kept.delete(old.deliveryId);
      }
      kept.set(delivery.deliveryId, delivery);
    },
    /** Once: a second try of the same delivery must see what the first one has changed. */
    take(deliveryId: string): DeliveryToAttempt | undefined {
      const delivery = kept.get(deliveryId);
      kept.delete(deliveryId);
      return delivery !== undefined && isJustRead(delivery) ? delivery : undefined;
    },
  };
}

export type JustRead = ReturnType<typeof createJustRead>;
