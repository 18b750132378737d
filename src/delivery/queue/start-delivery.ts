import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { DeliverMessageInput, DeliveryToStart, DrainInput } from '../../kernel/contract/delivery-workflow.ts';
import { deliveryWorkflowId, WORKFLOW_TYPES, drainWorkflowId } from '../../kernel/contract/temporal-names.ts';
import { keyword, startSearchable } from '../../platform/temporal/starts.ts';

/** Starts the next drain of this process; the promise settles when that drain has ended, however it ended. */
export type StartDrain = () => Promise<void>;

/** See `StartDrain`. Throws when it could not be started. `drainTaskQueue` is the process's own. */
export function createStartDrain(
  client: Client,
  options: { taskQueue: string; drainTaskQueue: string; incarnationId: string },
): StartDrain {
  let number = 0;
  return async () => {
    number += 1;
    const handle = await client.workflow.start<(input: DrainInput) => Promise<unknown>>(
      WORKFLOW_TYPES.drainDeliveries,
      {
        // A fresh id each time: a drain that is just closing could swallow the start of the next.
        workflowId: drainWorkflowId(options.incarnationId, number),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        taskQueue: options.taskQueue,
        args: [{ taskQueue: options.drainTaskQueue }],
        staticSummary: 'drain of a backlog',
      },
    );
    await handle.result().catch(() => undefined);
  };
}

/** Starts the Temporal workflow of one round; returns its id. Throws when Temporal is out of reach. */
export type StartDelivery = (delivery: DeliveryToStart, firstTry: 'local' | 'regular') => Promise<string>;

// Temporal cuts summaries at 200 bytes; a longer one is refused.
const SUMMARY_LENGTH = 120;

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
    await startSearchable(client, options.isSearchable(), (isSearchable) =>
      client.workflow.start<(input: DeliverMessageInput) => Promise<unknown>>(WORKFLOW_TYPES.deliverMessage, {
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
    return workflowId;
  };
}

const searchAttributes = (delivery: DeliveryToStart): TypedSearchAttributes =>
  new TypedSearchAttributes([
    keyword('PosthornEnvironment', delivery.environmentId),
    keyword('PosthornChannel', delivery.channelId),
    keyword('PosthornSubscription', delivery.subscriptionId),
    keyword('PosthornMessage', delivery.messageId),
    keyword('PosthornEventType', delivery.eventType),
    keyword('PosthornState', 'delivering'),
  ]);
