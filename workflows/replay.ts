import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { MessageReplayInput } from '../src/contract/delivery-workflow.ts';

// A replay of millions at its rate takes days; its heartbeat tells of a dead worker in 10 s.
const { replayMessageBatches } = proxyActivities<Activities>({
  startToCloseTimeout: '30 days',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: 500, maximumInterval: 10_000 },
});

/** One replay of stored messages to one subscription: batch after batch at its rate, until none is left or it is cancelled. */
export async function replayMessages(input: MessageReplayInput): Promise<void> {
  await replayMessageBatches(input);
}
