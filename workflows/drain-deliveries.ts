import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { type DrainInput, type DrainProgress, HEARTBEAT_TIMEOUT_MS } from '../src/kernel/contract/delivery-workflow.ts';

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
