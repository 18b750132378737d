import type { Dependencies } from '../../dependencies.ts';
import type { EnvironmentCaller } from '../../identity/caller.ts';
import { notFound } from '../../kernel/api-error.ts';
import { isId } from '../../kernel/ids.ts';
import { planOf } from '../definitions/compile.ts';
import { nextTime } from '../definitions/configs/schedule.ts';
import { findWorkflow } from '../definitions/store.ts';
import type { ScheduleTimes } from './schema.ts';
import { findStanding } from './store.ts';

export type WorkflowSchedules = {
  /** Empty for a workflow with another trigger. */
  get(caller: EnvironmentCaller, workflowId: string): Promise<ScheduleTimes>;
};

export function createWorkflowSchedules({
  tenants,
  clock,
}: Pick<Dependencies, 'tenants' | 'clock'>): WorkflowSchedules {
  return {
    async get(caller, workflowId) {
      const { environmentId } = caller;
      if (!isId('workflow', workflowId)) throw notFound('workflow');
      return tenants.within(caller, async (transaction) => {
        const stored = await findWorkflow(transaction, environmentId, workflowId);
        if (stored === undefined) throw notFound('workflow');
        const { workflow, texts } = stored;
        const trigger = texts.trigger === undefined ? undefined : planOf(JSON.parse(texts.trigger), []).trigger;
        if (trigger?.type !== 'schedule') return {};
        const nextRunAt = workflow.status === 'active' ? nextTime(trigger, clock()) : undefined;
        const { lastRunAt, problem } = await findStanding(transaction, { environmentId, workflowId });
        return {
          ...(nextRunAt !== undefined && { nextRunAt }),
          ...(lastRunAt !== null && { lastRunAt }),
          ...(problem !== null && { problem }),
        };
      });
    },
  };
}
