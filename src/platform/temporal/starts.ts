import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { GRPC_STATUS, grpcStatusOf } from './grpc-status.ts';
import type { Clock } from '../dependencies.ts';
import { type RunInput, runOfWorkflowId } from '../../kernel/contract/run-workflow.ts';
import { deliveryOfWorkflowId, WORKFLOW_TYPES } from '../../kernel/contract/temporal-names.ts';

// A start takes a few ms. While it hangs, its delivery or run waits and one start slot is occupied.
export const START_DEADLINE_MS = 5_000;

/** One of our search attributes with its value; all of them are keywords. */
export const keyword = (name: string, value: string) => ({ key: { name, type: SearchAttributeType.KEYWORD }, value });

/**
 * Starts a Temporal workflow with `start`, with search attributes if the namespace has them, and without if the server turns out to
 * lack them: a new store has none until it is set up again. Returns false if its id was used before, in which case nothing is started.
 * Throws if Temporal is unavailable.
 */
export async function startSearchable(
  client: Client,
  isSearchable: boolean,
  start: (withAttributes: boolean) => Promise<unknown>,
): Promise<boolean> {
  const startWithin = (withAttributes: boolean): Promise<unknown> =>
    client.withDeadline(Date.now() + START_DEADLINE_MS, () => start(withAttributes));
  try {
    await startWithin(isSearchable).catch((error: unknown) => {
      if (isSearchable && grpcStatusOf(error) === GRPC_STATUS.invalidArgument) return startWithin(false);
      throw error;
    });
    return true;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    return false;
  }
}

/** running: it handles its delivery. cancelled: a person ended it. gone: closed otherwise, or unknown to Temporal. */
export type CarrierState = 'running' | 'cancelled' | 'gone';

/** Looks up the Temporal workflows of deliveries and runs. */
export type Carriers = {
  stateOf(workflowId: string): Promise<CarrierState>;
  /** The reason given by the person who terminated or cancelled a Temporal workflow; undefined without one. Up to 500 characters. */
  whyEnded(workflowId: string): Promise<string | undefined>;
  /** Deliveries whose Temporal workflow was terminated in the last 10 minutes. */
  terminatedDeliveries(): Promise<{ deliveryId: string; round: number }[]>;
  /** Runs whose Temporal workflow was terminated in the last 10 minutes. */
  terminatedRuns(): Promise<RunInput[]>;
};

// Far longer than the 30 s between two passes, so that the next pass makes up for a missed one.
const TERMINATED_WITHIN_MS = 600_000;
// After a cancellation request come the workflow's own last steps; after a termination comes nothing.
const LAST_EVENTS = 20;
const MOST_WORDS = 500;

/** Looks up Temporal workflows (see `Carriers`). Throws if Temporal is unavailable. */
export function createCarriers(client: Client, clock: Clock): Carriers {
  const terminated = async <T>(workflowType: string, read: (workflowId: string) => T | undefined): Promise<T[]> => {
    const since = new Date(clock().getTime() - TERMINATED_WITHIN_MS).toISOString();
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
        const { status } = await client.withDeadline(Date.now() + START_DEADLINE_MS, () =>
          client.workflow.getHandle(workflowId).describe(),
        );
        if (status.name === 'RUNNING' || status.name === 'PAUSED') return 'running';
        return status.name === 'TERMINATED' || status.name === 'CANCELLED' ? 'cancelled' : 'gone';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return 'gone';
        throw error;
      }
    },

    async whyEnded(workflowId) {
      const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
        namespace: client.options.namespace,
        execution: { workflowId },
        maximumPageSize: LAST_EVENTS,
      });
      const words = (history?.events ?? [])
        .map(
          (event) =>
            event.workflowExecutionTerminatedEventAttributes?.reason ??
            event.workflowExecutionCancelRequestedEventAttributes?.cause,
        )
        .find((text) => typeof text === 'string' && text.trim() !== '');
      return words
        ?.replaceAll(/[\p{Cc}\s]+/gu, ' ')
        .trim()
        .slice(0, MOST_WORDS);
    },

    terminatedDeliveries: () => terminated(WORKFLOW_TYPES.deliverMessage, deliveryOfWorkflowId),
    terminatedRuns: () => terminated(WORKFLOW_TYPES.runWorkflow, runOfWorkflowId),
  };
}
