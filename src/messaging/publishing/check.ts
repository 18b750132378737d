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

/** Publications that fit: each with the version of its channel's configuration, and the matches of the channel's filters. */
export type CheckedPublications = { publications: readonly Publication[]; warnings: readonly ErrorDetails[] };

/** `known` asks no one where this process knows a channel's configuration; `newest` asks PostgreSQL. */
export type WhichConfig = 'known' | 'newest';

export type CheckPublications = ReturnType<typeof createCheck>;

/** By id of a message with a publisher's id: the refusal of its payload. */
type Misfits = ReadonlyMap<string, ApiError>;

/** Schemas and filters of the channels, whose configuration each process remembers by its version. */
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
  /** Undefined for a channel that is missing, foreign or deleted. */
  const configOf = (
    { environmentId, channelId }: Pick<Publication, 'environmentId' | 'channelId'>,
    which: WhichConfig,
  ): PublishingConfig | undefined | Promise<PublishingConfig | undefined> => {
    if (!isId('channel', channelId)) return undefined;
    return which === 'known' ? configs.of(environmentId, channelId) : configs.newest(environmentId, channelId);
  };

  /**
   * Where one payload does not fit: at most one problem for each of the two schemas that may hold. Channels of one environment take one
   * turn: a tenant may have any number of them, and one thread checks for all tenants.
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

  /** All problems of each payload, in their order, whatever the channel's mode. */
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

  /** A channel that warns takes what cannot be checked as well: its schema must not be what stops it. */
  const warningsOf = async (
    environmentId: string,
    config: PublishingConfig,
    payloads: readonly PublishedPayload[],
  ): Promise<ErrorDetails[]> => {
    try {
      return (await problemsOfEach(environmentId, config, payloads)).flat();
    } catch (error) {
      const { message } = asApiError(error);
      return [{ field: fieldPath(payloads[0]?.at.slice(0, 1) ?? []), reason: `was not checked: ${message}` }];
    }
  };

  /**
   * INVALID_REQUEST for the first payload that does not fit; what a channel that only warns has to say otherwise. A misfit with a
   * publisher's or a provider's id may repeat a message that the channel took before its schema changed: `misfits` has it by its id, and
   * the transaction that knows the ids decides (refusals.ts).
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

  /** A test message is for its subscription whatever that one's filter says; what waits is for whoever wants it at its time. */
  const matchesOf = async (
    { channelId, messages, onlySubscriptionId }: Publication,
    config: PublishingConfig,
  ): Promise<Pick<Publication, 'matches'>> => {
    if (onlySubscriptionId !== undefined) return {};
    return { matches: await findMatches(filters, channelId, config, atOnce(messages)) };
  };

  /** A test message is its subscription's alone: it begins nothing, and nothing waits for it. */
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

  /** Throws the refusal of a channel, and lets misfits stand, once its newest configuration says the same. */
  const checkOne = async (
    { publication, payloads }: ToPublish,
    which: WhichConfig,
  ): Promise<{ publication: Publication; warnings: readonly ErrorDetails[] }> => {
    const read = configOf(publication, which);
    const config = read instanceof Promise ? await read : read;
    // The statement that stores it says what is wrong with such a channel.
    if (config === undefined) return { publication, warnings: [] };
    const found = hasSchemas(config) ? await checkPayloads(config, { publication, payloads }).catch(asApiError) : FITS;
    if (found instanceof ApiError || found.misfits.size > 0) {
      // Another process may have loosened what refuses here. An unchanged schema would be checked a second time for nothing.
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
    /** All channels at once, so that they wait beside each other; INVALID_REQUEST of the first one that refuses a payload. */
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
     * Problems that the schemas find in each payload, and whether the channel refuses one that does not fit. `tried` stands in place of the
     * channel's schemas. NOT_FOUND for a missing channel, INVALID_REQUEST for a schema that no channel could have.
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

/** The configuration with the schemas that are tried in place of its own, if any is. */
function withTried(config: PublishingConfig, { schema, schemas }: TriedSchemas): PublishingConfig {
  if (schema === undefined && schemas === undefined) return config;
  const ofTypes = Object.entries(schemas ?? {}).map(([type, each]) => [type, JSON.stringify(each)] as const);
  return { ...config, schema: schema && JSON.stringify(schema), schemas: new Map(ofTypes) };
}

const hasSchemas = ({ schema, schemas }: PublishingConfig): boolean => schema !== undefined || schemas.size > 0;

/** All that a channel without schemas finds. */
const FITS: { warnings: readonly ErrorDetails[]; misfits: Misfits } = { warnings: [], misfits: new Map() };

/** Messages that are published now: not those that wait for their time, nor those that repeat an earlier one or are refused. */
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

/** The refusal that a check has thrown; throws on what is none. */
function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
