import { createReplayActivities } from '../../../activities/replay.ts';
import { abandonReplays, pendingReplays, restartLostReplays } from '../../delivery/replays/batches.ts';
import { createStartReplay } from '../../delivery/replays/start-replay.ts';
import type { WorkerContext } from './worker-context.ts';

/**
 * Replays of every kind. `startPending` is a chore of the dispatcher, which publishes and retries wake; `restartLost` is a part of each
 * pass of the reconciler. `abandon` is for a store of Temporal's that is new.
 */
export function replaysPart({ pool, client, taskQueue, filters, carriers, clock }: WorkerContext) {
  const startReplay = createStartReplay(client, { taskQueue });
  return {
    activities: createReplayActivities({ pool, filters, clock }),
    startPending: async (): Promise<void> => {
      for (const replay of await pendingReplays(pool)) await startReplay(replay);
    },
    restartLost: () => restartLostReplays({ pool, carriers }),
    abandon: () => abandonReplays(pool),
  };
}
