import type { DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import { traceIdOf } from '../../kernel/values/trace-context.ts';

/** The names of a delivery in a line of the log, the same in each (docs/reference/logs.md). */
export type LoggedIds = {
  deliveryId: string;
  messageId: string | undefined;
  subscriptionId: string | undefined;
  traceId: string | undefined;
};

export const idsOf = ({ deliveryId, message, subscription }: DeliveryToAttempt): LoggedIds => ({
  deliveryId,
  messageId: message.id,
  subscriptionId: subscription.id,
  traceId: traceIdOf(message.trace.traceparent),
});
