import type { Dependencies } from '../../platform/dependencies.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { planOf } from '../definitions/plan/compile.ts';
import { nextTime, type ScheduleTrigger } from '../definitions/configs/schedule.ts';
import type { Workflows } from '../definitions/service.ts';
import { unreadable } from './calendars.ts';
import type { ScheduleTimes } from './schema.ts';
import { findStanding } from './store.ts';

export type WorkflowSchedules = {
  /** Empty for a workflow with another trigger. */
  get(caller: EnvironmentCaller, workflowId: string): Promise<ScheduleTimes>;
};

export function createWorkflowSchedules(
  { tenants, clock }: Pick<Dependencies, 'tenants' | 'clock'>,
  { workflows }: { workflows: Pick<Workflows, 'definitionOf'> },
): WorkflowSchedules {
  return {
    async get(caller, workflowId) {
      const { environmentId } = caller;
      const { status, trigger: text } = await workflows.definitionOf(caller, workflowId);
      const trigger = text === undefined ? undefined : planOf(JSON.parse(text), []).trigger;
      if (trigger?.type !== 'schedule') return {};
      const { lastRunAt, problem } = await tenants.within(caller, (transaction) =>
        findStanding(transaction, { environmentId, workflowId }),
      );
      return {
        ...(status === 'active' && (problem === null ? nextOf(trigger, clock()) : { problem })),
        ...(lastRunAt !== null && { lastRunAt }),
      };
    },
  };
}

function nextOf(trigger: ScheduleTrigger, now: Date): Pick<ScheduleTimes, 'nextRunAt' | 'problem'> {
  try {
    const nextRunAt = nextTime(trigger, now);
    return nextRunAt === undefined ? {} : { nextRunAt };
  } catch (failure) {
    return { problem: unreadable(failure) };
  }
}
