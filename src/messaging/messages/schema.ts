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

/** Limits of a message. Bytes are UTF-8. */
export const MESSAGE_LIMITS = {
  payloadBytes: 262_144,
  metadataEntries: 50,
  metadataBytes: 16_384,
  batch: 100,
  publisherIdLength: 128,
  /** 365 days: how far ahead a message can be scheduled. */
  delayMs: 31_536_000_000,
} as const;

// Control characters would break headers, logs and search in the Temporal UI. Everything else is up to the publisher.
export const eventTypeSchema = z
  .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
  .min(1, 'must not be empty')
  .max(MAX_EVENT_TYPE_LENGTH, `must have at most ${MAX_EVENT_TYPE_LENGTH} characters`)
  .refine((text) => !hasControlCharacter(text), 'must not contain control characters');

/** The event type of a message to be published or tested: one that event type filters can name. */
export const publishedEventType = eventTypeSchema.check((context) => {
  const problem = publishedEventTypeProblem(context.value);
  if (problem !== undefined) context.issues.push({ code: 'custom', message: problem, input: context.value });
});

const messagesQuery = pageQuery.extend({
  eventType: eventTypeQuery.optional().describe('One event type, `order.*` for all that start with `order.`, or `*`.'),
  ...windowQuery,
});

/**
 * `since` and `until` apply to publishedAt. `order=committed` is for clients that keep reading: oldest first, in the
 * order in which messages became visible. It starts with the first message published after `since` and has no end.
 */
export const listMessagesQuery = messagesQuery
  .extend({
    order: enumQuery(['newest', 'committed'])
      .default('newest')
      .describe(
        '`newest`: newest first. `committed`: oldest first, in the order in which messages became visible. ' +
          'Every page has a cursor, and a client that continues from it misses nothing; `until` is rejected.',
      ),
  })
  .superRefine(({ order, until }, context) => {
    if (order === 'committed' && until !== undefined)
      context.addIssue({ code: 'custom', path: ['until'], message: 'must not be combined with order=committed' });
  })
  .meta({ typeName: 'ListMessages' });

export type ListMessages = z.output<typeof listMessagesQuery>;

/**
 * Filters for messages of all channels. An unknown channelId or publisherId gives an empty list. Service events are
 * omitted unless `includeSystem` or the channelId asks for them.
 */
export const searchMessagesQuery = messagesQuery
  .extend({
    channelId: z.string().optional().describe('Only messages of this channel.'),
    includeSystem: enumQuery(['true', 'false'])
      .optional()
      .describe(
        '`true` includes messages of the channel `posthorn.system`. By default, they are listed only if ' +
          '`channelId` names that channel.',
      ),
    publisherId: z
      .string()
      .min(1)
      .max(MESSAGE_LIMITS.publisherIdLength)
      .optional()
      .describe('Only the message published with this `id` within the last 24 hours.'),
    deliveryStatus: someQuery(DELIVERY_SUMMARIES)
      .optional()
      .describe('Only messages whose deliveries have one of these combined statuses.'),
  })
  .meta({ typeName: 'SearchMessages' });
export type SearchMessages = z.output<typeof searchMessagesQuery>;

export const exportMessagesQuery = searchMessagesQuery
  .omit(WITHOUT_PAGE)
  .extend(exportQuery)
  .meta({ typeName: 'ExportMessages' });
export type ExportMessages = z.output<typeof exportMessagesQuery>;

