import { createGrouping } from '../../../../platform/db/group.ts';
import { addTo } from '../../drain/counts.ts';
import type { ClaimedDelivery } from '../../../record/statements/claim.ts';

// Such a question costs Temporal a tenth of a start (decision 12).
const ASKED_AT_ONCE = 10;

/**
 * First tries that dead workers had claimed. A dead worker may have begun the Temporal workflow of a delivery without having put that on
 * record; a drain would then send what the workflow sends. `isBegun` asks Temporal, and `onKnown` gets each delivery with the answer. One
 * about which Temporal says nothing counts as begun: its own start, under the same id, decides.
 */
export function createTakenOver({
  isBegun,
  onKnown,
}: {
  isBegun: (delivery: ClaimedDelivery) => Promise<boolean>;
  onKnown: (delivery: ClaimedDelivery, isBegun: boolean) => void;
}) {
  const asked = new Map<string, ClaimedDelivery>();
  const asking = createGrouping<ClaimedDelivery, boolean>({
    inFlight: ASKED_AT_ONCE,
    maxWeight: 1,
    weightOf: () => 1,
    run: (deliveries) => Promise.all(deliveries.map((delivery) => isBegun(delivery).catch(() => true))),
  });

  return {
    /** Deliveries about which Temporal has not answered yet. */
    ids: (): Iterable<string> => asked.keys(),
    size: (): number => asked.size,
    /** Adds them to `counts`, by subscription. */
    countInto(counts: Map<string, number>): void {
      for (const { subscriptionId } of asked.values()) addTo(counts, subscriptionId, 1);
    },

    /** Settles when Temporal has been asked about all of these; never rejects. */
    async ask(deliveries: readonly ClaimedDelivery[]): Promise<void> {
      for (const delivery of deliveries) asked.set(delivery.id, delivery);
      const settle = async (delivery: ClaimedDelivery): Promise<void> => {
        const begun = await asking.add(delivery);
        asked.delete(delivery.id);
        onKnown(delivery, begun);
      };
      await Promise.all(deliveries.map(settle));
    },
  };
}
