import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { replayDeadLetters } from '../../workflows/replay-dead-letters.ts';
import { bulkReplayWorkflowId, WORKFLOW_TYPES } from '../shared/temporal-names.ts';

/** Starts the Temporal workflow of a bulk replay, or finds it running. Throws when Temporal is out of reach. */
export type StartBulkReplay = (bulkReplayId: string) => Promise<void>;

/** See `StartBulkReplay`. One that closed without finishing may be started again: it goes on where the record stands. */
export function createStartBulkReplay(client: Client, options: { taskQueue: string }): StartBulkReplay {
  return async (bulkReplayId) => {
    try {
      await client.workflow.start<typeof replayDeadLetters>(WORKFLOW_TYPES.replayDeadLetters, {
        workflowId: bulkReplayWorkflowId(bulkReplayId),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        taskQueue: options.taskQueue,
        args: [{ bulkReplayId }],
        staticSummary: 'bulk replay of dead letters',
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
}