/** Fields of a message, wherever one is returned. */
export const messageShape = {
  id: idOf('message'),
  channelId: idOf('channel').describe('Channel it was published to.'),
  eventType: z.string().describe('Event type, as published.'),
  payload: exactObject
    .exactOptional()
    .describe(
      'Payload, digit for digit as published. Absent if it has been erased, and in a list with ' + '`payloads=false`.',
    ),
  metadata: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe(
      'Metadata, as published. Absent if none was given, if it has been erased, and in a list with ' +
        '`payloads=false`.',
    ),
  publishedAt: time.describe('When it was or will be published.'),
  deliverAt: time.exactOptional().describe('Same as publishedAt, for a message that is scheduled or was cancelled.'),
  cancelledAt: time.exactOptional().describe('When it was cancelled. Absent if it was not.'),
  cancelReason: z.enum(CANCEL_REASONS).exactOptional().describe('Why it was cancelled.'),
  erasedAt: time.exactOptional().describe('When payload and metadata were erased. Absent if they have not been.'),
  deliveryStatus: z
    .enum([...DELIVERY_SUMMARIES, ...SCHEDULE_STATUSES])
    .describe(
      'Combined status of its deliveries: `pending` while any is unfinished. Before it is published: ' +
        '`scheduled` or `cancelled`.',
    ),
};

const CONTENT_REASON = 'has either payload or erasedAt';

/** Spec §2 Message. A list may leave the payload out. */
export const messageAnswer = z
  .strictObject(messageShape)
  .refine(({ payload, erasedAt }) => payload === undefined || erasedAt === undefined, CONTENT_REASON)
  .meta({ typeName: 'Message' });
export type Message = z.output<typeof messageAnswer>;

/** A page of messages of a channel. With `order=committed` the list has no last page. */
export const channelMessagesPageAnswer = pageWithoutEndOf(messageAnswer).meta({ typeName: 'ChannelMessagesPage' });

/** A message requested on its own. */
export const tracedMessageAnswer = z
  .strictObject({
    ...messageShape,
    traceId: z
      .string()
      .exactOptional()
      .describe('Trace of the request that published it (W3C Trace Context). Absent if there was none.'),
  })
  .refine(({ payload, erasedAt }) => (payload === undefined) === (erasedAt !== undefined), CONTENT_REASON)
  .meta({ typeName: 'TracedMessage' });
export type TracedMessage = z.output<typeof tracedMessageAnswer>;

/** A message in lists over all channels, with the size of its payload instead of the content. */
export const messageSummaryAnswer = z
  .strictObject({
    id: messageShape.id,
    channelId: messageShape.channelId,
    eventType: messageShape.eventType,
    publishedAt: time.describe('When it was published.'),
    erasedAt: messageShape.erasedAt,
    payloadBytes: wholeNumber
      .exactOptional()
      .describe('Size of its payload in UTF-8 bytes. Absent if it has been erased.'),
    deliveryStatus: z
      .enum(DELIVERY_SUMMARIES)
      .describe('Combined status of its deliveries: `pending` while any is unfinished.'),
    deliveries: z
      .strictObject({
        total: wholeNumber.describe('All deliveries.'),
        delivered: wholeNumber.describe('Successful deliveries.'),
        failed: wholeNumber.describe('Deliveries that failed permanently.'),
      })
      .describe(
        'Number of deliveries by status. The remaining ones are unfinished, or ended because their ' +
          'subscription was deleted.',
      ),
  })
  .meta({ typeName: 'MessageSummary' });
export type MessageSummary = z.output<typeof messageSummaryAnswer>;

/** Which messages to search through by their payloads. */
export type LookThrough = Omit<SearchMessages, 'publisherId' | 'deliveryStatus'>;

/** How much of the messages a search page has read, and whether more is left. */
export const lookedThroughAnswer = z
  .strictObject({
    messages: wholeNumber.describe('Number of messages searched.'),
    bytes: wholeNumber.describe('Bytes of payload searched. 0 if the search did not need payloads.'),
    newestAt: time.exactOptional().describe('Publication time of the newest of them. Absent if there was none.'),
    oldestAt: time.exactOptional().describe('Publication time of the oldest of them. Absent if there was none.'),
    isComplete: z.boolean().describe('Whether nothing is left to search.'),
    milliseconds: wholeNumber.describe('Duration of the search in milliseconds.'),
  })
  .meta({ typeName: 'SearchPage' });
export type SearchPage = z.output<typeof lookedThroughAnswer>;
