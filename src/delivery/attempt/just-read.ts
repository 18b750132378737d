import { type DeliveryToAttempt, READ_AGAIN_AFTER_MS } from '../../kernel/contract/delivery-workflow.ts';

const ageOf = ({ subscription }: DeliveryToAttempt): number => performance.now() - subscription.readAt;

/**
 * Whether the subscription may be paused or deleted, the message erased, or the URL changed by now. Then the delivery is read again
 * before its request.
 */
export const isReadTooLongAgo = (delivery: DeliveryToAttempt): boolean => ageOf(delivery) > READ_AGAIN_AFTER_MS;

/** Whether its request will probably be made before it must be read again, if it were queued now. */
export const isJustRead = (delivery: DeliveryToAttempt): boolean => ageOf(delivery) < READ_AGAIN_AFTER_MS / 2;

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
