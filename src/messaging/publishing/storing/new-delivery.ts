import type { DeliveryToAttempt } from '../../../kernel/contract/delivery-workflow.ts';

/** A delivery as its publish has just stored it, or a claimed one. `read` spares its first try a query while it is fresh. */
export type NewDelivery = {
  id: string;
  channelId: string;
  subscriptionId: string;
  read?: DeliveryToAttempt;
  /** Claimed as its last chance, and kept although the circuit is open. */
  isLastChance?: boolean;
};

/** Under whose name, and how many of its new deliveries, a publish claims for its own process. */
export type Holder = {
  incarnationId: string;
  /** Deliveries that one statement may claim. The rest is stored unclaimed and due, for any worker to claim. */
  atMost: number;
  /** Runs a whole publish, from its statement to its commit: until it has ended, the process waits for claims it does not know yet. */
  during<T>(publish: () => Promise<T>): Promise<T>;
};
