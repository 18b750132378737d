import { activityInfo, heartbeat, sleep } from '@temporalio/activity';
import type { Pool } from 'pg';
import type { Filters } from '../src/filters/filters.ts';
import { type AskFilter, replayNextMessages } from '../src/replays/message-store.ts';
import type { MessageReplayInput } from '../src/contract/delivery-workflow.ts';

// A third of the heartbeat's time: waiting for the rate is no death.
const LOOK_EVERY_MS = 3_000;

export type ReplayDependencies = { pool: Pool; filters: Pick<Filters, 'evaluate'> };

/** Replays of stored messages. May be repeated: each batch and its position are one transaction. */
export function createReplayMessagesActivities({ pool, filters }: ReplayDependencies) {
  const ask: AskFilter = async (expression, message) => {
    const [verdict] = await filters.evaluate([expression], message);
    return verdict?.matches === true;
  };
  return {
    /** Replays batch after batch until none is left or it is cancelled; its heartbeat shows matched and replayed. */
    async replayMessageBatches({ replayId }: MessageReplayInput): Promise<void> {
      const carrier = activityInfo().workflowExecution?.workflowId ?? '';
      for (;;) {
        const { isFinished, waitMs, ...progress } = await replayNextMessages(pool, {
          replayId,
          carrier,
          now: new Date(),
          ask,
        });
        heartbeat(progress);
        if (isFinished) return;
        for (let left = waitMs; left > 0; left -= LOOK_EVERY_MS) {
          await sleep(Math.min(left, LOOK_EVERY_MS));
          heartbeat(progress);
        }
      }
    },
  };
}
