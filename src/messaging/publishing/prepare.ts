import { createHash } from 'node:crypto';
import type { Dependencies } from '../../platform/dependencies.ts';
import { invalidField, type ApiError } from '../../kernel/errors.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import { readTraceContext } from '../../kernel/values/trace-context.ts';
import type { InboundMessage, NewMessage, Publication } from '../messages/publication.ts';
import type { AskedPublish, AskedBatch, AskedMessage } from './answer.ts';
import type { PublishAcross, PublishBatch, PublishMessage, ValidateMessages } from './schema.ts';
import { MESSAGE_LIMITS } from '../messages/schema.ts';
import { elementSpans, memberSpan, wholeSpan } from '../../kernel/values/exact-json.ts';

/**
 * Content of a publish request. `header` gives the trace it belongs to, `hops` counts the deliveries that stand before it, and
 * `chainDepth` the runs of workflows.
 */
export type PublishRequest<B> = {
  body: B;
  bodyText: string;
  header: (name: 'traceparent' | 'tracestate') => string | undefined;
  hops?: number;
  chainDepth?: number;
};

/** How a refusal names a message: by where it stands in the body of its request. */
export type MessageNaming = {
  /** `messages[3].` in a batch, nothing for a single message. */
  of: (messageId: string) => string;
  /** The body names the channel, not the path: a missing one is then INVALID_REQUEST. */
  namesChannel?: true;
};

/** A payload before it is stored: parsed, as its text, and where its publisher wrote it (`['messages', 2, 'payload']`). */
export type PublishedPayload = {
  eventType: string;
  payload: unknown;
  text: string;
  at: readonly (string | number)[];
};

/** Messages of one channel with the payloads that its schemas are to be asked about. */
export type ToPublish = { publication: Publication; payloads: readonly PublishedPayload[] };

/** A request as the other steps take it: one entry of `toPublish` for each channel, and the answer that is asked for. */
export type Prepared<A extends AskedPublish = AskedPublish> = {
  toPublish: readonly ToPublish[];
  naming: MessageNaming;
  asked: A;
};

export const singleNaming: MessageNaming = { of: () => '' };

