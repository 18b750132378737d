import type { KeepInPublish } from '../idempotency/kept-answers.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Filters } from '../filters/filters.ts';
import type { EnvironmentCaller } from '../identity/caller.ts';
import type { Schemas } from '../schemas/schemas.ts';
import { ApiError, type ErrorDetails, notFound } from '../kernel/api-error.ts';
import { mayBeSentForMs } from '../kernel/erasure.ts';
import { ExactJson } from '../kernel/exact-json.ts';
import { type HandOver, noHandOver } from './hand-over.ts';
import { timeOfId } from '../kernel/ids.ts';
import { idsWithin, windowText } from '../kernel/instant.ts';
import { readTraceContext } from '../kernel/trace-context.ts';
import { pageRequest, type ListScope, type Page, toPage } from '../kernel/page.ts';
import { createCheckedPublish, type ToPublish } from './check.ts';
import { createDryRun } from './dry-run.ts';
import { toCheck } from './payload-check.ts';
import { batchPayloadTexts, payloadText } from './payload-text.ts';
import { eraseMessage } from '../messages/erasure-store.ts';
import { createNewMessages } from './prepare.ts';
import { batchPlace, type Place, refuseDoubles, refuseOtherChannel, singlePlace } from './refusals.ts';
import { createPublisher } from './commit.ts';
import type { NewMessage, Publication } from './store.ts';
import type { UnitOutcome } from './publisher-ids-store.ts';
import type {
  BatchAccepted,
  ListMessages,
  Message,
  PublishAcross,
  PublishBatch,
  PublishedMessage,
  PublishMessage,
  ValidateMessages,
  Validation,
} from '../messages/schema.ts';
import { createScheduled } from '../scheduling/service.ts';
import { createStoreAll, type Outcome } from './store-all.ts';
import * as store from '../messages/store.ts';
import { createStreams } from '../streams/service.ts';

/** The eventType of a subscription's test message when its caller names none. */
export const TEST_EVENT_TYPE = 'posthorn.test';

const RETRY_AFTER_SECONDS = 1;

/** Content of a publish request. `header` gives the trace it belongs to, `hops` counts the deliveries that stand before it. */
type Published<B> = {
  body: B;
  bodyText: string;
  header: (name: 'traceparent' | 'tracestate') => string | undefined;
  hops?: number;
  keep?: KeepInPublish;
};

/** The messages of one request, and where in its body each one stands. */
type Request = { requests: readonly ToPublish[]; place: Place } & Pick<Published<unknown>, 'header' | 'hops' | 'keep'>;
type Answered = Outcome & { warnings: ErrorDetails[] };

export type Messages = ReturnType<typeof createMessages>;

