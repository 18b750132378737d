import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { type DrainInput, type DrainProgress, HEARTBEAT_TIMEOUT_MS } from '../src/kernel/contract/delivery-workflow.ts';
import type { RetentionProgress } from '../src/kernel/contract/retention.ts';
import { REPLAY_KINDS, type ReplayInput, type ReplayKind } from '../src/kernel/contract/replays.ts';

/**
 * One replay of any kind: makes batch after batch due, until none is left or it is cancelled. Registered under the Temporal workflow type
 * of each kind (index.ts), because running and recorded histories have those names.
 */
export async function replay(input: ReplayInput): Promise<void> {
  // `as`: index.ts registers this Temporal workflow under the types of replays only.
  const { activity, startToCloseTimeout } = REPLAY_KINDS[workflowInfo().workflowType as ReplayKind];
  const activities = proxyActivities<Activities>({
    startToCloseTimeout,
    // The activity sends a heartbeat every 3 s at least: a dead worker is found out in 10 s.
    heartbeatTimeout: '10 seconds',
    retry: { initialInterval: 500, maximumInterval: 10_000 },
  });
  await activities[activity](input);
}

// A first pass over years of messages may take hours. After any break (a worker, PostgreSQL) it goes on where it was: the schedule
// begins no other one meanwhile.
const { removeExpired: removeAllExpired } = proxyActivities<Activities>({
  startToCloseTimeout: '1 day',
  heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
  retry: { initialInterval: 1_000, maximumInterval: 60_000 },
  // A cancelled pass removes nothing any more: its last batch has been committed or undone by then.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
});

/** One pass of retention, started by its Temporal schedule. Returns the numbers removed. */
export async function removeExpired(): Promise<RetentionProgress> {
  return await removeAllExpired();
}

// The schedule starts the next pass soon enough, so a failed one is not repeated for long.
const { reconcile } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '20 seconds',
  retry: { maximumAttempts: 3 },
});

/** One pass of the reconciler, started by its Temporal schedule. Returns its counts. */
export async function reconcileDeliveries(): Promise<{ dueAgain: number; cancelled: number }> {
  return await reconcile();
}

/** Does nothing: a fresh worker's first Temporal workflow takes 1.2 s, and this is that first one. */
export async function warmUp(): Promise<void> {}

/**
 * Carries a backlog: one long-lived activity in the process that holds them makes the tries of many deliveries. Its heartbeat shows
 * the progress in the Temporal UI. A drain is never retried: when its process dies, its claims are due again as soon as the
 * lease has run out, and another process begins a drain of its own.
 */
export async function drainDeliveries({ taskQueue }: DrainInput): Promise<DrainProgress> {
  const { drainBacklog } = proxyActivities<Activities>({
    taskQueue,
    // A process that is alive takes it at once.
    scheduleToStartTimeout: '10 seconds',
    startToCloseTimeout: '1 day',
    heartbeatTimeout: HEARTBEAT_TIMEOUT_MS,
    retry: { maximumAttempts: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    summary: 'first tries of a backlog',
  });
  return await drainBacklog();
}
