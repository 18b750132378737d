import type { UnfinishedRuns } from '../../../src/automations/runs/store.ts';
import { RUN_STATUSES } from '../../../src/kernel/words/statuses.ts';

/** Runs of a workflow for a neighbour's look, whatever their status is. */
export const unfinishedRuns = (environmentId: string, { workflowId }: { workflowId: string }): UnfinishedRuns => ({
  environmentId,
  workflowId,
  statuses: RUN_STATUSES,
  ids: {},
  named: undefined,
});
