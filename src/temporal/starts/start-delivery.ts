import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import type { deliverMessage } from '../../../workflows/deliver-message.ts';
import type { DeliverMessageInput, DeliveryToStart } from '../../contract/delivery-workflow.ts';
import { deliveryWorkflowId, WORKFLOW_TYPES } from '../../contract/temporal-names.ts';
import { GRPC_STATUS, grpcStatusOf } from '../grpc-status.ts';

/** Starts the Temporal workflow of one round; returns its id. Throws when Temporal is out of reach. */
export type StartDelivery = (delivery: DeliveryToStart, firstTry: 'local' | 'regular') => Promise<string>;

// A start answers in a few ms. While it hangs, its delivery waits and the gate has one place less.
const START_DEADLINE_MS = 5_000;
// Temporal cuts summaries at 200 bytes; a longer one is refused.
const SUMMARY_LENGTH = 120;

const attribute = (name: string, value: string) => ({ key: { name, type: SearchAttributeType.KEYWORD }, value });

/** See `StartDelivery`. `isSearchable` says whether the namespace has our search attributes at this moment. */
export function createStartDelivery(
  client: Client,
  options: { taskQueue: string; isSearchable: () => boolean },
): StartDelivery {
  return async (delivery, firstTry) => {
    const workflowId = deliveryWorkflowId(delivery.id, delivery.round);
    const target = new URL(delivery.webhookUrl).host;
    const input: Omit<DeliverMessageInput, 'isSearchable'> = {
      deliveryId: delivery.id,
      round: delivery.round,
      attempts: delivery.attempts,
      policyAttempts: delivery.policyAttempts,
      policy: delivery.policy,
      timeoutMs: delivery.timeoutMs,
      firstTry,
      target: `POST ${target}`.slice(0, SUMMARY_LENGTH),
    };
    const start = (isSearchable: boolean) =>
      client.withDeadline(Date.now() + START_DEADLINE_MS, () =>
        client.workflow.start<typeof deliverMessage>(WORKFLOW_TYPES.deliverMessage, {
          workflowId,
          // With REJECT_DUPLICATE "already started" truly means that this round was started.
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          taskQueue: options.taskQueue,
          // The first workflow task comes with the answer: 12 ms from publish to arrival instead of 20.
          requestEagerStart: true,
          args: [{ ...input, isSearchable }],
          staticSummary: `${delivery.eventType} → ${target}`.slice(0, SUMMARY_LENGTH),
          ...(isSearchable && { typedSearchAttributes: searchAttributes(delivery) }),
        }),
      );
    const isSearchable = options.isSearchable();
    try {
      await start(isSearchable).catch((error: unknown) => {
        // A new store has no search attributes until it is furnished again; deliveries run without them.
        if (isSearchable && grpcStatusOf(error) === GRPC_STATUS.invalidArgument) return start(false);
        throw error;
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return workflowId;
  };
}

const searchAttributes = (delivery: DeliveryToStart): TypedSearchAttributes =>
  new TypedSearchAttributes([
    attribute('PosthornEnvironment', delivery.environmentId),
    attribute('PosthornChannel', delivery.channelId),
    attribute('PosthornSubscription', delivery.subscriptionId),
    attribute('PosthornMessage', delivery.messageId),
    attribute('PosthornEventType', delivery.eventType),
    attribute('PosthornState', 'delivering'),
  ]);
