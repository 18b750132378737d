import { z } from 'zod';
import { exactObject, idOf, pageWithoutEndOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import {
  enumQuery,
  eventTypeQuery,
  exportQuery,
  pageQuery,
  someQuery,
  windowQuery,
  WITHOUT_PAGE,
} from '../../api/http/reading/query.ts';
import { MAX_EVENT_TYPE_LENGTH, publishedEventTypeProblem } from '../../kernel/words/event-types.ts';
import { hasControlCharacter } from '../../kernel/values/text.ts';
import { CANCEL_REASONS, DELIVERY_SUMMARIES, SCHEDULE_STATUSES } from '../../kernel/words/statuses.ts';

/** Bounds of one message. Bytes are of UTF-8. */
export const MESSAGE_LIMITS = {
  payloadBytes: 262_144,
  metadataEntries: 50,
  metadataBytes: 16_384,
  batch: 100,
  publisherIdLength: 128,
  /** 365 days: how far ahead a message may be scheduled. */
  delayMs: 31_536_000_000,
} as const;

// Control characters would break headers, logs and the Temporal UI's search; everything else is the publisher's choice.
export const eventTypeSchema = z
  .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
  .min(1, 'must not be empty')
  .max(MAX_EVENT_TYPE_LENGTH, `must have at most ${MAX_EVENT_TYPE_LENGTH} characters`)
  .refine((text) => !hasControlCharacter(text), 'must not contain control characters');

/** The event type of a message that is to be published or tried: one that filters can name. */
export const publishedEventType = eventTypeSchema.check((context) => {
  const problem = publishedEventTypeProblem(context.value);
  if (problem !== undefined) context.issues.push({ code: 'custom', message: problem, input: context.value });
});

const messagesQuery = pageQuery.extend({
  eventType: eventTypeQuery.optional().describe('One event type, `order.*` for all that begin with `order.`, or `*`.'),
  ...windowQuery,
});

/**
 * `since` and `until` are about publishedAt. `order=committed` is for readers who go on for ever: oldest first, in the order in which
 * messages became visible. It begins with the first one published after `since`, and has no end.
 */
export const listMessagesQuery = messagesQuery
  .extend({
    order: enumQuery(['newest', 'committed'])
      .default('newest')
      .describe(
        '`newest`: the newest first. `committed`: the oldest first, in the order in which messages became visible; a reader that continues from each cursor misses none.',
      ),
  })
  .superRefine(({ order, until }, context) => {
    if (order === 'committed' && until !== undefined)
      context.addIssue({ code: 'custom', path: ['until'], message: 'must not stand beside order=committed' });
  })
  .meta({ typeName: 'ListMessages' });

export type ListMessages = z.output<typeof listMessagesQuery>;

/**
 * The same over all channels. A channelId or publisherId that names nothing here gives an empty list. Service events are left out unless
 * `includeSystem` or the channelId asks for them.
 */
export const searchMessagesQuery = messagesQuery
  .extend({
    channelId: z.string().optional().describe('Only of this channel.'),
    includeSystem: enumQuery(['true', 'false'])
      .optional()
      .describe(
        'With `true` messages of the channel `posthorn.system` are included. By default they are listed only where `channelId` names that channel.',
      ),
    publisherId: z
      .string()
      .min(1)
      .max(MESSAGE_LIMITS.publisherIdLength)
      .optional()
      .describe('Only those that were published under this id of yours within the last 24 hours.'),
    deliveryStatus: someQuery(DELIVERY_SUMMARIES)
      .optional()
      .describe('Only those whose deliveries together have one of these states.'),
  })
  .meta({ typeName: 'SearchMessages' });
export type SearchMessages = z.output<typeof searchMessagesQuery>;

export const exportMessagesQuery = searchMessagesQuery
  .omit(WITHOUT_PAGE)
  .extend(exportQuery)
  .meta({ typeName: 'ExportMessages' });
export type ExportMessages = z.output<typeof exportMessagesQuery>;

/** Fields of a message, wherever one is shown. */
export const messageShape = {
  id: idOf('message'),
  channelId: idOf('channel').describe('Channel that it was published to.'),
  eventType: z.string().describe('Event type, as published.'),
  payload: exactObject
    .exactOptional()
    .describe('Payload, digit for digit as published. Absent once it is erased, and in a list with `payloads=false`.'),
  metadata: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe(
      'Metadata, as published. Absent where none was given, once it is erased, and in a list with `payloads=false`.',
    ),
  publishedAt: time.describe('When it was published, or is to be.'),
  deliverAt: time
    .exactOptional()
    .describe('The same as publishedAt, while it waits to be published and when that was cancelled.'),
  cancelledAt: time.exactOptional().describe('When its publication was cancelled. Absent otherwise.'),
  cancelReason: z.enum(CANCEL_REASONS).exactOptional().describe('Why its publication was cancelled.'),
  erasedAt: time.exactOptional().describe('When payload and metadata were erased. Absent while they are there.'),
  deliveryStatus: z
    .enum([...DELIVERY_SUMMARIES, ...SCHEDULE_STATUSES])
    .describe(
      'State of its deliveries together: pending while one is unfinished. Before it is published: scheduled or cancelled.',
    ),
};

const CONTENT_REASON = 'has either payload or erasedAt';

/** Spec §2 Message. A list may leave the payload out. */
export const messageAnswer = z
  .strictObject(messageShape)
  .refine(({ payload, erasedAt }) => payload === undefined || erasedAt === undefined, CONTENT_REASON)
  .meta({ typeName: 'Message' });
export type Message = z.output<typeof messageAnswer>;

/** Messages of a channel, which may be listed without an end. */
export const channelMessagesPageAnswer = pageWithoutEndOf(messageAnswer).meta({ typeName: 'ChannelMessagesPage' });

/** The same where one message alone is asked for. */
export const tracedMessageAnswer = z
  .strictObject({
    ...messageShape,
    traceId: z
      .string()
      .exactOptional()
      .describe('Trace of the request that published it (W3C Trace Context). Absent where that had none.'),
  })
  .refine(({ payload, erasedAt }) => (payload === undefined) === (erasedAt !== undefined), CONTENT_REASON)
  .meta({ typeName: 'TracedMessage' });
export type TracedMessage = z.output<typeof tracedMessageAnswer>;

/** A message in lists over channels: of payload and metadata its size alone. */
export const messageSummaryAnswer = z
  .strictObject({
    id: messageShape.id,
    channelId: messageShape.channelId,
    eventType: messageShape.eventType,
    publishedAt: time.describe('When it was published.'),
    erasedAt: messageShape.erasedAt,
    payloadBytes: wholeNumber
      .exactOptional()
      .describe('Size of its payload in bytes of UTF-8. Absent once it is erased.'),
    deliveryStatus: z
      .enum(DELIVERY_SUMMARIES)
      .describe('State of its deliveries together: pending while one is unfinished.'),
    deliveries: z
      .strictObject({
        total: wholeNumber.describe('Deliveries of it.'),
        delivered: wholeNumber.describe('Deliveries that have arrived.'),
        failed: wholeNumber.describe('Deliveries that were given up.'),
      })
      .describe('Its deliveries by their state; the others are unfinished, or ended with their subscription.'),
  })
  .meta({ typeName: 'MessageSummary' });
export type MessageSummary = z.output<typeof messageSummaryAnswer>;

/** Messages whose payloads are to be looked through. */
export type LookThrough = Omit<SearchMessages, 'publisherId' | 'deliveryStatus'>;

/** How much a search has read, and whether that was all. */
export const lookedThroughAnswer = z
  .strictObject({
    messages: wholeNumber.describe('Messages that were looked through.'),
    bytes: wholeNumber.describe('Bytes of their payloads. 0 where no payload was asked about.'),
    newestAt: time.exactOptional().describe('When the newest of them was published. Absent without any.'),
    oldestAt: time.exactOptional().describe('When the oldest of them was published. Absent without any.'),
    isComplete: z.boolean().describe('Whether nothing is left to look through.'),
    milliseconds: wholeNumber.describe('Milliseconds that it took.'),
  })
  .meta({ typeName: 'SearchPage' });
export type SearchPage = z.output<typeof lookedThroughAnswer>;
