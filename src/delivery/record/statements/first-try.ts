import { LIVE_SECRETS, policyOf } from '../../../platform/db/sql/fragments.ts';
import type { DeliveryToAttempt, SubscriptionToAttempt } from '../../../kernel/contract/delivery-workflow.ts';
import type { NewDelivery } from '../../../messaging/publishing/hand-over.ts';
import type { RetryPolicy } from '../../../kernel/contract/retry-policy.ts';
import type { TraceContext } from '../../../kernel/values/trace-context.ts';

/** Subscriptions that are read with their new deliveries; those of a broadcast to more are read when their turn comes. */
export const READ_SUBSCRIPTIONS = 50;
// Longer payloads are not kept in memory until their try: they are read from PostgreSQL like those of other processes.
const PAYLOAD_CHARS = 16_384;

/** The subscription as PostgreSQL hands it over; `at` is its clock, ms since the epoch. */
export type ReadSubscription = Omit<
  SubscriptionToAttempt,
  'status' | 'isAppSuspended' | 'isDeleted' | 'circuitProbeInMs' | 'readAt'
> & {
  policy: RetryPolicy;
  at: number;
};

/** SQL: what a first try needs to know of the subscription `s`, which is active and whose circuit is closed. */
export const SUBSCRIPTION_TO_ATTEMPT = `json_build_object('id', s.id, 'webhookUrl', s.webhook_url, 'headers', s.headers,
    'requestVersion', s.request_version, 'timeoutMs', s.timeout_ms, 'maxRetryAfter', s.max_retry_after, 'maxConcurrency', s.max_concurrency, 'rateLimit', s.rate_limit,
    'hasCircuitBreaker', s.circuit_breaker,
    'isSecretUnreadable', s.secret_unreadable_since IS NOT NULL, 'policy', ${policyOf('s')},
    'at', (extract(epoch FROM now()) * 1000)::float8,
    'secrets', ${LIVE_SECRETS})`;

/** A message that has just been stored. */
type MessageToTry = {
  id: string;
  environmentId: string;
  channelId: string;
  eventType: string;
  payload: string;
  metadata: Record<string, string> | undefined;
  publishedAt: Date;
  trace: TraceContext;
  hops: number;
};

/**
 * Puts together what `loadForAttempts` would read for deliveries that have just been stored, from their messages and
 * their subscriptions as of that statement. `readAt`: when it was sent, ms of performance.now().
 */
export function readForFirstTry(messages: readonly MessageToTry[], readAt: number) {
  const messageOf = new Map(messages.map((message) => [message.id, message]));
  const subscriptionOf = new Map<string, { subscription: SubscriptionToAttempt; policy: RetryPolicy; at: Date }>();
  return {
    learn({ policy, at, ...subscription }: ReadSubscription): void {
      subscriptionOf.set(subscription.id, {
        subscription: {
          ...subscription,
          status: 'active',
          isAppSuspended: false,
          isDeleted: false,
          circuitProbeInMs: null,
          readAt,
        },
        policy,
        at: new Date(at),
      });
    },
    /** Without `read` where it has to be read when its turn comes. */
    of({
      id: deliveryId,
      subscriptionId,
      messageId,
    }: {
      id: string;
      subscriptionId: string;
      messageId: string;
    }): NewDelivery {
      const message = messageOf.get(messageId);
      const delivery = { id: deliveryId, channelId: message?.channelId ?? '', subscriptionId };
      const known = subscriptionOf.get(subscriptionId);
      if (message === undefined || known === undefined || message.payload.length > PAYLOAD_CHARS) return delivery;
      const read: DeliveryToAttempt = {
        deliveryId,
        environmentId: message.environmentId,
        round: 1,
        status: 'pending',
        attempts: 0,
        policyAttempts: 0,
        policy: known.policy,
        policyStartedAt: known.at,
        dueAt: known.at,
        failureReason: null,
        isLastChance: false,
        lastErrorMessage: null,
        takeovers: 0,
        message: {
          id: message.id,
          channelId: message.channelId,
          eventType: message.eventType,
          payload: message.payload,
          metadata: message.metadata === undefined ? null : JSON.stringify(message.metadata),
          publishedAt: message.publishedAt,
          trace: message.trace,
          hops: message.hops,
        },
        subscription: known.subscription,
      };
      return { ...delivery, read };
    },
  };
}
