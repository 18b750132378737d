import { createLru } from '../shared/lru.ts';
import type { PublishingConfig } from './publishing-store.ts';

// Characters of schemas, of all channels together, each channel counting for some by itself: 60,000 without schemas.
const KEPT = 64_000_000;
const WEIGHT_OF_A_CHANNEL = 1_000;

type Load = (environmentId: string, channelId: string) => Promise<PublishingConfig | undefined>;

export type PublishingConfigs = {
  /** What this process knows, without a promise, else what PostgreSQL says. Undefined for a channel that is not there. */
  of(environmentId: string, channelId: string): PublishingConfig | undefined | Promise<PublishingConfig | undefined>;
  /** What PostgreSQL says now, whatever is known: before anything is refused, and for whoever only asks. */
  newest(environmentId: string, channelId: string): Promise<PublishingConfig | undefined>;
};

/**
 * The channels' configurations as publishing needs them, remembered without a time limit: the statement that stores a
 * publication finds out when one is out of date, whichever process changed it. Channels that are missing are not remembered.
 */
export function createPublishingConfigs(load: Load): PublishingConfigs {
  const known = createLru<PublishingConfig>(KEPT);
  const loading = new Map<string, Promise<PublishingConfig | undefined>>();

  const read = async (key: string, environmentId: string, channelId: string): Promise<PublishingConfig | undefined> => {
    const config = await load(environmentId, channelId);
    if (config === undefined) return undefined;
    const texts = [config.schema ?? '', ...config.schemas.values()];
    known.set(
      key,
      config,
      texts.reduce((sum, text) => sum + text.length, WEIGHT_OF_A_CHANNEL),
    );
    return config;
  };

  return {
    of(environmentId, channelId) {
      const key = `${environmentId} ${channelId}`;
      const held = known.get(key) ?? loading.get(key);
      if (held !== undefined) return held;
      // Publishes that come meanwhile share the query. Should it have read too early, their version tells.
      const reading = read(key, environmentId, channelId).finally(() => loading.delete(key));
      loading.set(key, reading);
      return reading;
    },
    newest: (environmentId, channelId) => read(`${environmentId} ${channelId}`, environmentId, channelId),
  };
}
