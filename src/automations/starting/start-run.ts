import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { type RunInput, runWorkflowId } from '../../kernel/contract/run-workflow.ts';
import { WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';
import { keyword, START_DEADLINE_MS, startSearchable } from '../../platform/temporal/starts.ts';

type RunToStart = RunInput & {
  environmentId: string;
  workflowId: string;
  workflowName: string;
  triggerType: string;
  messageId: string | null;
  parentRunId: string | null;
};

/** Starts the Temporal workflow of one round. `isNew`: its id had never been used. Throws when Temporal is out of reach. */
export type StartRun = (run: RunToStart) => Promise<{ workflowId: string; isNew: boolean }>;

/** Asks a Temporal workflow to end; one that is closed or unknown is left alone. Throws when Temporal is out of reach. */
export type CancelRun = (workflowId: string) => Promise<void>;

// Temporal cuts summaries at 200 bytes; a longer one is refused.
const SUMMARY_LENGTH = 60;

/** See `StartRun`. `isSearchable` says whether the namespace has our search attributes at this moment. */
export function createStartRun(
  client: Client,
  { taskQueue, isSearchable }: { taskQueue: string; isSearchable: () => boolean },
): StartRun {
  return async (run) => {
    const workflowId = runWorkflowId(run);
    const isNew = await startSearchable(client, isSearchable(), (withAttributes) =>
      client.workflow.start<(input: RunInput) => Promise<unknown>>(WORKFLOW_TYPES.runWorkflow, {
        workflowId,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        taskQueue,
        requestEagerStart: true,
        args: [{ runId: run.runId, round: run.round }],
        staticSummary: `${run.workflowName.slice(0, SUMMARY_LENGTH)} ← ${run.messageId ?? run.parentRunId ?? run.triggerType}`,
        ...(withAttributes && { typedSearchAttributes: searchAttributes(run) }),
      }),
    );
    return { workflowId, isNew };
  };
}

export const createCancelRun =
  (client: Client): CancelRun =>
  async (workflowId) => {
    try {
      await client.withDeadline(Date.now() + START_DEADLINE_MS, () => client.workflow.getHandle(workflowId).cancel());
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };

const searchAttributes = ({ environmentId, workflowId, messageId }: RunToStart): TypedSearchAttributes =>
  new TypedSearchAttributes([
    keyword('PosthornEnvironment', environmentId),
    keyword('PosthornWorkflow', workflowId),
    keyword('PosthornState', 'running'),
    ...(messageId === null ? [] : [keyword('PosthornMessage', messageId)]),
  ]);
