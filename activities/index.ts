import type { ReplayActivities } from '../src/kernel/contract/replays.ts';
import type { createAttemptActivities, createDrainActivities, createBrokenTryActivities } from './attempt-delivery.ts';
import type { createReconcileActivities, createRetentionActivities } from './background.ts';
import type { createRunActivities, createScheduledRunActivities } from './run-steps.ts';

/**
 * The activities that Temporal workflows call by name. src/process/parts builds them; a worker that lacks one does not
 * compile.
 */
export type Activities = ReturnType<typeof createAttemptActivities> &
  ReturnType<typeof createBrokenTryActivities> &
  ReplayActivities &
  ReturnType<typeof createReconcileActivities> &
  ReturnType<typeof createRetentionActivities> &
  ReturnType<typeof createRunActivities> &
  ReturnType<typeof createScheduledRunActivities> &
  ReturnType<typeof createDrainActivities>;