/** Reads requests: messages with their ids and times, trace and hops, and where in the body each message stands. */
export function createPrepare({ newId, clock }: Pick<Dependencies, 'newId' | 'clock'>) {
  /** `at` is where it stands in the request. INVALID_REQUEST for a time that neither it nor a repeat can be published at. */
  const newMessage = (message: PublishMessage, payload: string, at = ''): NewMessage => {
    const { eventType, metadata } = message;
    const now = clock();
    // A repeat is known by its id alone, however long ago its time was: that is found out where it would be stored.
    const mayRepeat = message.id !== undefined && message.delay === undefined;
    const unlessKnown = mayRepeat ? problemOfPast(message, now, at) : undefined;
    const time = unlessKnown === undefined ? timeToPublish(message, now, at) : undefined;
    const id = newId('message', time);
    return {
      id,
      eventType,
      payload,
      metadata,
      publishedAt: timeOfId('message', id) ?? now,
      ...(time !== undefined && { isScheduled: true }),
      ...(unlessKnown !== undefined && { unlessKnown }),
      ...(message.id !== undefined && {
        publisher: { id: message.id, hash: contentHash({ eventType, payload, metadata }, message) },
      }),
    };
  };

  const newMessages = ({ messages }: PublishBatch, texts: readonly string[]): NewMessage[] =>
    messages.map((message, index) => newMessage(message, texts[index] ?? '{}', `messages[${index}].`));

  return {
    single(environmentId: string, channelId: string, request: PublishRequest<PublishMessage>): Prepared<AskedMessage> {
      const { body, bodyText } = request;
      refuseOtherChannel(channelId, [body], atSingle);
      const message = newMessage(body, payloadText(bodyText));
      const publication = { environmentId, channelId, messages: [message], ...originOf(request) };
      const payload = { eventType: body.eventType, payload: body.payload, text: message.payload, at: ['payload'] };
      return {
        toPublish: [{ publication, payloads: [payload] }],
        naming: singleNaming,
        asked: { kind: 'message', channelId, message },
      };
    },

    batch(environmentId: string, channelId: string, request: PublishRequest<PublishBatch>): Prepared<AskedBatch> {
      const { body, bodyText } = request;
      refuseOtherChannel(channelId, body.messages, atEach);
      const texts = batchPayloadTexts(bodyText);
      const messages = newMessages(body, texts);
      refuseDoubles(messages.map(({ publisher }) => publisher?.id));
      const publication = { environmentId, channelId, messages, ...originOf(request) };
      return {
        toPublish: [{ publication, payloads: payloadsOf(body, texts) }],
        naming: batchNaming(messages),
        asked: { kind: 'batch', messages },
      };
    },

    /** One publication for each channel that the messages name. */
    across(environmentId: string, request: PublishRequest<PublishAcross>): Prepared<AskedBatch> {
      const { body, bodyText } = request;
      const texts = batchPayloadTexts(bodyText);
      const messages = newMessages(body, texts);
      const channelIds = body.messages.map(({ channelId }) => channelId);
      refuseDoubles(messages.map(({ publisher }, index) => publisher && `${publisher.id} ${channelIds[index]}`));
      const payloads = payloadsOf(body, texts);
      const origin = originOf(request);
      const toPublish = [...new Set(channelIds)].map((channelId) => {
        const isOfChannel = (_: unknown, index: number): boolean => channelIds[index] === channelId;
        const publication = { environmentId, channelId, messages: messages.filter(isOfChannel), ...origin };
        return { publication, payloads: payloads.filter(isOfChannel) };
      });
      return {
        toPublish,
        naming: { ...batchNaming(messages), namesChannel: true },
        asked: { kind: 'batch', messages },
      };
    },

    /** The message of an inbound webhook. `isHeld`: its channel is paused, and it waits there from now on. */
    inbound(from: InboundMessage, isHeld: boolean): Prepared<AskedBatch> {
      const { environmentId, channelId, eventType, payloadText: text, payload, metadata, request, ...origin } = from;
      const { webhookId, eventId } = request;
      const now = clock();
      const time = isHeld ? now : undefined;
      const id = newId('message', time);
      const message: NewMessage = {
        id,
        eventType,
        payload: text,
        metadata,
        publishedAt: timeOfId('message', id) ?? now,
        ...(isHeld && { isScheduled: true }),
        ...(eventId !== undefined && { inbound: { webhookId, eventId } }),
        receipt: { id: newId('inboundReceipt'), ...request },
      };
      const held = isHeld ? ({ isHeldWhilePaused: true } as const) : {};
      const publication = { environmentId, channelId, messages: [message], ...held, ...originOf(origin) };
      return {
        toPublish: [{ publication, payloads: [{ eventType, payload, text, at: ['payload'] }] }],
        naming: singleNaming,
        asked: { kind: 'batch', messages: [message] },
      };
    },

    /** A test message: its payload is the platform's own unless the caller gives one, and its own fits every schema. */
    test(
      environmentId: string,
      { subscriptionId, channelId, eventType }: { subscriptionId: string; channelId: string; eventType: string },
      request: PublishRequest<{ payload?: unknown } | undefined>,
    ): Prepared<AskedMessage> {
      const { body, bodyText } = request;
      const isOwnPayload = body?.payload !== undefined;
      const text = isOwnPayload ? payloadText(bodyText) : '{"test":true}';
      const message = newMessage({ eventType, payload: {} }, text);
      return {
        toPublish: [
          {
            publication: {
              environmentId,
              channelId,
              onlySubscriptionId: subscriptionId,
              messages: [message],
              ...originOf(request),
            },
            // The platform's own payload is to reach the endpoint whatever the channel's schemas ask for.
            payloads: isOwnPayload ? [{ eventType, payload: body?.payload, text, at: ['payload'] }] : [],
          },
        ],
        naming: singleNaming,
        asked: { kind: 'message', channelId, message },
      };
    },
  };
}

/** The payloads of a request that only tries them. */
export function payloadsToTry(
  channelId: string,
  { body, bodyText }: Pick<PublishRequest<ValidateMessages>, 'body' | 'bodyText'>,
): PublishedPayload[] {
  const { messages } = body;
  refuseOtherChannel(channelId, messages ?? [body], messages === undefined ? atSingle : atEach);
  const at = ['payload'];
  if (messages === undefined)
    return [{ eventType: body.eventType ?? '', payload: body.payload, text: payloadText(bodyText), at }];
  return payloadsOf({ messages }, batchPayloadTexts(bodyText)).map((each) => ({ ...each, at }));
}

/** Trace, hops and depth of a request, for its messages; nothing where it has none. */
function originOf({
  header,
  hops = 0,
  chainDepth = 0,
}: Pick<PublishRequest<unknown>, 'header' | 'hops' | 'chainDepth'>) {
  const traceparent = header('traceparent');
  return {
    ...(traceparent !== undefined && { trace: readTraceContext(traceparent, header('tracestate')) }),
    ...(hops > 0 && { hops }),
    ...(chainDepth > 0 && { chainDepth }),
  };
}

/** The payloads of a batch with their places in it. */
const payloadsOf = (
  { messages }: { messages: readonly Pick<PublishMessage, 'eventType' | 'payload'>[] },
  texts: readonly string[],
): PublishedPayload[] =>
  messages.map(({ eventType, payload }, index) => ({
    eventType,
    payload,
    text: texts[index] ?? '{}',
    at: ['messages', index, 'payload'],
  }));

