import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { type DrainInput, type DrainProgress, HEARTBEAT_TIMEOUT_MS } from '../src/kernel/contract/delivery-workflow.ts';
import type { RetentionProgress } from '../src/kernel/contract/retention.ts';
import { REPLAY_KINDS, type ReplayInput, type ReplayKind } from '../src/kernel/contract/replays.ts';

/**
 * Runs one replay of any kind: re-queues batch after batch until none is left or it is cancelled. Registered under the
 * Temporal workflow type of each kind (index.ts), because running and recorded histories have those names.
 */
export async function replay(input: ReplayInput): Promise<void> {
  // `as`: index.ts registers this Temporal workflow only under the types of replays.
  const { activity, startToCloseTimeout } = REPLAY_KINDS[workflowInfo().workflowType as ReplayKind];
  const activities = proxyActivities<Activities>({
    startToCloseTimeout,
    // The activity sends a heartbeat at least every 3 s, so a dead worker is detected in 10 s.
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: 500, maximumInterval: 10_000 },
  });
  await activities[activity](input);
}

// A first pass over years of messages may take hours. After an interruption (of the worker or PostgreSQL) it continues
// where it was, and the schedule does not start another one meanwhile.
const { removeExpired: removeAllExpired } = proxyActivities<Activities>({
  startToCloseTimeout: '1 day',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: 1_000, maximumInterval: 60_000 },
  // A cancelled pass removes nothing more: its last batch has been committed or rolled back by then.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

/** Runs one pass of retention, started by its Temporal schedule. Returns the numbers removed. */
export async function removeExpired(): Promise<RetentionProgress> {
  return await removeAllExpired();
}

// The schedule starts the next pass soon enough, so a failed one is retried only a few times.
const { reconcile } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { maximumAttempts: 3 },
});

/** Runs one pass of the reconciler, started by its Temporal schedule. Returns its counts. */
export async function reconcileDeliveries(): Promise<{ dueAgain: number; cancelled: number }> {
  return await reconcile();
}

/** Does nothing. The first Temporal workflow of a new worker takes 1.2 s; this one warms it up. */
export async function warmUp(): Promise<void> {}

/**
 * Sends a backlog directly: one long-running activity, in the process that claimed the deliveries, runs the attempts of
 * many of them. Its heartbeat shows the progress in the Temporal UI. It is never retried: if its process dies, its
 * claims are due again when the lease expires, and another process starts its own.
 */
export async function drainDeliveries({ taskQueue }: DrainInput): Promise<DrainProgress> {
  const { drainBacklog } = proxyActivities<Activities>({
    taskQueue,
    // A live process takes it immediately.
    scheduleToStartTimeout: '10 seconds',
    startToCloseTimeout: '1 day',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { maximumAttempts: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary: 'first attempts of a backlog',
  });
  return await drainBacklog();
}
