import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import { HEARTBEAT_TIMEOUT_MS } from '../src/kernel/contract/delivery-workflow.ts';
import type { RetentionProgress } from '../src/kernel/contract/retention.ts';

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
