import type { Pool } from 'pg';
import { isJustRead, type JustRead } from '../../../attempt/just-read.ts';
import type { DeliveryToAttempt } from '../../../../kernel/contract/delivery-workflow.ts';
import { type ClaimedDelivery, describeHeld } from '../../../record/statements/claim.ts';
import type { Claimed } from './claimed.ts';

type Deps = { pool: Pool; incarnationId: string; justRead: Pick<JustRead, 'keep'> };

/**
 * The input of their Temporal workflows, without those that this process holds no longer. Asks PostgreSQL only for what is unknown.
 * The first try is given what a publish has just read.
 */
export async function workflowInputs(
  { pool, incarnationId, justRead }: Deps,
  held: readonly Claimed[],
): Promise<ClaimedDelivery[]> {
  const known = held.map(({ details, read }) => {
    if (details !== undefined || read === undefined || !isJustRead(read)) return details;
    justRead.keep(read);
    return toClaimed(read);
  });
  const unknown = held.filter((_, index) => known[index] === undefined).map(({ id }) => id);
  const asked = await describeHeld(pool, unknown, incarnationId);
  return [...known.filter((each) => each !== undefined), ...asked];
}

/** A new delivery is due now, no worker has died of it, and its circuit was closed when its publish gave it to this process. */
function toClaimed({ message, subscription, ...read }: DeliveryToAttempt): ClaimedDelivery {
  return {
    id: read.deliveryId,
    round: read.round,
    attempts: read.attempts,
    policyAttempts: read.policyAttempts,
    policy: read.policy,
    environmentId: read.environmentId,
    channelId: message.channelId,
    messageId: message.id,
    subscriptionId: subscription.id,
    eventType: message.eventType,
    traceparent: message.trace.traceparent,
    webhookUrl: subscription.webhookUrl,
    timeoutMs: subscription.timeoutMs,
    dueInMs: 0,
    isTakenOver: false,
    isSuspect: false,
    circuitProbeInMs: null,
    readAt: subscription.readAt,
  };
}
