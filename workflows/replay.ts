import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
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
