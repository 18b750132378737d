import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { type EventTrigger, type ReadEventTrigger, isForChannel, createByEventType } from './event-triggers.ts';
import { systemChannelId, wantsEventType } from '../../../kernel/words/event-types.ts';
import { readPublishingConfig, type StoredConfig, type ChannelFilter } from './config-store.ts';
import type { NewMessage, FilterMatch } from '../../messages/publication.ts';
import type { Filters } from '../../filters/filters.ts';

// Characters of schemas and filters, of all channels together, each channel counting for some by itself: 60,000 channels
// without any, or 30,000 subscriptions with the longest filters.
const KEPT = 64_000_000;
const WEIGHT_OF_A_CHANNEL = 1_000;
const WEIGHT_OF_A_SUBSCRIPTION = 100;

type Load = (
  environmentId: string,
  channelId: string,
  known: PublishingConfig | undefined,
) => Promise<PublishingConfig | undefined>;

export type PublishingConfigs = {
  /** The configuration that this process knows, without a promise, else PostgreSQL's. Undefined for a channel that is not there. */
  of(environmentId: string, channelId: string): PublishingConfig | undefined | Promise<PublishingConfig | undefined>;
  /** PostgreSQL's configuration of now, whatever is known: before a refusal, and for callers that only ask. */
  newest(environmentId: string, channelId: string): Promise<PublishingConfig | undefined>;
};

/**
 * The channels' configurations as publishing needs them, remembered without a time limit: the statement that stores a
 * publication finds out when one is out of date, whichever process changed it. Channels that are missing are not remembered.
 */
export function createPublishingConfigs(load: Load): PublishingConfigs {
  const known = new LRUCache<string, PublishingConfig>({ maxSize: KEPT });
  const reading = new Map<string, Promise<PublishingConfig | undefined>>();
  const following = new Map<string, Promise<PublishingConfig | undefined>>();

  const read = async (key: string, environmentId: string, channelId: string): Promise<PublishingConfig | undefined> => {
    const held = known.get(key);
    const config = await load(environmentId, channelId, held);
    if (config !== undefined && config !== held) known.set(key, config, { size: weightOf(config) });
    return config;
  };

  const begin = (environmentId: string, channelId: string): Promise<PublishingConfig | undefined> => {
    const key = keyOf(environmentId, channelId);
    const begun = read(key, environmentId, channelId).finally(() => {
      if (reading.get(key) === begun) reading.delete(key);
    });
    reading.set(key, begun);
    return begun;
  };

  return {
    of(environmentId, channelId) {
      const key = keyOf(environmentId, channelId);
      // Publishes that come meanwhile share the query. Should it have read too early, their version tells.
      return known.get(key) ?? reading.get(key) ?? begin(environmentId, channelId);
    },
    newest(environmentId, channelId) {
      const key = keyOf(environmentId, channelId);
      const underWay = reading.get(key);
      if (underWay === undefined) return begin(environmentId, channelId);
      // The query under way may have read too early. A changed filter makes all publishes of its channel come here at once: they share the
      // next query, where each of its own would read thousands of filters.
      const next =
        following.get(key) ??
        underWay
          .catch(() => undefined)
          .then(() => {
            following.delete(key);
            return begin(environmentId, channelId);
          });
      following.set(key, next);
      return next;
    },
  };
}

/** A process remembers nothing of an environment that another one is told. */
const keyOf = (environmentId: string, channelId: string): string => `${environmentId} ${channelId}`;

function weightOf({ schema, schemas, filters, triggers, listens }: PublishingConfig): number {
  let weight = WEIGHT_OF_A_CHANNEL + (schema?.length ?? 0);
  for (const text of schemas.values()) weight += text.length;
  for (const { expression, subscriptions } of filters) {
    weight += expression.length;
    for (const { eventTypes } of subscriptions)
      weight += eventTypes.reduce((sum, { length }) => sum + length, WEIGHT_OF_A_SUBSCRIPTION);
  }
  for (const { eventTypes, filter = '' } of triggers)
    weight += eventTypes.reduce((sum, { length }) => sum + length, WEIGHT_OF_A_SUBSCRIPTION + filter.length);
  for (const { channelIds, eventTypes } of listens)
    weight += [...channelIds, ...eventTypes].reduce((sum, { length }) => sum + length, WEIGHT_OF_A_SUBSCRIPTION);
  return weight;
}

/**
 * Everything that publishing to a channel depends on beside its status. A publication is checked against one version of it. Other
 * channels have no part in it: with ten thousand workflows, memory would hold the configurations of sixteen channels.
 */
export type PublishingConfig = Omit<StoredConfig, 'workflows'> & {
  /** Active workflows that messages of this channel begin, and those of all inbound webhooks. */
  triggers: readonly EventTrigger[];
};

/** Undefined for a channel that is missing, deleted or of another environment; `known` itself while its version holds. */
export async function loadPublishingConfig(
  { pool, readTrigger }: { pool: Pool; readTrigger: ReadEventTrigger },
  environmentId: string,
  channelId: string,
  known: PublishingConfig | undefined,
): Promise<PublishingConfig | undefined> {
  const stored = await readPublishingConfig(pool, environmentId, channelId, known?.version);
  if (stored === undefined || stored === 'same') return stored && known;
  const { workflows, listens, ...config } = stored;
  const channel = { channelId, isSystem: channelId === systemChannelId(environmentId) };
  return {
    ...config,
    triggers: workflows.flatMap((workflow) => readTrigger(workflow, channel) ?? []),
    listens: listens.filter((listening) => isForChannel(listening, channelId)),
  };
}

const hearing = createByEventType(({ listens }: Pick<PublishingConfig, 'listens'>, eventType) =>
  listens.filter(({ eventTypes }) => wantsEventType(eventTypes, eventType)),
);

/** Ids of those messages of a channel that steps of workflows may wait for. A worker looks for the runs that do. */
export const heardOf = (config: Pick<PublishingConfig, 'listens'>, messages: readonly NewMessage[]): string[] =>
  config.listens.length === 0
    ? []
    : messages.filter(({ eventType }) => hearing(config, eventType).length > 0).map(({ id }) => id);

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