/** Publishing and reading messages (spec §4 Messages). Everything published is in PostgreSQL when these return. */
export function createMessages(
  { pool, db, newId, clock, log }: Pick<Dependencies, 'pool' | 'db' | 'newId' | 'clock' | 'log'>,
  { schemas, filters }: { schemas: Pick<Schemas, 'check'>; filters: Pick<Filters, 'evaluate' | 'measure'> },
  handOver: HandOver = noHandOver,
) {
  const publisher = createPublisher(pool, log, handOver);
  const checked = createCheckedPublish(pool, { schemas, filters });
  const dryRun = createDryRun({ db, clock }, { checked, filters });
  const streams = createStreams({ pool, log });
  const storeAll = createStoreAll(publisher);
  const { newMessage, newMessages } = createNewMessages({ newId, clock });
  const scheduled = createScheduled({ pool, db, clock });

  /** Every way of publishing ends here: checks the payloads against the channels' schemas, then stores them (`storeAll`). */
  const publishAll = async <T>(
    { requests, place, header, hops = 0, keep }: Request,
    toAnswer: (outcome: Answered) => Promise<T> | T,
  ): Promise<T> => {
    const origin = { ...traceOf(header), ...(hops > 0 && { hops }) };
    const answer = await checked.publish(requests, (checkedOnes, warnings) => {
      const publications = checkedOnes.map((publication) => ({ ...publication, ...origin }));
      return storeAll({ publications, place, ...(keep && { keep }) }, (outcome) => toAnswer({ ...outcome, warnings }));
    });
    for (const { publication } of requests) streams.wake(publication.channelId);
    return answer;
  };

  /** The message that stands for this one: itself, or the first one with its publisher's id, as it is now. */
  const standing = async (
    environmentId: string,
    message: NewMessage,
    accepted: (message: NewMessage) => PublishedMessage,
    repeated: UnitOutcome['repeated'],
  ): Promise<PublishedMessage> => {
    const first = repeated.get(message.id);
    if (first === undefined) return accepted(message);
    const publishedAt = timeOfId('message', first.messageId) ?? message.publishedAt;
    // Its retention may have ended before its id did; the caller has just shown what was in it.
    return (
      (await scheduled.findAny(environmentId, first.messageId)) ??
      accepted({ ...message, id: first.messageId, publishedAt })
    );
  };

  const toAccepted = (
    channelId: string,
    message: NewMessage,
    { routed, warnings }: Pick<Answered, 'routed' | 'warnings'>,
  ): PublishedMessage => ({
    id: message.id,
    channelId,
    eventType: message.eventType,
    payload: new ExactJson(message.payload),
    ...(message.metadata !== undefined && { metadata: message.metadata }),
    publishedAt: message.publishedAt,
    ...(message.isScheduled && { deliverAt: message.publishedAt }),
    deliveryStatus: message.isScheduled ? 'scheduled' : routed.has(message.id) ? 'pending' : 'unrouted',
    ...(warnings.length > 0 && { warnings }),
  });

  const accept = (messages: readonly NewMessage[], { repeated, warnings }: Answered): BatchAccepted => ({
    count: messages.length,
    ids: messages.map(({ id }) => repeated.get(id)?.messageId ?? id),
    status: 'accepted',
    ...(warnings.length > 0 && { warnings }),
  });

  return {
    /** Publishes one message. NOT_FOUND for a missing channel, CONFLICT for one that is not active. */
    async publish(
      { environmentId }: EnvironmentCaller,
      channelId: string,
      { body, bodyText, ...carried }: Published<PublishMessage>,
    ): Promise<PublishedMessage> {
      refuseOtherChannel(channelId, [body], atSingle);
      const message = newMessage(body, payloadText(bodyText));
      const payload = { eventType: body.eventType, payload: body.payload, text: message.payload, at: ['payload'] };
      const requests = [{ publication: { environmentId, channelId, messages: [message] }, payloads: [payload] }];
      return publishAll({ requests, place: singlePlace, ...carried }, (outcome) =>
        standing(environmentId, message, (it) => toAccepted(channelId, it, outcome), outcome.repeated),
      );
    },

    /** Publishes 1–100 messages, all or none (spec §4 batch rules). */
    async publishBatch(
      { environmentId }: EnvironmentCaller,
      channelId: string,
      { body, bodyText, ...carried }: Published<PublishBatch>,
    ): Promise<BatchAccepted> {
      refuseOtherChannel(channelId, body.messages, atEach);
      const texts = batchPayloadTexts(bodyText);
      const messages = newMessages(body, texts);
      refuseDoubles(messages.map(({ publisher }) => publisher?.id));
      return publishAll(
        {
          requests: [{ publication: { environmentId, channelId, messages }, payloads: toCheck(body, texts) }],
          place: batchPlace(messages),
          ...carried,
        },
        (outcome) => accept(messages, outcome),
      );
    },

    /**
     * Publishes 1–100 messages, each to the channel it names, all or none (spec §8). INVALID_REQUEST for a missing channel,
     * CONFLICT for one that is not active, with `messages[n].channelId` as the field.
     */
    async publishAcross(
      { environmentId }: EnvironmentCaller,
      { body, bodyText, ...carried }: Published<PublishAcross>,
    ): Promise<BatchAccepted> {
      const texts = batchPayloadTexts(bodyText);
      const messages = newMessages(body, texts);
      const channelIds = body.messages.map(({ channelId }) => channelId);
      refuseDoubles(messages.map(({ publisher }, index) => publisher && `${publisher.id} ${channelIds[index]}`));
      const payloads = toCheck(body, texts);
      const requests = [...new Set(channelIds)].map((channelId) => ({
        publication: {
          environmentId,
          channelId,
          messages: messages.filter((_, index) => channelIds[index] === channelId),
        },
        payloads: payloads.filter((_, index) => channelIds[index] === channelId),
      }));
      return publishAll({ requests, place: { ...batchPlace(messages), namesChannel: true }, ...carried }, (outcome) =>
        accept(messages, outcome),
      );
    },

    /** Says of each payload whether the channel's schemas would take it. Publishes nothing. NOT_FOUND for a missing channel. */
    validate(
      { environmentId }: EnvironmentCaller,
      channelId: string,
      { body, bodyText }: Pick<Published<ValidateMessages>, 'body' | 'bodyText'>,
    ): Promise<Validation> {
      refuseOtherChannel(channelId, body.messages ?? [body], body.messages === undefined ? atSingle : atEach);
      const payloads =
        body.messages === undefined
          ? [{ eventType: body.eventType ?? '', payload: body.payload, text: payloadText(bodyText), at: ['payload'] }]
          : toCheck({ messages: body.messages }, batchPayloadTexts(bodyText)).map((each) => ({
              ...each,
              at: ['payload'],
            }));
      return checked.validate({ environmentId, channelId }, payloads);
    },

    /** Who would get a message, and why not; see ./dry-run.ts. */
    dryRun,

    /**
     * Publishes a test message that only this subscription gets, delivered, retried and shown like any other.
     * NOT_FOUND for a missing subscription; CONFLICT for one that is not active, since the test would wait unseen.
     */
    async publishTest(
      caller: EnvironmentCaller,
      subscriptionId: string,
      { body, bodyText, ...carried }: Published<{ eventType?: string | undefined; payload?: unknown } | undefined>,
    ): Promise<PublishedMessage> {
      const target = await store.subscriptionTarget(db, caller.environmentId, subscriptionId);
      if (target === undefined) throw notFound('subscription');
      if (target.status !== 'active') {
        throw new ApiError('CONFLICT', `The subscription is ${target.status}; resume it before testing it`);
      }
      const isOwnPayload = body?.payload !== undefined;
      const payload = isOwnPayload ? payloadText(bodyText) : '{"test":true}';
      const eventType = body?.eventType ?? TEST_EVENT_TYPE;
      const message = newMessage({ eventType, payload: {} }, payload);
      const { channelId } = target;
      const { environmentId } = caller;
      const publication = { environmentId, channelId, onlySubscriptionId: subscriptionId, messages: [message] };
      // The platform's own payload is to reach the endpoint whatever the channel's schemas ask for.
      const payloads = isOwnPayload ? [{ eventType, payload: body?.payload, text: payload, at: ['payload'] }] : [];
      return publishAll({ requests: [{ publication, payloads }], place: singlePlace, ...carried }, (outcome) =>
        toAccepted(channelId, message, outcome),
      );
    },

    /** Messages of a channel, newest first; of a deleted channel too, until their retention ends. */
    async list(caller: EnvironmentCaller, channelId: string, query: ListMessages): Promise<Page<Message>> {
      const { environmentId } = caller;
      const { limit, eventType, since, until } = query;
      if (!(await store.channelExists(db, environmentId, channelId))) throw notFound('channel');
      const filters = { eventType, ...windowText({ since, until }) };
      const scope: ListScope = { list: `messages of ${channelId}`, environmentId, filters };
      const filter = { environmentId, channelId, eventType, ids: idsWithin('message', { since, until }) };
      const found = await store.listMessages(db, filter, pageRequest(scope, query));
      return toPage(scope, limit, found, (message) => message);
    },

    /** Messages that wait in a channel, or were cancelled; see `list` of ./scheduled.ts. */
    listScheduled: scheduled.list,

    /** Cancels a message that waits; see `cancel` of ./scheduled.ts. */
    cancel: scheduled.cancel,

    /** Messages of a channel as they commit; see `open` of ./streams.ts. */
    stream: streams.open,

    async get(caller: EnvironmentCaller, messageId: string): Promise<Message> {
      const message = await scheduled.findAny(caller.environmentId, messageId);
      if (message === undefined) throw notFound('message');
      return message;
    },

    /**
     * Erases payload, metadata and what receivers answered, for good; ends what is unfinished of it and discards its open
     * dead letters. Erasing again changes nothing. Returns once no process can begin a request with it any more: at most
     * 1.25 s later, when it was about to be sent. A message that waits for its time is cancelled by it. UNAVAILABLE while its deliveries are too busy to be ended.
     */
    async erase(caller: EnvironmentCaller, messageId: string): Promise<void> {
      if (await scheduled.erase(caller.environmentId, messageId)) return;
      const erased = await eraseMessage(pool, caller.environmentId, messageId);
      if (erased === undefined) throw notFound('message');
      if (erased === 'busy') {
        throw new ApiError('UNAVAILABLE', 'The message is too busy to be erased', { retryAfter: RETRY_AFTER_SECONDS });
      }
      const waitMs = erased.wasAboutToBeSent ? mayBeSentForMs(erased.agoMs) : 0;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    },
  };
}

const atSingle = (): string => '';
const atEach = (index: number): string => `messages[${index}].`;

/** The trace of a publish request, for its messages; nothing when it names none. */
function traceOf(header: Request['header']): Pick<Publication, 'trace'> {
  const traceparent = header('traceparent');
  return traceparent === undefined ? {} : { trace: readTraceContext(traceparent, header('tracestate')) };
}
