import { createRetentionActivities } from '../../../activities/remove-expired.ts';
import { retentionScheduleId, WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';
import type { WorkerContext } from './worker-context.ts';

// Retention counts in days. Twice an hour, a service that does not run all day meets a pass as well.
const RETENTION_EVERY_MS = 30 * 60_000;

/** Removal of what has expired, by its schedule. */
export const retentionPart = (context: WorkerContext) => ({
  activities: createRetentionActivities(context),
  schedules: [
    {
      scheduleId: retentionScheduleId(context.taskQueue),
      everyMs: RETENTION_EVERY_MS,
      workflowType: WORKFLOW_TYPES.removeExpired,
    },
  ],
});
