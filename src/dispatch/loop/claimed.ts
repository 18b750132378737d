import type { ClaimedDelivery } from '../../deliveries/statements/claim.ts';
import type { NewDelivery } from '../../publishing/hand-over.ts';

/** A delivery of this process that has not begun: handed over by a publish, or claimed, and then with what the claim has read. */
export type Claimed = NewDelivery & { details?: ClaimedDelivery };

/** A claimed one. */
export const held = (details: ClaimedDelivery): Claimed => {
  const { id, channelId, subscriptionId } = details;
  return { id, channelId, subscriptionId, details };
};
