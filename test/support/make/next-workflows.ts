import { patched, sleep } from '@temporalio/workflow';
import { deliverMessage as current } from '../../../workflows/deliver-message.ts';
import type { DeliverMessageInput, DeliveryEnd } from '../../../src/kernel/contract/delivery-workflow.ts';

export { drainDeliveries } from '../../../workflows/drain-deliveries.ts';
export { reconcileDeliveries } from '../../../workflows/reconcile-deliveries.ts';
export { removeExpired } from '../../../workflows/remove-expired.ts';
export {
  replay as replayDeadLetters,
  replay as replayMessages,
  replay as retryDeliveries,
} from '../../../workflows/replay.ts';
export { warmUp } from '../../../workflows/warm-up.ts';

/** The Temporal workflows of a next release: a command before all others, behind `patched()` as docs/upgrading.md says. */
export async function deliverMessage(input: DeliverMessageInput): Promise<DeliveryEnd> {
  if (patched('a-pause-before-the-first-try')) await sleep(10);
  return await current(input);
}
