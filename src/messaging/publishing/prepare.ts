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
 * Content of a publish request. `header` returns the trace context it belongs to; `hops` is the number of deliveries
 * that led to it, and `chainDepth` the number of workflow runs.
 */
export type PublishRequest<B> = {
  body: B;
  bodyText: string;
  header: (name: 'traceparent' | 'tracestate') => string | undefined;
  hops?: number;
  chainDepth?: number;
};

/** How error texts name a message: by its position in the body of the request. */
export type MessageNaming = {
  /** `messages[3].` in a batch, nothing for a single message. */
  of: (messageId: string) => string;
  /** The body names the channel, not the path. A missing channel is then INVALID_REQUEST. */
  namesChannel?: true;
};

/** A payload before it is stored: parsed, as text, and its location in the request (`['messages', 2, 'payload']`). */
export type PublishedPayload = {
  eventType: string;
  payload: unknown;
  text: string;
  at: readonly (string | number)[];
};

/** Messages of one channel, with the payloads to check against its schemas. */
export type ToPublish = { publication: Publication; payloads: readonly PublishedPayload[] };

/** A request for the next steps: one entry of `toPublish` per channel, and the requested response. */
export type Prepared<A extends AskedPublish = AskedPublish> = {
  toPublish: readonly ToPublish[];
  naming: MessageNaming;
  asked: A;
};

export const singleNaming: MessageNaming = { of: () => '' };

/** Parses requests: messages with their ids and times, trace and hops, and the location of each message in the body. */
export function createPrepare({ newId, clock }: Pick<Dependencies, 'newId' | 'clock'>) {
  /**
   * Creates a message. `at` is its location in the request. Throws INVALID_REQUEST for a time at which neither it nor a
   * repeat of it can be published.
   */
  const newMessage = (message: PublishMessage, payload: string, at = ''): NewMessage => {
    const { eventType, metadata } = message;
    const now = clock();
    // A repeat is recognised by its id alone, however long ago its time was; that is checked where it would be stored.
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

    /** Returns one publication for each channel that the messages name. */
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

    /** Prepares the message of an inbound webhook. With `isHeld`, its channel is paused and it is scheduled for now. */
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

    /**
     * Prepares a test message. Without a payload of the caller it has a standard payload, which is not checked against
     * schemas.
     */
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
            // The standard payload has to reach the receiver whatever the schemas of the channel require.
            payloads: isOwnPayload ? [{ eventType, payload: body?.payload, text, at: ['payload'] }] : [],
          },
        ],
        naming: singleNaming,
        asked: { kind: 'message', channelId, message },
      };
    },
  };
}

/** Returns the payloads of a request that only validates them. */
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

/** Returns trace, hops and depth of a request for its messages; empty if it has none. */
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

/** Returns the payloads of a batch with their locations. */
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
 * Hash of what two messages with the same client-supplied id must have in common: the payload digit for digit, metadata
 * in any order, and the requested time of publication.
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

/** Throws INVALID_REQUEST for a message of a batch with the id of an earlier one. */
function refuseDoubles(ids: readonly (string | undefined)[]): void {
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (id === undefined) continue;
    if (seen.has(id))
      throw invalidField(`messages[${index}].id`, 'must not be the id of another message of the request');
    seen.add(id);
  }
}

/**
 * Throws INVALID_REQUEST for a message that names another channel than the path. `at` returns the location of each
 * message.
 */
function refuseOtherChannel(
  channelId: string,
  messages: readonly { channelId?: string | undefined }[],
  at: (index: number) => string,
): void {
  const other = messages.findIndex((message) => message.channelId !== undefined && message.channelId !== channelId);
  if (other !== -1) throw invalidField(`${at(other)}channelId`, 'must be the channel of the path or be omitted');
}

/** The requested time of publication: a time, or ms from now. At once if neither is given. */
export type ScheduleRequest = { deliverAt?: Date | undefined; delay?: number | undefined };

// The publisher's clock may differ from ours. An older time was not meant for now.
const PAST_MS = 300_000;

/**
 * Returns when to publish a message; undefined means at once, also for a `deliverAt` up to five minutes ago. `at` is
 * the prefix of the field in errors, such as `messages[3].`. Throws INVALID_REQUEST if both fields are given, or for a
 * time more than five minutes ago or 365 days ahead.
 */
export function timeToPublish({ deliverAt, delay }: ScheduleRequest, now: Date, at = ''): Date | undefined {
  if (deliverAt === undefined) return delay === undefined ? undefined : new Date(now.getTime() + delay);
  if (delay !== undefined) throw invalidField(`${at}delay`, 'must not be combined with deliverAt');
  const past = problemOfPast({ deliverAt }, now, at);
  if (past !== undefined) throw past;
  const aheadMs = deliverAt.getTime() - now.getTime();
  if (aheadMs > MESSAGE_LIMITS.delayMs) throw invalidField(`${at}deliverAt`, 'must be at most 365 days ahead');
  return aheadMs > 0 ? deliverAt : undefined;
}

/**
 * INVALID_REQUEST for a `deliverAt` more than five minutes ago. A publisher that repeats a message may still name that
 * time.
 */
function problemOfPast({ deliverAt }: ScheduleRequest, now: Date, at = ''): ApiError | undefined {
  const isPast = deliverAt !== undefined && deliverAt.getTime() - now.getTime() < -PAST_MS;
  return isPast ? invalidField(`${at}deliverAt`, 'must not be more than five minutes in the past') : undefined;
}

/**
 * Returns the text of the payload in the validated body of a single publish. Throws INVALID_REQUEST (field payload)
 * above 256 KiB. Depth and members of the body were limited when it was parsed.
 */
export function payloadText(bodyText: string): string {
  return checked('payload', sliceOf(bodyText, memberSpan(bodyText, wholeSpan(bodyText), 'payload')));
}

/** Returns the text of each payload in a batch, in order; the field of an error is `messages[i].payload`. */
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
