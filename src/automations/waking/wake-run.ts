import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { WAKE_SIGNAL } from '../../kernel/contract/run-workflow.ts';

/**
 * Tells a run's Temporal workflow that one of its waiting steps may go on; one that is closed or unknown is left alone. Throws when
 * Temporal is out of reach.
 */
export type WakeRun = (workflowId: string, stepKey: string) => Promise<void>;

// A signal answers in a few ms.
const DEADLINE_MS = 5_000;

export const createWakeRun =
  (client: Client): WakeRun =>
  async (workflowId, stepKey) => {
    try {
      await client.withDeadline(Date.now() + DEADLINE_MS, () =>
        client.workflow.getHandle(workflowId).signal(WAKE_SIGNAL, stepKey),
      );
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
