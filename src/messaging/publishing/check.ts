import type { Filters } from '../filters/filters.ts';
import { ApiError, type ErrorDetails, invalidField, notFound } from '../../kernel/errors.ts';
import { fieldPath } from '../../kernel/values/text.ts';
import { isId } from '../../kernel/values/ids.ts';
import type { NewMessage, NewRun, Publication } from '../messages/publication.ts';
import type { NewId } from '../../platform/new-id.ts';
import { type Budget, newBudget, type Schemas } from '../schemas/schemas.ts';
import { type PublishingConfigs, type PublishingConfig, heardOf, findMatches } from './configs/channel-configs.ts';
import { runsOf } from './configs/new-runs.ts';
import type { PublishedPayload, ToPublish } from './prepare.ts';
import type { ValidateMessages } from './schema.ts';

/**
 * Valid publications, each with the version of its channel's configuration and the matches of the channel's filters.
 */
export type CheckedPublications = { publications: readonly Publication[]; warnings: readonly ErrorDetails[] };

/** `known` uses the cached configuration of a channel if there is one; `newest` queries PostgreSQL. */
export type WhichConfig = 'known' | 'newest';

export type CheckPublications = ReturnType<typeof createCheck>;

/** By message id, for messages with a client-supplied id: the error for their payload. */
type Misfits = ReadonlyMap<string, ApiError>;

/** Checks payloads against the schemas and filters of channels, whose configurations each process caches by version. */
export function createCheck({
  schemas,
  filters,
  configs,
  newId,
}: {
  schemas: Pick<Schemas, 'check' | 'refuseBad'>;
  filters: Pick<Filters, 'evaluate'>;
  configs: PublishingConfigs;
  newId: NewId;
}) {
  /** Returns undefined for a channel that is missing, deleted, or in another environment. */
  const configOf = (
    { environmentId, channelId }: Pick<Publication, 'environmentId' | 'channelId'>,
    which: WhichConfig,
  ): PublishingConfig | undefined | Promise<PublishingConfig | undefined> => {
    if (!isId('channel', channelId)) return undefined;
    return which === 'known' ? configs.of(environmentId, channelId) : configs.newest(environmentId, channelId);
  };

  /**
   * Returns where a payload violates the schemas: at most one problem for each of the two that may apply. All channels
   * of an environment share one key, because a tenant can have any number of them and one thread checks for all
   * tenants.
   */
  const problemsOf = async (
    environmentId: string,
    { schema, schemas: byType }: PublishingConfig,
    { eventType, payload, text, at }: PublishedPayload,
    budget: Budget,
  ): Promise<ErrorDetails[]> => {
    const problems: ErrorDetails[] = [];
    for (const each of [schema, byType.get(eventType)]) {
      if (each === undefined) continue;
      const found = schemas.check(each, { key: environmentId, payload, text }, budget);
      const misfit = found instanceof Promise ? await found : found;
      if (misfit !== undefined) problems.push({ field: fieldPath([...at, ...misfit.place]), reason: misfit.reason });
    }
    return problems;
  };

  /** Returns all problems of each payload, in order, whatever the mode of the channel. */
  const problemsOfEach = async (
    environmentId: string,
    config: PublishingConfig,
    payloads: readonly PublishedPayload[],
  ): Promise<ErrorDetails[][]> => {
    const budget = newBudget();
    const problems: ErrorDetails[][] = [];
    for (const payload of payloads) problems.push(await problemsOf(environmentId, config, payload, budget));
    return problems;
  };

  /** A channel that only warns also accepts what cannot be checked: its schema must not be what stops a publish. */
  const warningsOf = async (
    environmentId: string,
    config: PublishingConfig,
    payloads: readonly PublishedPayload[],
  ): Promise<ErrorDetails[]> => {
    try {
      return (await problemsOfEach(environmentId, config, payloads)).flat();
    } catch (error) {
      const { message } = asApiError(error);
      return [{ field: fieldPath(payloads[0]?.at.slice(0, 1) ?? []), reason: `could not be checked: ${message}` }];
    }
  };

  /**
   * Throws INVALID_REQUEST for the first payload that violates a schema, or returns warnings if the channel only warns.
   * A message with a client-supplied or provider's id may repeat one that the channel accepted before its schema
   * changed. Its error is returned in `misfits` by its id, and the transaction that knows the ids decides
   * (refusals.ts).
   */
  const checkPayloads = async (
    config: PublishingConfig,
    { publication, payloads }: ToPublish,
  ): Promise<{ warnings: ErrorDetails[]; misfits: Misfits }> => {
    const misfits = new Map<string, ApiError>();
    if (config.mode === 'warn')
      return { warnings: await warningsOf(publication.environmentId, config, payloads), misfits };
    const budget = newBudget();
    for (const [index, payload] of payloads.entries()) {
      const [problem] = await problemsOf(publication.environmentId, config, payload, budget);
      if (problem === undefined) continue;
      const refusal = invalidField(problem.field, problem.reason);
      const message = publication.messages[index];
      if (message === undefined || (message.publisher ?? message.inbound) === undefined) throw refusal;
      misfits.set(message.id, refusal);
    }
    return { warnings: [], misfits };
  };

  /**
   * Returns the matches of filters. A test message goes to its subscription whatever its filter says; for scheduled
   * messages, the recipients are determined when they are due.
   */
  const matchesOf = async (
    { channelId, messages, onlySubscriptionId }: Publication,
    config: PublishingConfig,
  ): Promise<Pick<Publication, 'matches'>> => {
    if (onlySubscriptionId !== undefined) return {};
    return { matches: await findMatches(filters, channelId, config, atOnce(messages)) };
  };

  /**
   * Returns the workflow runs that messages start, and the messages that steps may be waiting for. A test message is
   * only for its subscription: it starts nothing and nothing waits for it.
   */
  const begunBy = async (
    publication: Publication,
    config: PublishingConfig,
  ): Promise<Pick<Publication, 'runs' | 'heard'>> => {
    if (publication.onlySubscriptionId !== undefined) return {};
    const messages = atOnce(publication.messages);
    const heard = heardOf(config, messages);
    const runs: NewRun[] = [];
    if (config.triggers.length > 0)
      for (const message of messages) runs.push(...(await runsOf({ filters, newId }, publication, config, message)));
    return { ...(runs.length > 0 && { runs }), ...(heard.length > 0 && { heard }) };
  };

  /**
   * Throws the rejection of a channel, and accepts misfits as final, only after its newest configuration has confirmed
   * them.
   */
  const checkOne = async (
    { publication, payloads }: ToPublish,
    which: WhichConfig,
  ): Promise<{ publication: Publication; warnings: readonly ErrorDetails[] }> => {
    const read = configOf(publication, which);
    const config = read instanceof Promise ? await read : read;
    // The statement that stores the publication will report what is wrong with the channel.
    if (config === undefined) return { publication, warnings: [] };
    const found = hasSchemas(config) ? await checkPayloads(config, { publication, payloads }).catch(asApiError) : FITS;
    if (found instanceof ApiError || found.misfits.size > 0) {
      // Another process may have relaxed the schema. If the version is unchanged, checking again would be pointless.
      const newest = which === 'known' ? await configOf(publication, 'newest') : config;
      if (newest?.version !== config.version) return checkOne({ publication, payloads }, 'newest');
    }
    if (found instanceof ApiError) throw found;
    const known = withMisfits(publication, found.misfits);
    const matches = config.filters.length === 0 ? {} : await matchesOf(known, config);
    const concerns = config.listens.length + config.triggers.length > 0;
    const begun = concerns ? await begunBy(known, config) : {};
    const { version: configVersion, width } = config;
    return { publication: { ...known, configVersion, width, ...matches, ...begun }, warnings: found.warnings };
  };

  return {
    /** Checks all channels concurrently. Throws INVALID_REQUEST of the first one that rejects a payload. */
    async check(toPublish: readonly ToPublish[], which: WhichConfig): Promise<CheckedPublications> {
      const [first, ...others] = toPublish;
      if (first !== undefined && others.length === 0) {
        const { publication, warnings } = await checkOne(first, which);
        return { publications: [publication], warnings };
      }
      const outcomes = await Promise.allSettled(toPublish.map((each) => checkOne(each, which)));
      const checked = outcomes.map((outcome) => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
      });
      return {
        publications: checked.map(({ publication }) => publication),
        warnings: checked.flatMap(({ warnings }) => warnings),
      };
    },

    /**
     * Returns the problems of each payload, and whether the channel rejects invalid ones. `tried` replaces the schemas
     * of the channel. Throws NOT_FOUND for a missing channel and INVALID_REQUEST for a schema that no channel could
     * have.
     */
    async problemsIn(
      channel: Pick<Publication, 'environmentId' | 'channelId'>,
      payloads: readonly PublishedPayload[],
      tried: TriedSchemas = {},
    ): Promise<{ mode: PublishingConfig['mode']; problems: ErrorDetails[][] }> {
      const config = await configOf(channel, 'newest');
      if (config === undefined) throw notFound('channel');
      await schemas.refuseBad(channel.environmentId, tried);
      const problems = await problemsOfEach(channel.environmentId, withTried(config, tried), payloads);
      return { mode: config.mode, problems };
    },
  };
}

