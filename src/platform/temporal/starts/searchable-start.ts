import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { SearchAttributeType } from '@temporalio/common';
import { GRPC_STATUS, grpcStatusOf } from '../grpc-status.ts';

// A start answers in a few ms. While it hangs, its delivery or run waits and the gate has one place less.
export const START_DEADLINE_MS = 5_000;

/** A search attribute of ours with its value: all of them are keywords. */
export const keyword = (name: string, value: string) => ({ key: { name, type: SearchAttributeType.KEYWORD }, value });

/**
 * Starts a Temporal workflow by `start`, with search attributes where the namespace has them. Without them where the server turns out to
 * lack them: a new store has none until it is furnished again. False when its id had been used before, which starts nothing. Throws when
 * Temporal is out of reach.
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
