import type { BegunScheduledRun, ScheduledRunInput } from '../src/contract/scheduled-runs.ts';
import { beginScheduledRun, type ScheduledRunDependencies } from '../src/automations/schedules/begin.ts';

export function createScheduledRunActivities(deps: ScheduledRunDependencies) {
  return {
    /** Records the run of one time, once. */
    beginScheduledRun: (input: ScheduledRunInput & { scheduledAt: string }): Promise<BegunScheduledRun> =>
      beginScheduledRun(deps, input),
  };
}
