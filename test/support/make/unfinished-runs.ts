import type { UnfinishedRuns } from '../../../src/automations/runs/store.ts';
import { RUN_STATUSES } from '../../../src/kernel/words/statuses.ts';

/** Returns runs of a workflow as a neighbour would query them, whatever their status. */
export const unfinishedRuns = (environmentId: string, { workflowId }: { workflowId: string }): UnfinishedRuns => ({
  environmentId,
  workflowId,
  statuses: RUN_STATUSES,
  ids: {},
  named: undefined,
});
