import type { Filters, Waiting } from '../filters/filters.ts';
import { wantsEventType } from '../shared/event-types.ts';
import type { Match, NewMessage } from './publish-store.ts';
import type { ChannelFilter, PublishingConfig } from './publishing-store.ts';

type Wanting = { expressions: string[]; subscriptionIds: string[][] };
type Verdicts = readonly { matches: boolean }[];

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

const NONE: readonly Match[] = [];

/**
 * Asks the filters of a channel about one message after the other: whom they let it through to, among the subscriptions whose
 * event types want it. No promise where no filter needs time. Subscriptions without a filter are in none of the matches. All
 * of them together wait for costly filters as `waiting` says, each by itself where that is absent.
 */
export function createAsking(
  filters: Pick<Filters, 'evaluate'>,
  channelId: string,
  config: Pick<PublishingConfig, 'filters'>,
  waiting?: Waiting,
): (message: NewMessage) => readonly Match[] | Promise<readonly Match[]> {
  const wantingOf = new Map<string, Wanting>();
  return ({ id: messageId, eventType, payload, metadata }) => {
    const wanted = wantingOf.get(eventType) ?? wanting(config.filters, eventType);
    wantingOf.set(eventType, wanted);
    const { expressions, subscriptionIds } = wanted;
    if (expressions.length === 0) return NONE;
    const toMatches = (verdicts: Verdicts): Match[] =>
      verdicts.flatMap(({ matches }, index) =>
        matches ? (subscriptionIds[index] ?? []).map((subscriptionId) => ({ messageId, subscriptionId })) : [],
      );
    const asked = filters.evaluate(expressions, { key: channelId, eventType, payload, metadata }, waiting);
    return asked instanceof Promise ? asked.then(toMatches) : toMatches(asked);
  };
}

/** All matches of these messages of one channel. */
export async function findMatches(
  filters: Pick<Filters, 'evaluate'>,
  channelId: string,
  config: Pick<PublishingConfig, 'filters'>,
  messages: readonly NewMessage[],
  waiting: Waiting,
): Promise<Match[]> {
  const ask = createAsking(filters, channelId, config, waiting);
  const matches: (readonly Match[])[] = [];
  for (const message of messages) {
    const asked = ask(message);
    matches.push(asked instanceof Promise ? await asked : asked);
  }
  return matches.flat();
}

/** The same without waiting: undefined when a filter needs time for one of them. */
export function findMatchesAtOnce(
  filters: Pick<Filters, 'evaluate'>,
  channelId: string,
  config: Pick<PublishingConfig, 'filters'>,
  messages: readonly NewMessage[],
): Match[] | undefined {
  const ask = createAsking(filters, channelId, config);
  const matches: (readonly Match[])[] = [];
  for (const message of messages) {
    const asked = ask(message);
    if (asked instanceof Promise) {
      // It is asked again by whoever waits for it.
      asked.catch(() => undefined);
      return undefined;
    }
    matches.push(asked);
  }
  return matches.flat();
}
