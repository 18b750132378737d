import { isScheduled, type Publication } from '../messages/publication.ts';

/** A request, or a batch of scheduled messages, that stores more rows than this is wide. Takes about 100 ms. */
export const WIDE_ROWS = 2_000;

/** Rows that this publication will store: messages, deliveries and runs. The number of deliveries is an estimate (`ChannelWidth`). */
export function rowsOf(publication: Publication): number {
  const { messages, onlySubscriptionId, width, matches, runs } = publication;
  if (isScheduled(publication)) return messages.length;
  const unfiltered = onlySubscriptionId === undefined ? (width?.unfiltered ?? 0) : 1;
  return messages.length * (1 + unfiltered) + (matches?.length ?? 0) + (runs?.length ?? 0);
}

export const rowsOfAll = (publications: readonly Publication[]): number =>
  publications.reduce((sum, publication) => sum + rowsOf(publication), 0);

/**
 * Corrects the width of a channel that has gained subscriptions: one without a filter does not change the version of the channel's
 * configuration. `routed` has the number of deliveries by message id.
 */
export function learnWidth({ width, messages, matches }: Publication, routed: ReadonlyMap<string, number>): void {
  if (width === undefined || routed.size === 0) return;
  const most = Math.max(...messages.map(({ id }) => routed.get(id) ?? 0));
  if (most <= width.unfiltered) return;
  const filtered = new Map<string, number>();
  for (const { messageId } of matches ?? []) filtered.set(messageId, (filtered.get(messageId) ?? 0) + 1);
  for (const { id } of messages)
    width.unfiltered = Math.max(width.unfiltered, (routed.get(id) ?? 0) - (filtered.get(id) ?? 0));
}
