import type { Filters } from '../../filters/filters.ts';
import { wantsEventType } from '../../../kernel/words/event-types.ts';
import type { FilterMatch, NewMessage } from '../../messages/publication.ts';
import type { ChannelFilter } from './config-store.ts';
import type { PublishingConfig } from './load-config.ts';

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
 * Asks the filters of a channel about one message after the other: whom they let it through to, among the subscriptions whose
 * event types want it. Subscriptions without a filter are in none of the matches.
 */
export function createAsking(
  filters: Pick<Filters, 'evaluate'>,
  channelId: string,
  config: Pick<PublishingConfig, 'filters'>,
): (message: NewMessage) => Promise<readonly FilterMatch[]> {
  const wantingOf = new Map<string, Wanting>();
  return async ({ id: messageId, eventType, payload, metadata }) => {
    const wanted = wantingOf.get(eventType) ?? wanting(config.filters, eventType);
    wantingOf.set(eventType, wanted);
    const { expressions, subscriptionIds } = wanted;
    if (expressions.length === 0) return [];
    const verdicts = await filters.evaluate(expressions, { key: channelId, eventType, payload, metadata });
    return verdicts.flatMap(({ matches }, index) =>
      matches ? (subscriptionIds[index] ?? []).map((subscriptionId) => ({ messageId, subscriptionId })) : [],
    );
  };
}

/** All matches of these messages of one channel. */
export async function findMatches(
  filters: Pick<Filters, 'evaluate'>,
  channelId: string,
  config: Pick<PublishingConfig, 'filters'>,
  messages: readonly NewMessage[],
): Promise<FilterMatch[]> {
  const ask = createAsking(filters, channelId, config);
  const matches: (readonly FilterMatch[])[] = [];
  for (const message of messages) matches.push(await ask(message));
  return matches.flat();
}
