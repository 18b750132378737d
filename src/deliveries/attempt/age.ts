import { READ_STALE_AFTER_MS } from '../../kernel/rules/erasure.ts';
import type { DeliveryToAttempt } from './delivery-to-attempt.ts';

const ageOf = ({ subscription }: DeliveryToAttempt): number => performance.now() - subscription.readAt;

/**
 * Whether the subscription may be paused or deleted, the message erased, or the URL changed by now. Then the delivery is read again
 * before its request.
 */
export const isStale = (delivery: DeliveryToAttempt): boolean => ageOf(delivery) > READ_STALE_AFTER_MS;

/** Whether its request will probably be made before it is stale, if it were queued now. */
export const isFresh = (delivery: DeliveryToAttempt): boolean => ageOf(delivery) < READ_STALE_AFTER_MS / 2;
