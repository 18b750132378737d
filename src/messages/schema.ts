import { z } from 'zod';
import { fieldsOf, type ResourceFields } from '../http/fields.ts';
import { dateTimeField, enumQuery, eventTypeQuery, instantQuery, pageQuery, windowQuery } from '../http/query.ts';
import type { ErrorDetails } from '../shared/api-error.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPE_LENGTH, MAX_EVENT_TYPES } from '../shared/event-types.ts';
import { MAX_EXPRESSION_LENGTH } from '../shared/expression-rules.ts';
import type { ExactJson } from '../shared/exact-json.ts';
import type { Page } from '../shared/page.ts';
import { hasControlCharacter } from '../shared/plain-text.ts';
import {
  type CancelReason,
  type ChannelStatus,
  type DeliverySummary,
  SCHEDULE_STATUSES,
  type ScheduleStatus,
} from '../shared/statuses.ts';

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

const metadataSchema = z
  .record(z.string(), z.string('must be a string'), 'must be an object of strings')
  .refine(
    (metadata) => Object.keys(metadata).length <= MESSAGE_LIMITS.metadataEntries,
    `must have at most ${MESSAGE_LIMITS.metadataEntries} entries`,
  )
  .refine(
    (metadata) => Buffer.byteLength(JSON.stringify(metadata)) <= MESSAGE_LIMITS.metadataBytes,
    `must have at most ${MESSAGE_LIMITS.metadataBytes} bytes as JSON`,
  );

/** The publisher's own id of a message: visible ASCII. It is not the message's id. */
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

/** A sample, or `messageId` of a stored message; `filter` is an expression to try on it. */
export const dryRunBody = fieldsOf({
  messageId: z.string().optional(),
  eventType: eventTypeSchema.optional(),
  payload: payloadSchema.optional(),
  metadata: metadataSchema.optional(),
  filter: z.string().min(1).max(MAX_EXPRESSION_LENGTH).optional(),
  subscriptionId: z.string().optional(),
}).superRefine(({ messageId, eventType, payload, metadata }, context) => {
  const refuse = (field: string, message: string): void => context.addIssue({ code: 'custom', path: [field], message });
  if (messageId === undefined) {
    if (eventType === undefined) refuse('eventType', 'is required');
    if (payload === undefined) refuse('payload', 'is required');
  } else if (eventType !== undefined || payload !== undefined || metadata !== undefined) {
    refuse('messageId', 'must not stand beside eventType, payload and metadata');
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
export type DryRunRequest = z.output<typeof dryRunBody>;
export type ListMessages = z.output<typeof listMessagesQuery>;
export type ListScheduled = z.output<typeof listScheduledQuery>;
export type StreamMessages = z.output<typeof streamMessagesQuery>;

/** Where a payload does not fit its channel's schema; only of channels that warn instead of refusing. */
type Warnings = { warnings?: ErrorDetails[] };

/**
 * Spec §2 Message. `payload` and `metadata` are as published; `deliveryStatus` is computed from the deliveries. An erased
 * message has neither of them, and `erasedAt` says since when. `deliverAt` is there, and the same as
 * `publishedAt`, while it waits to be published and when that was cancelled.
 */
export type Message = {
  id: string;
  channelId: string;
  eventType: string;
  payload?: ExactJson;
  metadata?: Record<string, string>;
  publishedAt: Date;
  deliverAt?: Date;
  cancelledAt?: Date;
  cancelReason?: CancelReason;
  erasedAt?: Date;
  deliveryStatus: DeliverySummary | ScheduleStatus;
} & Warnings;

/** The answer to a cancel: without payload and metadata. */
export type CancelledMessage = Omit<Message, 'payload' | 'metadata'>;

/** Spec §4 Messages: the answer to a batch. `ids` stand in the order of the request's messages. */
export type BatchAccepted = { count: number; ids: string[]; status: 'accepted' } & Warnings;

/** What would become of each payload, in the order of the request; fields begin with `payload`. */
export type Validation = { valid: boolean; results: { valid: boolean; errors: ErrorDetails[] }[] };

/**
 * What one subscription would do with a message. `reason` says why it would or would not get it, `detail` more of that for a
 * person; `heldBy` is there when its delivery would be made and wait.
 */
export type DryRunRoute = {
  subscriptionId: string;
  name: string;
  wouldReceive: boolean;
  reason: 'no_filter' | 'filter_matches' | 'event_type' | 'filter_does_not_match' | 'filter_failed';
  detail?: string;
  heldBy?: 'paused' | 'disabled' | 'circuit';
};

/**
 * What would become of a message published now. `channel.errors` are what its schemas say: of a channel that only warns, warnings
 * beside `accepts: true`. `filter` is the verdict of the expression that was given. `data` is a page of the subscriptions.
 */
export type DryRun = {
  channel: { status: ChannelStatus | 'system'; accepts: boolean; errors: ErrorDetails[] };
  filter?: { matches: boolean; error?: string };
} & Page<DryRunRoute>;
