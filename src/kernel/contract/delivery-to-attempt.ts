import type { RetryPolicy } from './retry-policy.ts';
import type { DeliveryStatus, SubscriptionStatus } from '../words/statuses.ts';
import type { TraceContext } from '../values/trace-context.ts';

/** Everything one try needs, read in one statement. */
export type DeliveryToAttempt = {
  deliveryId: string;
  environmentId: string;
  round: number;
  status: DeliveryStatus;
  attempts: number;
  policyAttempts: number;
  policy: RetryPolicy;
  /** When the policy in force began, or the subscription was resumed since. */
  policyStartedAt: Date;
  /** When its next try is due: nextRetryAt, unless a circuit has put that off and is closed since. */
  dueAt: Date | null;
  failureReason: string | null;
  /** Whether it may be tried although the circuit is open: its policy is over and it has no attempt yet. */
  isLastChance: boolean;
  lastErrorMessage: string | null;
  /** Workers that have died while it was under way, since its last recorded try. */
  takeovers: number;
  message: {
    id: string;
    channelId: string;
    eventType: string;
    /** Null once the message is erased: its deliveries have ended then, and none is sent. */
    payload: string | null;
    metadata: string | null;
    publishedAt: Date;
    trace: TraceContext;
    /** Number of deliveries one behind the other before it. */
    hops: number;
  };
  subscription: SubscriptionToAttempt;
};

/** The subscription of a try, as it was at `readAt`. */
export type SubscriptionToAttempt = {
  id: string;
  status: SubscriptionStatus;
  isAppSuspended: boolean;
  isDeleted: boolean;
  webhookUrl: string;
  headers: Record<string, string> | null;
  /** Number of this form of its requests. */
  requestVersion: number;
  timeoutMs: number;
  /** Longest Retry-After of its receiver that is kept to, ms. */
  maxRetryAfter: number;
  maxConcurrency: number | null;
  rateLimit: number | null;
  /** False: no circuit opens for it. */
  hasCircuitBreaker: boolean;
  /** Milliseconds from `readAt` until its circuit lets a probe through, negative when one may be made; null when it is closed. */
  circuitProbeInMs: number | null;
  /** Whether the subscription is marked as one without a readable secret. */
  isSecretUnreadable: boolean;
  /** When this was read, by this process's clock, ms since the epoch. */
  readAt: number;
  /** Newest first; those past their overlap are left out. */
  secrets: { id: string; ciphertext: string }[];
};
