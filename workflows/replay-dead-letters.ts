import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { BulkReplayInput } from '../src/contract/delivery-workflow.ts';

// A batch takes a few ms; an hour is far beyond any number of dead letters, and a heartbeat tells of a dead worker in 10 s.
const { replayDeadLetterBatches } = proxyActivities<Activities>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: 500, maximumInterval: 10_000 },
});

/** One bulk replay: makes every dead letter that its filter matches due again, in batches, until none is left or it is cancelled. */
export async function replayDeadLetters(input: BulkReplayInput): Promise<void> {
  await replayDeadLetterBatches(input);
}
