import { sleep } from '@temporalio/workflow';
import { deliverMessage as current } from '../../../workflows/deliver-message.ts';
import type { DeliverMessageInput, DeliveryEnd } from '../../../src/kernel/contract/delivery-workflow.ts';

export {
  replay as replayDeadLetters,
  replay as replayMessages,
  replay as retryDeliveries,
} from '../../../workflows/background.ts';

/** A careless change: a new first command without `patched()`. The replay test must detect it. */
export async function deliverMessage(input: DeliverMessageInput): Promise<DeliveryEnd> {
  await sleep(1_000);
  return await current(input);
}
