import {
  ChildWorkflowFailure,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  workflowInfo,
} from '@temporalio/workflow';
import { SearchAttributeType, TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { runWorkflowId, type ScheduledRunInput } from '../../src/kernel/contract/run-workflow.ts';
import { local } from './run-local.ts';
import { runWorkflow } from './run-workflow.ts';

/**
 * One occurrence of a workflow's schedule: records its run and executes it as a child workflow, so that the schedule's
 * overlap policy sees how long it takes. Cancelling or terminating this workflow ends the run.
 */
export async function runScheduled(input: ScheduledRunInput): Promise<{ result: 'ended' | 'failed' | 'skipped' }> {
  const begun = await local('start the run').beginScheduledRun({
    ...input,
    scheduledAt: scheduledTime().toISOString(),
  });
  if (begun === null) return { result: 'skipped' };
  try {
    await executeChild(runWorkflow, {
      workflowId: runWorkflowId(begun.run),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      args: [begun.run],
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      staticSummary: begun.summary,
      typedSearchAttributes: new TypedSearchAttributes(
        Object.entries(begun.attributes).map(([name, value]) => ({
          key: { name, type: SearchAttributeType.KEYWORD },
          value,
        })),
      ),
    });
    return { result: 'ended' };
  } catch (failure) {
    // A worker has found the run due and started it already.
    if (failure instanceof WorkflowExecutionAlreadyStartedError) return { result: 'ended' };
    if (isCancellation(failure) || !(failure instanceof ChildWorkflowFailure)) throw failure;
    return { result: 'failed' };
  }
}

/** Returns the scheduled time, which can be in the past after an outage of Temporal. */
function scheduledTime(): Date {
  const [time] = (workflowInfo().searchAttributes['TemporalScheduledStartTime'] ?? []) as (Date | string)[];
  return time === undefined ? workflowInfo().startTime : new Date(time);
}
