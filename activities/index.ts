import type { ReplayActivities } from '../src/kernel/contract/replays.ts';
import type { createAttemptActivities } from './attempt-delivery.ts';
import type { createBrokenTryActivities } from './broken-tries.ts';
import type { createDrainActivities } from './drain-deliveries.ts';
import type { createReconcileActivities } from './reconcile.ts';
import type { createRetentionActivities } from './remove-expired.ts';
import type { createRunActivities } from './run-steps.ts';
import type { createScheduledRunActivities } from './scheduled-runs.ts';

/** The activities that Temporal workflows call by name. src/process/parts build them; a worker without one of them does not compile. */
export type Activities = ReturnType<typeof createAttemptActivities> &
  ReturnType<typeof createBrokenTryActivities> &
  ReplayActivities &
  ReturnType<typeof createReconcileActivities> &
  ReturnType<typeof createRetentionActivities> &
  ReturnType<typeof createRunActivities> &
  ReturnType<typeof createScheduledRunActivities> &
  ReturnType<typeof createDrainActivities>;
