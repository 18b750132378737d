import type { Stats } from '../../api/client.ts';

/** How the deliveries of a span have ended, and how many are still being retried. */
export type Delivered = { delivered: number; finished: number; retrying: number };

/** By the final status of the deliveries that were created in the span: one that was retried counts once. */
export function deliveredOf({ totals }: Pick<Stats, 'totals'>): Delivered {
  const failed = totals.givenUp ?? totals.deadLetters;
  return { delivered: totals.delivered, finished: totals.delivered + failed, retrying: 0 };
}
