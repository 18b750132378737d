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
 * One time of a workflow's schedule: records its run and carries it as a child to its end, so that the schedule's overlap policy sees how
 * long it takes. The run ends when somebody cancels or terminates this one.
 */
export async function runScheduled(input: ScheduledRunInput): Promise<{ result: 'ended' | 'failed' | 'skipped' }> {
  const begun = await local('begin the run').beginScheduledRun({
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
    // A worker has found the run due and begun it by itself.
    if (failure instanceof WorkflowExecutionAlreadyStartedError) return { result: 'ended' };
    if (isCancellation(failure) || !(failure instanceof ChildWorkflowFailure)) throw failure;
    return { result: 'failed' };
  }
}

/** The time that the schedule means, which may be past: after an outage of Temporal's. */
function scheduledTime(): Date {
  const [time] = (workflowInfo().searchAttributes['TemporalScheduledStartTime'] ?? []) as (Date | string)[];
  return time === undefined ? workflowInfo().startTime : new Date(time);
}
