import { READ_AGAIN_AFTER_MS, type DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';

const ageOf = ({ subscription }: DeliveryToAttempt): number => performance.now() - subscription.readAt;

/**
 * Whether the subscription may be paused or deleted, the message erased, or the URL changed by now. Then the delivery is read again
 * before its request.
 */
export const isReadTooLongAgo = (delivery: DeliveryToAttempt): boolean => ageOf(delivery) > READ_AGAIN_AFTER_MS;

/** Whether its request will probably be made before it must be read again, if it were queued now. */
export const isJustRead = (delivery: DeliveryToAttempt): boolean => ageOf(delivery) < READ_AGAIN_AFTER_MS / 2;
