import type { Filters } from '../filters/filters.ts';
import { wantsEventType } from '../shared/event-types.ts';
import type { Match, NewMessage } from './publish-store.ts';
import type { ChannelFilter, PublishingConfig } from './publishing-store.ts';

type Wanting = { expressions: string[]; subscriptionIds: string[][] };

/** The filters that are to be asked about this event type, each with those of its subscriptions that want it. */
function wanting(filters: readonly ChannelFilter[], eventType: string): Wanting {
  const found: Wanting = { expressions: [], subscriptionIds: [] };
  for (const { expression, subscriptions } of filters) {
    const ids = subscriptions.filter(({ eventTypes }) => wantsEventType(eventTypes, eventType)).map(({ id }) => id);
    if (ids.length === 0) continue;
    found.expressions.push(expression);
    found.subscriptionIds.push(ids);
  }
  return found;
}

/**
 * Which of these messages the filters of their channel let through, and to whom: pairs of a message and a subscription whose
 * event types want it. Subscriptions without a filter are in none.
 */
export async function findMatches(
  filters: Pick<Filters, 'evaluate'>,
  channelId: string,
  config: Pick<PublishingConfig, 'filters'>,
  messages: readonly NewMessage[],
): Promise<Match[]> {
  const wantingOf = new Map<string, Wanting>();
  const matches: Match[] = [];
  for (const { id: messageId, eventType, payload, metadata } of messages) {
    const wanted = wantingOf.get(eventType) ?? wanting(config.filters, eventType);
    wantingOf.set(eventType, wanted);
    const { expressions, subscriptionIds } = wanted;
    if (expressions.length === 0) continue;
    const asked = filters.evaluate(expressions, { key: channelId, eventType, payload, metadata });
    const verdicts = asked instanceof Promise ? await asked : asked;
    for (const [index, { matches: isMatch }] of verdicts.entries())
      if (isMatch)
        for (const subscriptionId of subscriptionIds[index] ?? []) matches.push({ messageId, subscriptionId });
  }
  return matches;
}
