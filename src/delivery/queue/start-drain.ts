import type { Client } from '@temporalio/client';
import type { DrainInput } from '../../kernel/contract/delivery-workflow.ts';
import { drainWorkflowId, WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';

/** Starts the next drain of this process; the promise settles when that drain has ended, however it ended. */
export type StartDrain = () => Promise<void>;

/** See `StartDrain`. Throws when it could not be started. `drainTaskQueue` is the process's own. */
export function createStartDrain(
  client: Client,
  options: { taskQueue: string; drainTaskQueue: string; incarnationId: string },
): StartDrain {
  let number = 0;
  return async () => {
    number += 1;
    const handle = await client.workflow.start<(input: DrainInput) => Promise<unknown>>(
      WORKFLOW_TYPES.drainDeliveries,
      {
        // A fresh id each time: a drain that is just closing could swallow the start of the next.
        workflowId: drainWorkflowId(options.incarnationId, number),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        taskQueue: options.taskQueue,
        args: [{ taskQueue: options.drainTaskQueue }],
        staticSummary: 'drain of a backlog',
      },
    );
    await handle.result().catch(() => undefined);
  };
}
