import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { type EventTrigger, type ReadEventTrigger, isForChannel, createByEventType } from './event-triggers.ts';
import { systemChannelId, wantsEventType } from '../../../kernel/words/event-types.ts';
import { readPublishingConfig, type StoredConfig, type ChannelFilter } from './config-store.ts';
import type { NewMessage, FilterMatch } from '../../messages/publication.ts';
import type { Filters } from '../../filters/filters.ts';

// Characters of schemas and filters to cache, for all channels together. Each channel has a base weight: enough for
// 60,000 channels without any, or 30,000 subscriptions with the longest filters.
const KEPT = 64_000_000;
const WEIGHT_OF_A_CHANNEL = 1_000;
const WEIGHT_OF_A_SUBSCRIPTION = 100;

type Load = (
  environmentId: string,
  channelId: string,
  known: PublishingConfig | undefined,
) => Promise<PublishingConfig | undefined>;

export type PublishingConfigs = {
  /**
   * Returns the cached configuration without a promise, or else that of PostgreSQL. Undefined if the channel does not
   * exist.
   */
  of(environmentId: string, channelId: string): PublishingConfig | undefined | Promise<PublishingConfig | undefined>;
  /**
   * Returns the current configuration from PostgreSQL, whatever is cached: before a rejection, and for callers that
   * only preview.
   */
  newest(environmentId: string, channelId: string): Promise<PublishingConfig | undefined>;
};

/**
 * Caches the configurations that publishing needs, without a time limit: the statement that stores a publication
 * notices if one is out of date, whichever process changed it. Missing channels are not cached.
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
      // Publishes that arrive meanwhile share the query. If it read too early, their version reveals it.
      return known.get(key) ?? reading.get(key) ?? begin(environmentId, channelId);
    },
    newest(environmentId, channelId) {
      const key = keyOf(environmentId, channelId);
      const underWay = reading.get(key);
      if (underWay === undefined) return begin(environmentId, channelId);
      // The query in progress may have read too early. A changed filter makes all publishes of its channel come here at
      // once, so they share the next query; otherwise each would read thousands of filters.
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

/** The environment is part of the key, so that a channel id of another environment finds nothing. */
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
 * Everything that publishing to a channel depends on, except its status. A publication is checked against one version
 * of it. Other channels' triggers are left out: otherwise, with ten thousand workflows, the cache could hold only
 * sixteen channels.
 */
export type PublishingConfig = Omit<StoredConfig, 'workflows'> & {
  /** Active workflows that messages of this channel start, including those of all inbound webhooks. */
  triggers: readonly EventTrigger[];
};

/**
 * Returns undefined for a channel that is missing, deleted, or in another environment; `known` itself while its version
 * is current.
 */
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

/**
 * Returns the ids of the messages that a workflow step may be waiting for. A worker later finds the runs that actually
 * are.
 */
export const heardOf = (config: Pick<PublishingConfig, 'listens'>, messages: readonly NewMessage[]): string[] =>
  config.listens.length === 0
    ? []
    : messages.filter(({ eventType }) => hearing(config, eventType).length > 0).map(({ id }) => id);

type Wanting = { expressions: string[]; subscriptionIds: string[][] };

/** Returns the filters to evaluate for an event type, each with those of its subscriptions whose event types match. */
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
 * Returns a function that evaluates the filters of a channel for a message and returns the matching subscriptions,
 * among those whose event types match. Subscriptions without a filter are not included.
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

/** Returns all matches of these messages of one channel. */
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