type TriedSchemas = Pick<ValidateMessages, 'schema' | 'schemas'>;

/** Returns the configuration with the given schemas in place of its own, if there are any. */
function withTried(config: PublishingConfig, { schema, schemas }: TriedSchemas): PublishingConfig {
  if (schema === undefined && schemas === undefined) return config;
  const ofTypes = Object.entries(schemas ?? {}).map(([type, each]) => [type, JSON.stringify(each)] as const);
  return { ...config, schema: schema && JSON.stringify(schema), schemas: new Map(ofTypes) };
}

const hasSchemas = ({ schema, schemas }: PublishingConfig): boolean => schema !== undefined || schemas.size > 0;

/** The result for a channel without schemas. */
const FITS: { warnings: readonly ErrorDetails[]; misfits: Misfits } = { warnings: [], misfits: new Map() };

/** Returns the messages to publish now, without those that are scheduled, repeat an earlier one or are rejected. */
const atOnce = (messages: readonly NewMessage[]): NewMessage[] =>
  messages.filter(({ isScheduled, unlessKnown }) => isScheduled !== true && unlessKnown === undefined);

function withMisfits(publication: Publication, misfits: Misfits): Publication {
  if (misfits.size === 0) return publication;
  const messages = publication.messages.map((message) => {
    const unlessKnown = message.unlessKnown ?? misfits.get(message.id);
    return unlessKnown === undefined ? message : { ...message, unlessKnown };
  });
  return { ...publication, messages };
}

/** Returns the ApiError that a check has thrown; throws anything else. */
function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
