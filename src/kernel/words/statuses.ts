/** Statuses of every resource that has them (spec §3). */
export const CHANNEL_STATUSES = ['active', 'paused', 'archived'] as const;
export const SUBSCRIPTION_STATUSES = ['active', 'paused', 'disabled'] as const;
export const APP_STATUSES = ['active', 'suspended'] as const;
/** Spec §3. */
export const WORKFLOW_STATUSES = ['active', 'paused', 'draft'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'retrying'] as const;
export const DELIVERY_SUMMARIES = ['pending', 'delivered', 'failed', 'unrouted'] as const;
/** A message's deliveryStatus before it is published. */
export const SCHEDULE_STATUSES = ['scheduled', 'cancelled'] as const;
export const CANCEL_REASONS = ['requested', 'erased', 'channel_deleted'] as const;
export const ATTEMPT_OUTCOMES = ['delivered', 'failed', 'held'] as const;
export const DEAD_LETTER_KINDS = ['delivery', 'run'] as const;
export const DEAD_LETTER_STATUSES = ['open', 'replayed', 'discarded'] as const;
export const DEAD_LETTER_REASONS = ['exhausted', 'gone', 'cancelled', 'circuit', 'internal', 'failed_step'] as const;
/** Why a delivery failed; the last two leave no dead letter, because nothing of them can be sent again. */
export const FAILURE_REASONS = [
  'exhausted',
  'gone',
  'cancelled',
  'circuit',
  'internal',
  'subscription_deleted',
  'erased',
] as const;
export const REPLAY_STATUSES = ['pending', 'running', 'completed', 'cancelled', 'failed'] as const;
export const ERROR_CLASSES = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'status',
  'blocked_address',
  'protocol',
  'crashed',
  'internal',
] as const;

export type ChannelStatus = (typeof CHANNEL_STATUSES)[number];
export type AppStatus = (typeof APP_STATUSES)[number];
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];
export type RunStatus = (typeof RUN_STATUSES)[number];
export type RunStepStatus = (typeof RUN_STEP_STATUSES)[number];
export type WorkflowStatus = (typeof WORKFLOW_STATUSES)[number];
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];
/**
 * `waiting`: all of its steps in progress are delays or waits. `paused`: a step has failed, and a person has to look at it. `skipped`:
 * its trigger decided that it does nothing.
 */
export const RUN_STATUSES = [
  'pending',
  'running',
  'waiting',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'skipped',
] as const;
/** Statuses of unfinished runs. */
export const UNFINISHED_RUNS = ['pending', 'running', 'waiting', 'paused'] as const satisfies readonly RunStatus[];
/** `pending`: will be executed again by a retry. `skipped`: skipped by its own `if`. */
export const RUN_STEP_STATUSES = [
  'pending',
  'running',
  'waiting',
  'completed',
  'failed',
  'skipped',
  'cancelled',
] as const;
export type DeliverySummary = (typeof DELIVERY_SUMMARIES)[number];
export type ScheduleStatus = (typeof SCHEDULE_STATUSES)[number];
export type CancelReason = (typeof CANCEL_REASONS)[number];
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
export type DeadLetterKind = (typeof DEAD_LETTER_KINDS)[number];
export type DeadLetterStatus = (typeof DEAD_LETTER_STATUSES)[number];
export type DeadLetterReason = (typeof DEAD_LETTER_REASONS)[number];
export type FailureReason = (typeof FAILURE_REASONS)[number];
export type ReplayStatus = (typeof REPLAY_STATUSES)[number];
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** Reasons of failed deliveries that leave no dead letter, because nothing of them can be sent again. */
const ENDED_FOR_GOOD: readonly string[] = ['subscription_deleted', 'erased'] satisfies FailureReason[];

/** Whether a failed delivery has left no dead letter. */
export const isEndedForGood = (failureReason: string | null): boolean =>
  failureReason !== null && ENDED_FOR_GOOD.includes(failureReason);

/** Whether a delivery in this state will have further attempts. */
export const isUnfinished = (status: DeliveryStatus): boolean => status === 'pending' || status === 'retrying';

/**
 * A message's deliveryStatus from the statuses of its deliveries: `unrouted` without any, `pending` while one is unfinished, then
 * `failed` if some failed, otherwise `delivered`.
 */
export function summariseDeliveries(statuses: readonly DeliveryStatus[]): DeliverySummary {
  if (statuses.length === 0) return 'unrouted';
  if (statuses.some(isUnfinished)) return 'pending';
  return statuses.includes('failed') ? 'failed' : 'delivered';
}
/** `expired`: nobody decided in time, and the step has continued by itself. `cancelled`: its step was interrupted. */
export const APPROVAL_STATUSES = ['open', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];
