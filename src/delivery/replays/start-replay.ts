import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { type PendingReplay, REPLAY_KINDS, type ReplayInput, replayWorkflowId } from '../../kernel/contract/replays.ts';

/** Starts the Temporal workflow of a replay, or finds it running. Throws when Temporal is out of reach. */
export type StartReplay = (replay: PendingReplay) => Promise<void>;

/** See `StartReplay`. A workflow that closed without finishing may be started again: it goes on where the record stands. */
export function createStartReplay(client: Client, { taskQueue }: { taskQueue: string }): StartReplay {
  return async ({ kind, id }) => {
    const { idField, summary } = REPLAY_KINDS[kind];
    try {
      await client.workflow.start<(input: ReplayInput) => Promise<unknown>>(kind, {
        workflowId: replayWorkflowId({ kind, id }),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        taskQueue,
        args: [{ [idField]: id }],
        staticSummary: summary,
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  };
}
