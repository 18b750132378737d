import type { Dependencies } from '../../platform/dependencies.ts';
import type { Filters } from '../filters/filters.ts';
import type { KeepInPublish } from '../../api/idempotency/kept-answers.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { ApiError, notFound } from '../../kernel/errors.ts';
import type { Schemas } from '../schemas/schemas.ts';
import type { InboundMessage } from '../messages/publication.ts';
import { batchAnswerOf, messageAnswerOf, type PublishOutcome } from './answer.ts';
import { createCheck } from './check.ts';
import { type CommitObserver, createCommit } from './commit.ts';
import type { PublishTracing } from './trace-commits.ts';
import type { PublishingConfigs } from './configs/channel-configs.ts';
import { createDryRun, createFilterTrial, createMessageVerdicts } from './dry-run.ts';
import type { HandOver, OpenStreams, StorePublications } from './hand-over.ts';
import { createPrepare, payloadsToTry, type Prepared, type PublishRequest } from './prepare.ts';
import { ChannelClosedError } from './refusals.ts';
import type {
  BatchAccepted,
  PublishAcross,
  PublishBatch,
  PublishedMessage,
  PublishMessage,
  ValidateMessages,
  PayloadValidation,
} from './schema.ts';
import { subscriptionTarget } from './store.ts';

/** Default event type of test messages. */
const TEST_EVENT_TYPE = 'posthorn.test';

// If the configuration changes between each check and its commit, it is changing continuously.
const CHECKS_AT_MOST = 5;
const RETRY_AFTER_SECONDS = 1;

type Collaborators = {
  schemas: Pick<Schemas, 'check' | 'refuseBad'>;
  filters: Pick<Filters, 'evaluate' | 'measure'>;
  configs: PublishingConfigs;
  streams: OpenStreams;
  storePublications: StorePublications;
  handOver: HandOver;
  observer?: CommitObserver | undefined;
  tracing?: PublishTracing | undefined;
};
/** `keep`: the Idempotency-Key for which the response is stored. */
type Keyed<B> = PublishRequest<B> & { keep?: KeepInPublish };

export type Publishing = ReturnType<typeof createPublishing>;

/**
 * Publishing (spec §4 Messages), in four steps: prepare.ts, check.ts, commit.ts, and hand-over.ts after each commit.
 * When these functions return, everything published is in PostgreSQL.
 */
