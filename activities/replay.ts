import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import {
  REPLAY_KINDS,
  type ReplayActivities,
  type ReplayInput,
  type ReplayKind,
} from '../src/kernel/contract/replays.ts';
import { runBatch } from '../src/delivery/replays/batches.ts';
import type { Clock } from '../src/platform/dependencies.ts';
import type { ReplayDependencies } from '../src/delivery/replays/kind.ts';

// A third of the heartbeat's time: waiting for the rate is no death.
const LOOK_EVERY_MS = 3_000;

/** The activity of every kind of replay. A repeated run goes on: each batch and its position are one transaction. */
export function createReplayActivities(deps: ReplayDependencies & { clock: Clock }): ReplayActivities {
  /** Makes batch after batch until none is left or the replay is cancelled; its heartbeat shows the counts. */
  const run = async (kind: ReplayKind, id: string): Promise<void> => {
    const carrier = activityInfo().workflowExecution?.workflowId ?? '';
    for (;;) {
      const { isFinished, waitMs, counts } = await runBatch(deps, { kind, id, carrier, now: deps.clock() });
      heartbeat(counts);
      if (isFinished) return;
      for (let left = waitMs; left > 0; left -= LOOK_EVERY_MS) {
        await sleep(Math.min(left, LOOK_EVERY_MS));
        heartbeat(counts);
      }
    }
  };
  const activityOf = (kind: ReplayKind) => (input: ReplayInput) => run(kind, input[REPLAY_KINDS[kind].idField] ?? '');
  return {
    replayDeadLetterBatches: activityOf('replayDeadLetters'),
    replayMessageBatches: activityOf('replayMessages'),
    retryDeliveryBatches: activityOf('retryDeliveries'),
  };
}
