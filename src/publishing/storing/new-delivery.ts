import type { DeliveryToAttempt } from '../../deliveries/attempt/delivery-to-attempt.ts';

/** A delivery as its publish has just stored it, or a claimed one. `read` spares its first try a query while it is fresh. */
export type NewDelivery = {
  id: string;
  channelId: string;
  subscriptionId: string;
  read?: DeliveryToAttempt;
  /** Claimed as its last chance, and kept although the circuit is open. */
  isLastChance?: boolean;
};
