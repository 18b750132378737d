import type { DeliveryToAttempt } from '../../../kernel/contract/delivery-workflow.ts';
import { isFairShare, UNIT_BYTES } from '../../limits/capacity.ts';

type Weighed = { message: Pick<DeliveryToAttempt['message'], 'payload'> };

/** A large payload counts for several requests, because memory runs out first. */
const weightOf = ({ message }: Weighed): number => Math.max(1, Math.ceil((message.payload?.length ?? 0) / UNIT_BYTES));

/** Counts the requests in flight of a process, in all and per subscription, so that nobody fills it (`isFairShare`). */
export function createInFlight(capacity: number) {
  const taken = new Map<string, number>();
  let inAll = 0;

  const add = (subscriptionId: string, weight: number): void => {
    inAll += weight;
    const count = (taken.get(subscriptionId) ?? 0) + weight;
    if (count === 0) taken.delete(subscriptionId);
    else taken.set(subscriptionId, count);
  };

  /** The only request in flight is always allowed, however large it is. */
  const fits = (subscriptionId: string, weight: number): boolean =>
    inAll === 0 || isFairShare(taken.get(subscriptionId) ?? 0, capacity - inAll, weight);

  return {
    /** Whether this subscription may have one more. */
    hasRoom: (subscriptionId: string, delivery: Weighed): boolean => fits(subscriptionId, weightOf(delivery)),
    /** Whether it may have one more of usual size. */
    hasAny: (subscriptionId: string): boolean => fits(subscriptionId, 1),
    enter: (subscriptionId: string, delivery: Weighed): void => add(subscriptionId, weightOf(delivery)),
    leave: (subscriptionId: string, delivery: Weighed): void => add(subscriptionId, -weightOf(delivery)),
    /** Subscriptions with a request in flight. */
    subscriptions: (): Iterable<string> => taken.keys(),
  };
}
