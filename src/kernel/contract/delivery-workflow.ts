import type { RetryPolicy } from './retry-policy.ts';
import type { DeadLetterReason, DeliveryStatus, SubscriptionStatus } from '../words/statuses.ts';
import type { TraceContext } from '../values/trace-context.ts';

/** Argument of the Temporal workflow deliverMessage. Ids and a policy; no payload enters Temporal. */
export type DeliverMessageInput = {
  deliveryId: string;
  round: number;
  /** Tries recorded before this round. */
  attempts: number;
  /** Recorded tries that count against `policy`: 0 under a fresh one. */
  policyAttempts: number;
  policy: RetryPolicy;
  /** The subscription's limit for one try, ms. */
  timeoutMs: number;
  /** `local` is quick and is not in the history before it has ended; `regular` holds no Temporal workflow task. */
  firstTry: 'local' | 'regular';
  /** Whether the namespace has our search attributes. */
  isSearchable: boolean;
  /** Host of the webhook URL, shown beside the activity. */
  target: string;
};

/** Names one try. `number` counts the delivery's tries from 1. */
export type AttemptInput = {
  deliveryId: string;
  round: number;
  number: number;
  /** A worker died while the first try was under way, of which nothing is on record. */
  isSuspect?: boolean;
};

/** The result of a try. `delayMs` is the time that is left until the record's nextRetryAt, at least 1. */
export type AttemptResult =
  | { result: 'delivered' | 'held' | 'superseded' }
  | { result: 'retry'; delayMs: number; message: string }
  | { result: 'deadLettered'; message: string };

/** A good end of a round; a dead letter ends it with a failure. */
export type DeliveryEnd = { result: 'delivered' | 'held' | 'superseded' };

export type CrashInput = { deliveryId: string; round: number; number: number | null };
/** State of the delivery after a crash; `end` when it needs no further try. */
export type Standing =
  | { attempts: number; policyAttempts: number; end?: undefined }
  | { end: 'delivered' | 'superseded' | 'deadLettered' | 'held' };

export type EndAsDeadLetterInput = { deliveryId: string; round: number; reason: DeadLetterReason; message: string };

/** Time beyond the subscription's timeout that a try may take for reading, recording and waiting for PostgreSQL, ms. */
export const RECORDING_MS = 10_000;

/** A worker that is silent for this long in a regular try is dead, ms. The SDK sends a heartbeat at most every 0.8 of it. */
export const HEARTBEAT_TIMEOUT_MS = 5_000;

/**
 * Tries of one round that may end without a word before the delivery is a dead letter. The record counts the ones it knows of
 * (`MAX_DEATHS`).
 */
export const MAX_CRASHES = 10;

/** A first task that begins so late, ms, was lost with a dead worker: Temporal gives it to another one after 10 s. */
export const FIRST_TASK_LOST_AFTER_MS = 9_000;

/** Argument of the Temporal workflow drainDeliveries: the task queue of the process that holds the backlog. */
export type DrainInput = { taskQueue: string };

/** Progress of a drain, as its heartbeat and its result show it. `sent` counts tries, `failed` undelivered ones. */
export type DrainProgress = {
  sent: number;
  failed: number;
  /** Subscriptions being sent to at this moment. */
  subscriptions: number;
  /** Deliveries held and not yet recorded. */
  waiting: number;
  /** Tries per second since it began. */
  perSecond: number;
};

/** The start of a delivery's Temporal workflow. */
export type DeliveryToStart = {
  id: string;
  round: number;
  attempts: number;
  policyAttempts: number;
  policy: RetryPolicy;
  environmentId: string;
  channelId: string;
  messageId: string;
  subscriptionId: string;
  eventType: string;
  webhookUrl: string;
  timeoutMs: number;
};

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

/** Data of a delivery may be used for this long, ms; then it is read again before its request is made. */
export const READ_AGAIN_AFTER_MS = 1_000;

// Longest time from that check of age to the first byte of the request: a probe's query may lie between.
const MARGIN_MS = 250;

/** For how many ms from now some process may still begin a request with a payload that was erased `agoMs` ms ago; 0 once none can. */
export const mayBeSentForMs = (agoMs: number): number => Math.max(0, READ_AGAIN_AFTER_MS + MARGIN_MS - agoMs);
