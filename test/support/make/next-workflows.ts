import { patched, sleep } from '@temporalio/workflow';
import { deliverMessage as current } from '../../../workflows/deliver-message.ts';
import type { DeliverMessageInput, DeliveryEnd } from '../../../src/kernel/contract/delivery-workflow.ts';

export { drainDeliveries } from '../../../workflows/background.ts';
export { reconcileDeliveries } from '../../../workflows/background.ts';
export { removeExpired } from '../../../workflows/background.ts';
export {
  replay as replayDeadLetters,
  replay as replayMessages,
  replay as retryDeliveries,
} from '../../../workflows/background.ts';
export { warmUp } from '../../../workflows/background.ts';

/** The Temporal workflows of a next release: a new first command behind `patched()`, as docs/operate/upgrading.md says. */
export async function deliverMessage(input: DeliverMessageInput): Promise<DeliveryEnd> {
  if (patched('a-pause-before-the-first-try')) await sleep(10);
  return await current(input);
}
