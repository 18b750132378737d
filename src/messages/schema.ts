import { z } from 'zod';
import { exactObject, fieldProblem, idOf, time, wholeNumber } from '../http/answer-fields.ts';
import { fieldsOf, type ResourceFields } from '../http/fields.ts';
import { dateTimeField, enumQuery, eventTypeQuery, instantQuery, pageQuery, windowQuery } from '../http/query.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPE_LENGTH, MAX_EVENT_TYPES } from '../kernel/event-types.ts';
import { hasControlCharacter } from '../kernel/plain-text.ts';
import { CANCEL_REASONS, DELIVERY_SUMMARIES, SCHEDULE_STATUSES } from '../kernel/statuses.ts';

/** Bounds of one message. Bytes are of UTF-8. */
export const MESSAGE_LIMITS = {
  payloadBytes: 262_144,
  payloadDepth: 32,
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

/** A JSON object. Only its kind is checked here: its text is taken from the request, digit for digit. */
export const payloadSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object') },
);

export const metadataSchema = z
  .record(z.string(), z.string('must be a string'), 'must be an object of strings')
  .refine(
    (metadata) => Object.keys(metadata).length <= MESSAGE_LIMITS.metadataEntries,
    `must have at most ${MESSAGE_LIMITS.metadataEntries} entries`,
  )
  .refine(
    (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= MESSAGE_LIMITS.metadataBytes,
    `must have at most ${MESSAGE_LIMITS.metadataBytes} bytes as JSON`,
  );

/** The publisher's own id of a message: visible ASCII. This id is not the message's id. */
const publisherIdSchema = z
  .string()
  .min(1)
  .max(MESSAGE_LIMITS.publisherIdLength, `must have at most ${MESSAGE_LIMITS.publisherIdLength} characters`)
  .regex(/^[\x21-\x7e]*$/, 'must be visible ASCII characters');

const messageFields = {
  id: publisherIdSchema.optional(),
  eventType: eventTypeSchema,
  payload: payloadSchema,
  metadata: metadataSchema.optional(),
  /** When to publish it: a time, or ms from now; `timeToPublish` judges them. */
  deliverAt: dateTimeField.optional(),
  // The bounds come first: `int` has bounds of its own.
  delay: z.number().min(1).max(MESSAGE_LIMITS.delayMs).int().optional(),
};

/** Fields that a message shows beside those it was published with. */
const message: ResourceFields = {
  moved: ['publishedAt', 'deliveryStatus', 'cancelledAt', 'cancelReason', 'erasedAt', 'warnings'],
};

/** Where the path names the channel a message may name it as well: the same one (`refuseOtherChannel`). */
const channelMessageFields = { ...messageFields, channelId: z.string().optional() };
export const publishMessageBody = fieldsOf(channelMessageFields, message);

const batchOf = <T extends z.ZodType>(each: T) =>
  z
    .array(each, {
      error: (issue) => (issue.input === undefined ? 'is required' : 'must be an array of messages'),
    })
    .min(1, 'must hold at least 1 message')
    .max(MESSAGE_LIMITS.batch, `must hold at most ${MESSAGE_LIMITS.batch} messages`);

const messages = batchOf(publishMessageBody);
export const publishBatchBody = fieldsOf({ messages });

/** Each message names its channel (spec §8). */
export const publishAcrossBody = fieldsOf({
  messages: batchOf(fieldsOf({ ...messageFields, channelId: z.string() }, message)),
});

/** Either `messages` or one message's own fields: what can be published can be tried. */
export const validateMessagesBody = fieldsOf(
  {
    ...channelMessageFields,
    messages: messages.optional(),
    eventType: eventTypeSchema.optional(),
    payload: payloadSchema.optional(),
  },
  message,
).superRefine(({ messages: several, ...own }, context) => {
  const refuse = (field: string, message: string): void => context.addIssue({ code: 'custom', path: [field], message });
  if (several === undefined) {
    if (own.eventType === undefined) refuse('eventType', 'is required');
    if (own.payload === undefined) refuse('payload', 'is required');
  } else if (Object.keys(own).length > 0) {
    refuse('messages', "must not stand beside one message's own fields");
  }
});

/** `since` and `until` are about publishedAt. */
export const listMessagesQuery = pageQuery.extend({ eventType: eventTypeQuery.optional(), ...windowQuery });

/** `scheduled`: what waits. Cancelled ones are shown until retention removes them. */
export const listScheduledQuery = pageQuery.extend({
  status: enumQuery(SCHEDULE_STATUSES).default('scheduled'),
  eventType: eventTypeQuery.optional(),
  /** Bounds deliverAt. */
  ...windowQuery,
});

/** Event types as a subscription lists them, joined by commas; a type that has a comma itself can only be meant by a beginning. */
const eventTypesQuery = z.string().transform((text, issues) => {
  const eventTypes = text.split(',');
  const problem =
    eventTypes.length > MAX_EVENT_TYPES
      ? `must hold at most ${MAX_EVENT_TYPES} event types`
      : eventTypes.map(eventTypeProblem).find((reason) => reason !== undefined);
  if (problem === undefined) return eventTypes;
  issues.addIssue({ code: 'custom', message: problem });
  return z.NEVER;
});

const eventTypeProblem = (text: string): string | undefined =>
  eventTypeSchema.safeParse(text).error?.issues[0]?.message ?? eventTypePatternProblem(text);

export const streamMessagesQuery = z.strictObject({
  eventTypes: eventTypesQuery.optional(),
  since: instantQuery.optional(),
});

export type PublishMessage = z.output<typeof publishMessageBody>;
export type PublishBatch = z.output<typeof publishBatchBody>;
export type PublishAcross = z.output<typeof publishAcrossBody>;
export type ValidateMessages = z.output<typeof validateMessagesBody>;
export type ListMessages = z.output<typeof listMessagesQuery>;
export type ListScheduled = z.output<typeof listScheduledQuery>;
export type StreamMessages = z.output<typeof streamMessagesQuery>;

const warnings = z
  .array(fieldProblem)
  .exactOptional()
  .describe(
    'Where payloads do not fit the schemas of a channel that warns instead of refusing. On answers to publishes.',
  );

const messageShape = {
  id: idOf('message'),
  channelId: idOf('channel').describe('Channel that it was published to.'),
  eventType: z.string().describe('Event type, as published.'),
  payload: exactObject.exactOptional().describe('Payload, digit for digit as published. Absent once it is erased.'),
  metadata: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('Metadata, as published. Absent where none was given or it is erased.'),
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

/** Spec §2 Message. */
export const messageAnswer = z
  .strictObject(messageShape)
  .refine(({ payload, erasedAt }) => (payload === undefined) === (erasedAt !== undefined), {
    error: 'has either payload or erasedAt',
  });
export type Message = z.output<typeof messageAnswer>;

/**
 * The answer to a publish. One that is kept under an Idempotency-Key says what was answered then, without the content of a
 * message that was erased since.
 */
export const publishedAnswer = z.strictObject({ ...messageShape, warnings });
export type PublishedMessage = z.output<typeof publishedAnswer>;

/** The answer to a cancel: without payload and metadata. */
export const cancelledMessageAnswer = z
  .strictObject(messageShape)
  .omit({ payload: true, metadata: true })
  .extend({ deliveryStatus: z.literal('cancelled').describe('Nothing of it is published.') });
export type CancelledMessage = z.output<typeof cancelledMessageAnswer>;

/** Spec §4 Messages: the answer to a batch. */
export const batchAnswer = z.strictObject({
  count: wholeNumber.describe('How many messages were accepted: all of the request.'),
  ids: z.array(idOf('message')).describe("Their ids, in the order of the request's messages."),
  status: z.literal('accepted').describe('They are stored.'),
  warnings,
});
export type BatchAccepted = z.output<typeof batchAnswer>;

/** Whether the schemas would take each payload. */
export const validationAnswer = z.strictObject({
  valid: z.boolean().describe('Whether the schemas take all of them.'),
  results: z
    .array(
      z.strictObject({
        valid: z.boolean().describe('Whether the schemas take it.'),
        errors: z.array(fieldProblem).describe('First problem of each schema; fields begin with `payload`.'),
      }),
    )
    .describe('Each payload, in the order of the request.'),
});
export type Validation = z.output<typeof validationAnswer>;
