import type { RetryPolicy } from './retry-policy.ts';
import type { DeadLetterReason, DeliveryStatus, SubscriptionStatus } from '../words/statuses.ts';
import type { TraceContext } from '../values/trace-context.ts';

/** Argument of the Temporal workflow deliverMessage. Ids and a policy; payloads never enter Temporal. */
export type DeliverMessageInput = {
  deliveryId: string;
  round: number;
  /** Attempts recorded before this round. */
  attempts: number;
  /** Recorded attempts that count against `policy`: 0 under a fresh one. */
  policyAttempts: number;
  policy: RetryPolicy;
  /** The subscription's timeout per attempt, in ms. */
  timeoutMs: number;
  /**
   * How the first attempt runs. `local` is fast, but enters the history only when it has ended; `regular` does not occupy a workflow
   * task.
   */
  firstTry: 'local' | 'regular';
  /** Whether the namespace has our search attributes. */
  isSearchable: boolean;
  /** Host of the webhook URL, shown next to the activity in Temporal's UI. */
  target: string;
};

/** Identifies an attempt. `number` counts the delivery's attempts from 1. */
export type AttemptInput = {
  deliveryId: string;
  round: number;
  number: number;
  /** Set if a worker died during the first attempt and nothing of that attempt is on record. */
  isSuspect?: boolean;
};

/** The result of an attempt. `delayMs` is the time left until the recorded nextRetryAt, at least 1. */
export type AttemptResult =
  | { result: 'delivered' | 'held' | 'superseded' }
  | { result: 'retry'; delayMs: number; message: string }
  | { result: 'deadLettered'; message: string };

/** Successful end of a round; a dead letter ends the workflow with a failure. */
export type DeliveryEnd = { result: 'delivered' | 'held' | 'superseded' };

export type CrashInput = { deliveryId: string; round: number; number: number | null };
/** State of the delivery after a crash; has `end` if it needs no further attempt. */
export type Standing =
  | { attempts: number; policyAttempts: number; end?: undefined }
  | { end: 'delivered' | 'superseded' | 'deadLettered' | 'held' };

export type EndAsDeadLetterInput = { deliveryId: string; round: number; reason: DeadLetterReason; message: string };

/** Time in addition to the subscription's timeout that an attempt may take for reading, recording and waiting for PostgreSQL, in ms. */
export const RECORDING_MS = 10_000;

/** A worker that is silent for this long in a regular attempt is dead, in ms. The SDK sends a heartbeat at most every 0.8 of it. */
export const HEARTBEAT_TIMEOUT_MS = 5_000;

/**
 * Attempts of one round that may end without a result before the delivery becomes a dead letter. The record counts those it knows of
 * (`MAX_DEATHS`).
 */
export const MAX_CRASHES = 10;

/** A first task that starts later than this, in ms, was lost with a dead worker: Temporal gives it to another one after 10 s. */
export const FIRST_TASK_LOST_AFTER_MS = 9_000;

/** Argument of the Temporal workflow drainDeliveries: the task queue of the process that holds the backlog. */
export type DrainInput = { taskQueue: string };

/** Progress of direct sending, as reported in its heartbeat and its result. `sent` counts attempts, `failed` the unsuccessful ones. */
export type DrainProgress = {
  sent: number;
  failed: number;
  /** Subscriptions being sent to at the moment. */
  subscriptions: number;
  /** Deliveries claimed and not yet recorded. */
  waiting: number;
  /** Attempts per second since it started. */
  perSecond: number;
};

/** What is needed to start a delivery's Temporal workflow. */
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

/** Everything that an attempt needs, read in one statement. */
export type DeliveryToAttempt = {
  deliveryId: string;
  environmentId: string;
  round: number;
  status: DeliveryStatus;
  attempts: number;
  policyAttempts: number;
  policy: RetryPolicy;
  /** When the current policy began, or when the subscription was last resumed, if later. */
  policyStartedAt: Date;
  /** When its next attempt is due: nextRetryAt, unless a circuit breaker has postponed that and has closed since. */
  dueAt: Date | null;
  failureReason: string | null;
  /** Whether it may be attempted although the circuit is open: its policy has ended, and it has no attempt yet. */
  isLastChance: boolean;
  lastErrorMessage: string | null;
  /** Workers that have died while it was in progress, since its last recorded attempt. */
  takeovers: number;
  message: {
    id: string;
    channelId: string;
    eventType: string;
    /** Null once the message is erased: its deliveries have failed by then, and none is sent. */
    payload: string | null;
    metadata: string | null;
    publishedAt: Date;
    trace: TraceContext;
    /** Number of deliveries in the chain that led to it. */
    hops: number;
  };
  subscription: SubscriptionToAttempt;
};

/** The subscription of an attempt, as of `readAt`. */
export type SubscriptionToAttempt = {
  id: string;
  status: SubscriptionStatus;
  isAppSuspended: boolean;
  isDeleted: boolean;
  webhookUrl: string;
  headers: Record<string, string> | null;
  /** Number of this snapshot of its URL and headers. */
  requestVersion: number;
  timeoutMs: number;
  /** Longest Retry-After of the receiver that is respected, in ms. */
  maxRetryAfter: number;
  maxConcurrency: number | null;
  rateLimit: number | null;
  /** If false, its circuit never opens. */
  hasCircuitBreaker: boolean;
  /** Milliseconds from `readAt` until its circuit allows a probe, negative if one may be sent now; null if it is closed. */
  circuitProbeInMs: number | null;
  /** Whether the subscription is marked as having no readable secret. */
  isSecretUnreadable: boolean;
  /** When this was read, by this process's clock, in ms since the epoch. */
  readAt: number;
  /** Newest first, without those whose overlap has ended. */
  secrets: { id: string; ciphertext: string }[];
};

/** Data of a delivery may be used for this long, in ms; then it is read again before the request is sent. */
export const READ_AGAIN_AFTER_MS = 1_000;

// Longest time from that check to the first byte of the request: a probe's query may run in between.
const MARGIN_MS = 250;

/** For how many ms from now a process may still start a request with a payload that was erased `agoMs` ms ago; 0 once none can. */
export const mayBeSentForMs = (agoMs: number): number => Math.max(0, READ_AGAIN_AFTER_MS + MARGIN_MS - agoMs);
