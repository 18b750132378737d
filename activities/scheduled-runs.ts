import { ApplicationFailure } from '@temporalio/activity';
import type { BegunScheduledRun, ScheduledRunInput } from '../src/kernel/contract/run-workflow.ts';
import { WorkIsDeadly } from '../src/platform/crashes/crash-guard.ts';
import { beginGuarded, type GuardedDependencies } from '../src/automations/schedules/begin.ts';

export function createScheduledRunActivities(deps: GuardedDependencies) {
  return {
    /** Records the run of one time, once. A schedule of which processes die begins no run, and its workflow says so. */
    async beginScheduledRun(input: ScheduledRunInput & { scheduledAt: string }): Promise<BegunScheduledRun> {
      try {
        return await beginGuarded(deps, input);
      } catch (failure) {
        if (failure instanceof WorkIsDeadly) throw ApplicationFailure.nonRetryable(failure.message, failure.name);
        throw failure;
      }
    },
  };
}
