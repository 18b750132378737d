import { type Client, WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import type { replayDeadLetters } from '../../workflows/replay-dead-letters.ts';
import type { replayMessages } from '../../workflows/replay.ts';
import type { PendingReplay } from '../contract/delivery-workflow.ts';
import { bulkReplayWorkflowId, messageReplayWorkflowId, WORKFLOW_TYPES } from '../contract/temporal-names.ts';

/** Starts the Temporal workflow of a replay, or finds it running. Throws when Temporal is out of reach. */
export type StartReplay = (replay: PendingReplay) => Promise<void>;

/** See `StartReplay`. A workflow that closed without finishing may be started again: it goes on where the record stands. */
export function createStartReplay(client: Client, { taskQueue }: { taskQueue: string }): StartReplay {
  const options = {
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    taskQueue,
  } satisfies Partial<WorkflowStartOptions>;
  const start = {
    deadLetters: (id: string) =>
      client.workflow.start<typeof replayDeadLetters>(WORKFLOW_TYPES.replayDeadLetters, {
        ...options,
        workflowId: bulkReplayWorkflowId(id),
        args: [{ bulkReplayId: id }],
        staticSummary: 'bulk replay of dead letters',
      }),
    messages: (id: string) =>
      client.workflow.start<typeof replayMessages>(WORKFLOW_TYPES.replayMessages, {
        ...options,
        workflowId: messageReplayWorkflowId(id),
        args: [{ replayId: id }],
        staticSummary: 'replay of stored messages',
      }),
  };
  return async ({ of, id }) => {
    try {
      await start[of](id);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
}
