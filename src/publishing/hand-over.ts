import type { DeliveryToAttempt } from '../deliveries/delivery-to-attempt.ts';

/** A delivery as its publish has just stored it, or a claimed one. `read` spares its first try a query while it is fresh. */
export type NewDelivery = {
  id: string;
  channelId: string;
  subscriptionId: string;
  read?: DeliveryToAttempt;
  /** Claimed as its last chance, and kept although the circuit is open. */
  isLastChance?: boolean;
};

/**
 * Takes new deliveries straight from the publish that stored them, in the process that publishes and sends: no poll, no notification,
 * no claim. `holder` is the incarnation to store them under, undefined while it takes none.
 */
export type HandOver = {
  holder(): string | undefined;
  take(deliveries: readonly NewDelivery[]): void;
};

/** For a process that does not send: every delivery waits for a claim of another one. */
export const noHandOver: HandOver = { holder: () => undefined, take: () => {} };

/** A hand-over whose taker comes and goes: a process has its API before its worker and longer than it. */
export type LateHandOver = HandOver & {
  /** Sets the taker; the returned function ends that. */
  attach(taker: HandOver): () => void;
};

export function createHandOver(): LateHandOver {
  let current = noHandOver;
  return {
    holder: () => current.holder(),
    take: (deliveries) => current.take(deliveries),
    attach(taker) {
      current = taker;
      return () => {
        current = noHandOver;
      };
    },
  };
}
