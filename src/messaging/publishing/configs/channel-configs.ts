import { LRUCache } from 'lru-cache';
import type { PublishingConfig } from './load-config.ts';

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