const atSingle = (): string => '';
const atEach = (index: number): string => `messages[${index}].`;

function batchNaming(messages: readonly NewMessage[]): MessageNaming {
  const indexOf = new Map(messages.map(({ id }, index) => [id, index]));
  return { of: (messageId) => `messages[${indexOf.get(messageId)}].` };
}

/**
 * Hash of the parts that two messages with one publisher's id have in common: the payload digit for digit, metadata in any order, and
 * when they are to be published, as it was asked for.
 */
function contentHash(
  { eventType, payload, metadata }: Pick<NewMessage, 'eventType' | 'payload' | 'metadata'>,
  { deliverAt, delay }: ScheduleRequest,
): Buffer {
  const entries = metadata === undefined ? null : Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const when = deliverAt === undefined && delay === undefined ? [] : [deliverAt ?? null, delay ?? null];
  return createHash('sha256')
    .update(JSON.stringify([eventType, entries, payload, ...when]))
    .digest();
}

/** Throws INVALID_REQUEST for the second message of a batch that has the id of an earlier one. */
function refuseDoubles(ids: readonly (string | undefined)[]): void {
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (id === undefined) continue;
    if (seen.has(id)) throw invalidField(`messages[${index}].id`, 'is the id of another message of this request');
    seen.add(id);
  }
}

/** Throws INVALID_REQUEST for a message that names another channel than the path. `at` is where each stands in the request. */
function refuseOtherChannel(
  channelId: string,
  messages: readonly { channelId?: string | undefined }[],
  at: (index: number) => string,
): void {
  const other = messages.findIndex((message) => message.channelId !== undefined && message.channelId !== channelId);
  if (other !== -1) throw invalidField(`${at(other)}channelId`, 'must be the channel of the path, or be left out');
}

/** When a message is to be published, as its publisher asked: a time or ms from now; neither: at once. */
export type ScheduleRequest = { deliverAt?: Date | undefined; delay?: number | undefined };

// The publisher's clock and ours may differ; what is older than that was meant for another day.
const PAST_MS = 300_000;

/**
 * When to publish a message; undefined is at once, which a `deliverAt` up to five minutes ago means too. `at` stands before the
 * field of a refusal: `messages[3].`. INVALID_REQUEST for both fields and for more than five minutes ago or 365 days ahead.
 */
export function timeToPublish({ deliverAt, delay }: ScheduleRequest, now: Date, at = ''): Date | undefined {
  if (deliverAt === undefined) return delay === undefined ? undefined : new Date(now.getTime() + delay);
  if (delay !== undefined) throw invalidField(`${at}delay`, 'must not stand beside deliverAt');
  const past = problemOfPast({ deliverAt }, now, at);
  if (past !== undefined) throw past;
  const aheadMs = deliverAt.getTime() - now.getTime();
  if (aheadMs > MESSAGE_LIMITS.delayMs) throw invalidField(`${at}deliverAt`, 'must be at most 365 days ahead');
  return aheadMs > 0 ? deliverAt : undefined;
}

/** INVALID_REQUEST for a `deliverAt` of more than five minutes ago. A publisher that repeats a message may still name it. */
function problemOfPast({ deliverAt }: ScheduleRequest, now: Date, at = ''): ApiError | undefined {
  const isPast = deliverAt !== undefined && deliverAt.getTime() - now.getTime() < -PAST_MS;
  return isPast ? invalidField(`${at}deliverAt`, 'lies in the past') : undefined;
}

/**
 * The payload's own text inside a request body that has already been validated, for a single publish.
 * Throws INVALID_REQUEST (field payload) above 256 KiB. The body's depth and members were bounded when it was parsed.
 */
export function payloadText(bodyText: string): string {
  return checked('payload', sliceOf(bodyText, memberSpan(bodyText, wholeSpan(bodyText), 'payload')));
}

/** The same for every message of a batch, in order; the field is `messages[i].payload`. */
function batchPayloadTexts(bodyText: string): string[] {
  const messages = memberSpan(bodyText, wholeSpan(bodyText), 'messages');
  if (messages === undefined) return [];
  return elementSpans(bodyText, messages).map((message, index) =>
    checked(`messages[${index}].payload`, sliceOf(bodyText, memberSpan(bodyText, message, 'payload'))),
  );
}

function sliceOf(text: string, span: { start: number; end: number } | undefined): string {
  return span === undefined ? '' : text.slice(span.start, span.end);
}

function checked(field: string, text: string): string {
  if (Buffer.byteLength(text) > MESSAGE_LIMITS.payloadBytes) {
    throw invalidField(field, `must have at most ${MESSAGE_LIMITS.payloadBytes} bytes`);
  }
  return text;
}