export function createPublishing(
  { pool, db, newId, clock, log }: Pick<Dependencies, 'pool' | 'db' | 'newId' | 'clock' | 'log'>,
  { schemas, filters, configs, streams, storePublications, handOver, observer, tracing }: Collaborators,
) {
  const prepare = createPrepare({ newId, clock });
  const { check, problemsIn } = createCheck({ schemas, filters, configs, newId });
  const commit = createCommit({ pool, log, storePublications, handOver, streams, observer, tracing });

  /**
   * Used by every way of publishing. If a channel has changed since the check, checks again with the newest
   * configuration. Throws UNAVAILABLE if it changes continuously.
   */
  const checkAndCommit = async (
    { toPublish, naming, asked }: Prepared,
    keep?: KeepInPublish,
  ): Promise<PublishOutcome> => {
    for (let checks = 0; checks < CHECKS_AT_MOST; checks += 1) {
      const checked = await check(toPublish, checks === 0 ? 'known' : 'newest');
      const outcome = await commit({ ...checked, naming, asked, ...(keep && { keep }) });
      if (outcome !== 'stale') return outcome;
    }
    throw new ApiError(
      'UNAVAILABLE',
      'The configuration of the channel is changing; wait as long as Retry-After says, then try again',
      {
        retryAfter: RETRY_AFTER_SECONDS,
      },
    );
  };

  return {
    /** Publishes one message. Throws NOT_FOUND for a missing channel and CONFLICT for one that is not active. */
    async publish(
      { environmentId }: Pick<EnvironmentCaller, 'environmentId'>,
      channelId: string,
      request: Keyed<PublishMessage>,
    ): Promise<PublishedMessage> {
      const prepared = prepare.single(environmentId, channelId, request);
      return messageAnswerOf(prepared.asked, await checkAndCommit(prepared, request.keep));
    },

    /** Publishes 1–100 messages, all or none (spec §4 batch rules). */
    async publishBatch(
      { environmentId }: EnvironmentCaller,
      channelId: string,
      request: Keyed<PublishBatch>,
    ): Promise<BatchAccepted> {
      const prepared = prepare.batch(environmentId, channelId, request);
      return batchAnswerOf(prepared.asked, await checkAndCommit(prepared, request.keep));
    },

    /**
     * Publishes 1–100 messages, each to the channel it names, all or none (spec §8). Throws INVALID_REQUEST for a
     * missing channel and CONFLICT for one that is not active, with the field `messages[n].channelId`.
     */
    async publishAcross({ environmentId }: EnvironmentCaller, request: Keyed<PublishAcross>): Promise<BatchAccepted> {
      const prepared = prepare.across(environmentId, request);
      return batchAnswerOf(prepared.asked, await checkAndCommit(prepared, request.keep));
    },

    /**
     * Publishes the message of an inbound webhook. If its channel is paused, the message waits until the channel is
     * active. Returns the id of the message, or of the first one for the same event. Throws NOT_FOUND for a missing
     * channel, ChannelClosedError (CONFLICT) for an archived one, and INVALID_REQUEST for a payload that violates the
     * schema.
     */
    async publishInbound(from: InboundMessage): Promise<{ messageId: string; isRepeated: boolean }> {
      const publishAs = async (isHeld: boolean): Promise<{ messageId: string; isRepeated: boolean }> => {
        const prepared = prepare.inbound(from, isHeld);
        const { ids } = batchAnswerOf(prepared.asked, await checkAndCommit(prepared));
        const messageId = ids[0] ?? '';
        return { messageId, isRepeated: messageId !== prepared.asked.messages[0]?.id };
      };
      try {
        return await publishAs(false);
      } catch (refusal) {
        if (!(refusal instanceof ChannelClosedError) || refusal.channelStatus !== 'paused') throw refusal;
        return publishAs(true);
      }
    },

    /**
     * Publishes a test message to this subscription only; it is delivered, retried and shown like any other. Throws
     * NOT_FOUND for a missing subscription, and CONFLICT for one that is not active, because the test message would
     * wait unnoticed.
     */
    async publishTest(
      { environmentId }: EnvironmentCaller,
      subscriptionId: string,
      request: Keyed<{ eventType?: string | undefined; payload?: unknown } | undefined>,
    ): Promise<PublishedMessage> {
      const target = await subscriptionTarget(db, environmentId, subscriptionId);
      if (target === undefined) throw notFound('subscription');
      if (target.status !== 'active') {
        throw new ApiError(
          'CONFLICT',
          `The subscription is ${target.status}; resume it before you send a test message`,
        );
      }
      const { channelId } = target;
      const eventType = request.body?.eventType ?? TEST_EVENT_TYPE;
      const prepared = prepare.test(environmentId, { subscriptionId, channelId, eventType }, request);
      return messageAnswerOf(prepared.asked, await checkAndCommit(prepared, request.keep));
    },

    /**
     * Checks payloads against the schemas of the channel, or those of the request in their place. Publishes and stores
     * nothing. Throws NOT_FOUND for a missing channel and INVALID_REQUEST for a schema that no channel could have.
     */
    async validate(
      { environmentId }: EnvironmentCaller,
      channelId: string,
      request: Pick<PublishRequest<ValidateMessages>, 'body' | 'bodyText'>,
    ): Promise<PayloadValidation> {
      const payloads = payloadsToTry(channelId, request);
      const { problems } = await problemsIn({ environmentId, channelId }, payloads, request.body);
      const results = problems.map((errors) => ({ valid: errors.length === 0, errors }));
      return { valid: results.every(({ valid }) => valid), results };
    },

    /** Previews who would receive a message and who would not, and why; see ./dry-run.ts. */
    dryRun: createDryRun({ db, clock }, { problemsIn, filters }),

    /** Previews who would receive a stored message now, and shows who has it; see ./dry-run.ts. */
    verdictsOn: createMessageVerdicts({ db, clock }, { filters }),

    /** Tests which of the newest messages a filter matches; see ./dry-run.ts. */
    testFilter: createFilterTrial({ db }, { filters }),
  };
}
