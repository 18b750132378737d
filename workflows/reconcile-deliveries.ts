import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

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
