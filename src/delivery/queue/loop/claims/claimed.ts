import type { ClaimedDelivery } from '../../../record/statements/claim.ts';
import type { NewDelivery } from '../../../../messaging/publishing/hand-over.ts';

/**
 * A delivery that this process holds since `heldAt` (ms, of performance.now). A claim brings the details of its Temporal workflow; a
 * publish has often read what its first try needs.
 */
export type Claimed = NewDelivery & { details?: ClaimedDelivery; heldAt: number };

/** One that a claim has brought. */
export const held = (details: ClaimedDelivery): Claimed => {
  const { id, channelId, subscriptionId } = details;
  return { id, channelId, subscriptionId, details, heldAt: performance.now() };
};
