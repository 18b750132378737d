import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { type RunInput, runOfWorkflowId } from '../contract/run-workflow.ts';
import { deliveryOfWorkflowId, WORKFLOW_TYPES } from '../contract/temporal-names.ts';

/** running: it moves its delivery. cancelled: a person ended it. gone: closed otherwise, or unknown to Temporal. */
export type CarrierState = 'running' | 'cancelled' | 'gone';

/** Looks at the Temporal workflows that carry deliveries and runs. */
export type Carriers = {
  stateOf(workflowId: string): Promise<CarrierState>;
  /** Deliveries whose Temporal workflow was terminated in the last 10 minutes. */
  terminatedDeliveries(): Promise<{ deliveryId: string; round: number }[]>;
  /** Runs whose Temporal workflow was terminated in the last 10 minutes. */
  terminatedRuns(): Promise<RunInput[]>;
};

// Far longer than the 30 s between two passes, so that the next pass makes up for a missed one.
const TERMINATED_WITHIN_MS = 600_000;

/** See `Carriers`. Throws when Temporal is out of reach. */
export function createCarriers(client: Client): Carriers {
  const terminated = async <T>(workflowType: string, read: (workflowId: string) => T | undefined): Promise<T[]> => {
    const since = new Date(Date.now() - TERMINATED_WITHIN_MS).toISOString();
    const query = `WorkflowType = '${workflowType}' AND ExecutionStatus = 'Terminated' AND CloseTime > '${since}'`;
    const found: T[] = [];
    for await (const { workflowId } of client.workflow.list({ query })) {
      const named = read(workflowId);
      if (named !== undefined) found.push(named);
    }
    return found;
  };

  return {
    async stateOf(workflowId) {
      try {
        const { status } = await client.workflow.getHandle(workflowId).describe();
        if (status.name === 'RUNNING' || status.name === 'PAUSED') return 'running';
        return status.name === 'TERMINATED' || status.name === 'CANCELLED' ? 'cancelled' : 'gone';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'gone';
        throw error;
      }
    },

    terminatedDeliveries: () => terminated(WORKFLOW_TYPES.deliverMessage, deliveryOfWorkflowId),
    terminatedRuns: () => terminated(WORKFLOW_TYPES.runWorkflow, runOfWorkflowId),
  };
}
