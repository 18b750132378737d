import type { DrainProgress } from '../../../kernel/contract/delivery-workflow.ts';

/** Counts what one drain sends, from its creation on. */
export function createTally() {
  const startedAt = performance.now();
  let [sent, failed] = [0, 0];
  return {
    sent(isDelivered: boolean): void {
      sent += 1;
      if (!isDelivered) failed += 1;
    },
    /** Counts as the Temporal UI shows them: `perSecond` is the mean since the beginning, to a tenth. */
    report: (subscriptions: number, waiting: number): DrainProgress => ({
      sent,
      failed,
      subscriptions,
      waiting,
      perSecond: Math.round((sent * 10_000) / Math.max(1, performance.now() - startedAt)) / 10,
    }),
  };
}
