import { type AttemptDependencies, createAttemptActivities } from './attempt-delivery.ts';
import { createDeadLetterActivities } from './dead-letters.ts';
import { createDrainActivities } from './drain-deliveries.ts';
import { createReconcileActivities } from './reconcile.ts';
import { createRetentionActivities, type RetentionDependencies } from './remove-expired.ts';
import { createReplayMessagesActivities, type ReplayDependencies } from './replay-messages.ts';
import type { ReconcilerDependencies } from '../src/dispatch/reconciler.ts';

/** The activities a worker registers. */
export const createActivities = (
  deps: AttemptDependencies & ReconcilerDependencies & RetentionDependencies & ReplayDependencies,
) => ({
  ...createAttemptActivities(deps),
  ...createDeadLetterActivities(deps),
  ...createReplayMessagesActivities(deps),
  ...createReconcileActivities(deps),
  ...createRetentionActivities(deps),
});

/** Activities that work on the memory of one process, registered on that process's own task queue. */
export { createDrainActivities };

export type Activities = ReturnType<typeof createActivities> & ReturnType<typeof createDrainActivities>;
