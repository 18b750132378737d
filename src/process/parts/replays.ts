import { createReplayMessagesActivities } from '../../../activities/replay.ts';
import { pendingReplays } from '../../dispatch/loop/pending-replays.ts';
import type { Filters } from '../../filters/filters.ts';
import { createStartReplay } from '../../temporal/start-replay.ts';
import type { WorkerContext } from './worker-context.ts';

/** Replays of stored messages and of dead letters. `startPending` is a chore of the dispatcher, which publishes and retries wake. */
export function replaysPart({ pool, client, taskQueue }: WorkerContext, { filters }: { filters: Filters }) {
  const startReplay = createStartReplay(client, { taskQueue });
  return {
    activities: createReplayMessagesActivities({ pool, filters }),
    startPending: async (): Promise<void> => {
      for (const replay of await pendingReplays(pool)) await startReplay(replay);
    },
  };
}
