import type { Pool } from 'pg';
import type { Filters } from '../filters/filters.ts';
import type { Schemas } from '../schemas/schemas.ts';
import { ApiError, type ErrorDetails, notFound } from '../kernel/api-error.ts';
import { isId } from '../kernel/ids.ts';
import { findMatches } from './configs/filter-matches.ts';
import { createPayloadCheck, type PayloadToPublish } from './payload-check.ts';
import type { Publication } from './store.ts';
import { StaleConfigError } from './refusals.ts';
import { createPublishingConfigs } from './configs/channel-configs.ts';
import { loadPublishingConfig, type PublishingConfig } from './configs/config-store.ts';
import type { Validation } from '../messages/schema.ts';

/** A publication with the payloads that its channel's schemas are to be asked about. */
export type ToPublish = { publication: Publication; payloads: readonly PayloadToPublish[] };

// A channel whose configuration changes between each check and its storing is being changed without end.
const CHECKS_AT_MOST = 5;
const RETRY_AFTER_SECONDS = 1;

/** Publishing behind the schemas and filters of the channels, whose configuration each process remembers by its version. */
export function createCheckedPublish(
  pool: Pool,
  { schemas, filters }: { schemas: Pick<Schemas, 'check'>; filters: Pick<Filters, 'evaluate'> },
) {
  const configs = createPublishingConfigs((...which) => loadPublishingConfig(pool, ...which));
  const payloadCheck = createPayloadCheck(schemas);

  /** Undefined for a channel that is missing, foreign or deleted. `known` asks no one where this process knows it. */
  const configOf = async (
    { environmentId, channelId }: Pick<Publication, 'environmentId' | 'channelId'>,
    which: 'known' | 'newest',
  ): Promise<PublishingConfig | undefined> => {
    const read = which === 'known' ? configs.of : configs.newest;
    return isId('channel', channelId) ? await read(environmentId, channelId) : undefined;
  };

  /** A test message is for its subscription whatever that one's filter says; what waits is for whoever wants it at its time. */
  const matchesOf = async (
    { channelId, messages, onlySubscriptionId }: Publication,
    config: PublishingConfig,
  ): Promise<Pick<Publication, 'matches'>> => {
    if (onlySubscriptionId !== undefined) return {};
    const atOnce = messages.filter(({ isScheduled, unlessKnown }) => isScheduled !== true && unlessKnown === undefined);
    return { matches: await findMatches(filters, channelId, config, atOnce) };
  };

  /** Warnings of a channel that only warns; throws the refusal of another one, once the newest configuration refuses it too. */
  const check = async (
    { publication, payloads }: ToPublish,
    which: 'known' | 'newest',
  ): Promise<{ publication: Publication; warnings: ErrorDetails[] }> => {
    const config = await configOf(publication, which);
    // The statement that stores it says what is wrong with such a channel.
    if (config === undefined) return { publication, warnings: [] };
    let warnings: ErrorDetails[];
    try {
      warnings = await payloadCheck.check(publication.channelId, config, payloads);
    } catch (error) {
      // Another process may have loosened what refuses here. An unchanged schema would be checked a second time for nothing.
      const newest = which === 'known' ? await configOf(publication, 'newest') : config;
      if (newest?.version === config.version) throw error;
      return check({ publication, payloads }, 'newest');
    }
    const matches = config.filters.length === 0 ? {} : await matchesOf(publication, config);
    return { publication: { ...publication, configVersion: config.version, ...matches }, warnings };
  };

  /** Verdicts of the schemas on each payload, and whether the channel refuses one that does not fit. */
  const problemsOf = async (
    channel: Pick<Publication, 'environmentId' | 'channelId'>,
    payloads: readonly PayloadToPublish[],
  ): Promise<{ mode: PublishingConfig['mode']; problems: ErrorDetails[][] }> => {
    const config = await configOf(channel, 'newest');
    if (config === undefined) throw notFound('channel');
    return { mode: config.mode, problems: await payloadCheck.problemsOfEach(channel.channelId, config, payloads) };
  };

  return {
    problemsOf,

    /**
     * Checks all payloads, then has them stored by `store` unless a configuration has changed since: then both are done again.
     * INVALID_REQUEST for a payload that does not fit; UNAVAILABLE when a configuration changes all the time.
     */
    async publish<T>(
      requests: readonly ToPublish[],
      store: (publications: readonly Publication[], warnings: ErrorDetails[]) => Promise<T>,
    ): Promise<T> {
      let which: 'known' | 'newest' = 'known';
      for (let checks = 0; checks < CHECKS_AT_MOST; checks += 1) {
        // All at once, so that the channels wait beside each other; the first that refuses is the one that is named.
        const outcomes = await Promise.allSettled(requests.map((request) => check(request, which)));
        const checked = outcomes.map((outcome) => {
          if (outcome.status === 'rejected') throw outcome.reason;
          return outcome.value;
        });
        try {
          return await store(
            checked.map(({ publication }) => publication),
            checked.flatMap(({ warnings }) => warnings),
          );
        } catch (error) {
          if (!(error instanceof StaleConfigError)) throw error;
          which = 'newest';
        }
      }
      throw new ApiError('UNAVAILABLE', "The channel's configuration is changing at this moment", {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    },

    /** Says of each payload whether the channel's schemas would take it. NOT_FOUND for a missing channel. */
    async validate(
      channel: Pick<Publication, 'environmentId' | 'channelId'>,
      payloads: readonly PayloadToPublish[],
    ): Promise<Validation> {
      const { problems } = await problemsOf(channel, payloads);
      const results = problems.map((errors) => ({ valid: errors.length === 0, errors }));
      return { valid: results.every(({ valid }) => valid), results };
    },
  };
}
