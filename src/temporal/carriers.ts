import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { deliveryOfWorkflowId, WORKFLOW_TYPES } from '../contract/temporal-names.ts';

/** running: it moves its delivery. cancelled: a person ended it. gone: closed otherwise, or unknown to Temporal. */
export type CarrierState = 'running' | 'cancelled' | 'gone';

/** Looks at the Temporal workflows that carry deliveries. */
export type Carriers = {
  stateOf(workflowId: string): Promise<CarrierState>;
  /** Deliveries whose Temporal workflow was terminated in the last 10 minutes. */
  terminatedDeliveries(): Promise<{ deliveryId: string; round: number }[]>;
};

// Far longer than the 30 s between two passes, so that the next pass makes up for a missed one.
const TERMINATED_WITHIN_MS = 600_000;

/** See `Carriers`. Throws when Temporal is out of reach. */
export function createCarriers(client: Client): Carriers {
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

    async terminatedDeliveries() {
      const since = new Date(Date.now() - TERMINATED_WITHIN_MS).toISOString();
      const query = `WorkflowType = '${WORKFLOW_TYPES.deliverMessage}' AND ExecutionStatus = 'Terminated' AND CloseTime > '${since}'`;
      const found = [];
      for await (const execution of client.workflow.list({ query })) {
        const delivery = deliveryOfWorkflowId(execution.workflowId);
        if (delivery !== undefined) found.push(delivery);
      }
      return found;
    },
  };
}
