import { z } from 'zod';
import { MAX_EXPRESSION_LENGTH } from '../filters/expressions/rules.ts';
import { fieldProblem, idOf, pageOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf, type ResourceFields } from '../../api/http/reading/fields.ts';
import { dateTimeField } from '../../api/http/reading/query.ts';
import { CHANNEL_STATUSES } from '../../kernel/words/statuses.ts';
import { schemaField, schemasField } from '../schemas/schema.ts';
import { MESSAGE_LIMITS, messageShape, publishedEventType } from '../messages/schema.ts';

/** A JSON object. Only its kind is checked here: its text is taken from the request, digit for digit. */
const payloadSchema = z
  .custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object'),
  })
  // For documents and types that are made from schemas: zod does not know what a custom one takes.
  .meta({ type: 'object' });

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

/** The publisher's own id of a message: visible ASCII. This id is not the message's id. */
const publisherIdSchema = z
  .string()
  .min(1)
  .max(MESSAGE_LIMITS.publisherIdLength, `must have at most ${MESSAGE_LIMITS.publisherIdLength} characters`)
  .regex(/^[\x21-\x7e]*$/, 'must be visible ASCII characters');

const messageFields = {
  id: publisherIdSchema
    .optional()
    .describe('Your own id for the message. For 24 hours, a second message with the same id is the first one.'),
  eventType: publishedEventType.describe('What has happened, such as `order.created`.'),
  payload: payloadSchema.describe('Any JSON object, up to 256 KiB. Subscribers get it digit for digit.'),
  metadata: metadataSchema.optional().describe('Texts that go with the message, up to 50 and 16 KiB.'),
  /** When to publish it: a time, or ms from now; `timeToPublish` judges them. */
  deliverAt: dateTimeField.optional().describe('When to publish the message; not beside `delay`.'),
  // The bounds come first: `int` has bounds of its own.
  delay: z
    .number()
    .min(1)
    .max(MESSAGE_LIMITS.delayMs)
    .int()
    .optional()
    .describe('Milliseconds from now until the message is published; not beside `deliverAt`.'),
};

/** Fields that a message shows beside those it was published with. */
const message: ResourceFields = {
  moved: ['publishedAt', 'deliveryStatus', 'cancelledAt', 'cancelReason', 'erasedAt', 'traceId', 'warnings'],
};

/** Where the path names the channel a message may name it as well: the same one (`refuseOtherChannel`). */
const channelMessageFields = {
  ...messageFields,
  channelId: z.string().optional().describe('The channel of the path, if you send it at all.'),
};
export const publishMessageBody = fieldsOf(channelMessageFields, message).meta({ typeName: 'PublishMessage' });

const batchOf = <T extends z.ZodType>(each: T) =>
  z
    .array(each, {
      error: (issue) => (issue.input === undefined ? 'is required' : 'must be an array of messages'),
    })
    .min(1, 'must hold at least 1 message')
    .max(MESSAGE_LIMITS.batch, `must hold at most ${MESSAGE_LIMITS.batch} messages`);

const messages = batchOf(publishMessageBody);
export const publishBatchBody = fieldsOf({ messages: messages.describe('Messages, in their order.') }).meta({
  typeName: 'PublishBatch',
});

/** Each message names its channel (spec §8). */
export const publishAcrossBody = fieldsOf({
  messages: batchOf(
    fieldsOf({ ...messageFields, channelId: z.string().describe('Channel to publish to.') }, message),
  ).describe('Messages, in their order.'),
}).meta({ typeName: 'PublishAcross' });

/**
 * Either `messages` or one message's own fields: what can be published can be tried. `schema` and `schemas` are tried in place of
 * those of the channel: where one is given, the absent other is none.
 */
export const validateMessagesBody = fieldsOf(
  {
    ...channelMessageFields,
    messages: messages.optional().describe('Messages, in their order.'),
    eventType: publishedEventType.optional().describe('Says what has happened, such as `order.created`.'),
    payload: payloadSchema.optional().describe('Any JSON object, up to 256 KiB. Subscribers get it digit for digit.'),
    schema: schemaField.optional().describe('JSON Schema that holds for every payload.'),
    schemas: schemasField.optional().describe('JSON Schemas by event type, each of which holds beside `schema`.'),
  },
  message,
)
  .superRefine(({ messages: several, schema: _schema, schemas: _schemas, ...own }, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (several === undefined) {
      if (own.eventType === undefined) refuse('eventType', 'is required');
      if (own.payload === undefined) refuse('payload', 'is required');
    } else if (Object.keys(own).length > 0) {
      refuse('messages', "must not stand beside one message's own fields");
    }
  })
  .meta({ oneOfFields: [['messages'], ['eventType', 'payload']] })
  .meta({ typeName: 'ValidateMessages' });

export type PublishMessage = z.output<typeof publishMessageBody>;
export type PublishBatch = z.output<typeof publishBatchBody>;
export type PublishAcross = z.output<typeof publishAcrossBody>;
export type ValidateMessages = z.output<typeof validateMessagesBody>;

const warnings = z
  .array(fieldProblem)
  .exactOptional()
  .describe(
    'Where payloads do not fit the schemas of a channel that warns instead of refusing. On answers to publishes.',
  );

/**
 * The answer to a publish. One that is kept under an Idempotency-Key says what was answered then, without the content of a
 * message that was erased since.
 */
export const publishedAnswer = z.strictObject({ ...messageShape, warnings }).meta({ typeName: 'PublishedMessage' });
export type PublishedMessage = z.output<typeof publishedAnswer>;

/** Spec §4 Messages: the answer to a batch. */
export const batchAnswer = z
  .strictObject({
    count: wholeNumber.describe('How many messages were accepted: all of the request.'),
    ids: z.array(idOf('message')).describe("Their ids, in the order of the request's messages."),
    status: z.literal('accepted').describe('They are stored.'),
    warnings,
  })
  .meta({ typeName: 'BatchAccepted' });
export type BatchAccepted = z.output<typeof batchAnswer>;

/** Whether the schemas would take each payload. */
export const payloadValidationAnswer = z
  .strictObject({
    valid: z.boolean().describe('Whether the schemas take all of them.'),
    results: z
      .array(
        z.strictObject({
          valid: z.boolean().describe('Whether the schemas take it.'),
          errors: z.array(fieldProblem).describe('First problem of each schema; fields begin with `payload`.'),
        }),
      )
      .describe('Each payload, in the order of the request.'),
  })
  .meta({ typeName: 'PayloadValidation' });
export type PayloadValidation = z.output<typeof payloadValidationAnswer>;

/** A sample, or `messageId` of a stored message; `filter` is an expression to try on it. */
export const dryRunBody = fieldsOf({
  messageId: z.string().optional().describe('Stored message to try, in place of a sample.'),
  eventType: publishedEventType.optional().describe('Says what has happened, such as `order.created`.'),
  payload: payloadSchema.optional().describe('Any JSON object, up to 256 KiB. Subscribers get it digit for digit.'),
  metadata: metadataSchema.optional().describe('Texts that go with the message, up to 50 and 16 KiB.'),
  filter: z.string().min(1).max(MAX_EXPRESSION_LENGTH).optional().describe('Expression to try on the message.'),
  subscriptionId: z.string().optional().describe('Shows this subscription alone.'),
})
  .superRefine(({ messageId, eventType, payload, metadata }, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (messageId === undefined) {
      if (eventType === undefined) refuse('eventType', 'is required');
      if (payload === undefined) refuse('payload', 'is required');
    } else if (eventType !== undefined || payload !== undefined || metadata !== undefined) {
      refuse('messageId', 'must not stand beside eventType, payload and metadata');
    }
  })
  .meta({ oneOfFields: [['messageId'], ['eventType', 'payload']] })
  .meta({ typeName: 'DryRunBody' });

export type DryRunRequest = z.output<typeof dryRunBody>;

/** A subscription, and whether it would get the message. */
const dryRunRoute = z.strictObject({
  subscriptionId: idOf('subscription'),
  name: z.string().describe('Name of the subscription.'),
  wouldReceive: z.boolean().describe('Whether a delivery would be made.'),
  reason: z
    .enum(['no_filter', 'filter_matches', 'event_type', 'filter_does_not_match', 'filter_failed'])
    .describe('Why it would or would not get it.'),
  detail: z.string().exactOptional().describe('More of the reason, for people.'),
  heldBy: z
    .enum(['app_suspended', 'paused', 'disabled', 'circuit'])
    .exactOptional()
    .describe('Hold that its delivery would wait for.'),
});
export type DryRunRoute = z.output<typeof dryRunRoute>;

/** The fate of a message if it were published now, with a page of the subscriptions. */
export const dryRunAnswer = pageOf(dryRunRoute)
  .extend({
    channel: z
      .strictObject({
        status: z.enum([...CHANNEL_STATUSES, 'system']).describe('Only an active channel takes messages.'),
        accepts: z.boolean().describe('Whether the channel would take it.'),
        errors: z
          .array(fieldProblem)
          .describe(
            'Problems that its schemas find; in a channel that only warns these are warnings, beside `accepts: true`.',
          ),
      })
      .describe('The channel.'),
    filter: z
      .strictObject({
        matches: z.boolean().describe('Whether it lets the message through.'),
        error: z.string().exactOptional().describe('Why it could not be evaluated.'),
      })
      .exactOptional()
      .describe('Verdict of the expression that was given. Absent without one.'),
  })
  .meta({ typeName: 'DryRun' });
export type DryRun = z.output<typeof dryRunAnswer>;

/** So many of the newest subscriptions of a channel are asked about a message. */
export const MOST_VERDICTS = 100;

/** Who would get a stored message now, and who has it. */
export const messageRoutingAnswer = z
  .strictObject({
    subscriptions: z
      .array(
        dryRunRoute.extend({
          deliveryId: idOf('delivery')
            .exactOptional()
            .describe('Its delivery of the message. Absent where it has none.'),
        }),
      )
      .describe(`Subscriptions of the channel of the message, the newest first, ${MOST_VERDICTS} at most.`),
    isMore: z.boolean().describe('Whether the channel has more than these.'),
  })
  .meta({ typeName: 'MessageRouting' });
export type MessageRouting = z.output<typeof messageRoutingAnswer>;

/** So many of the newest messages of a channel are asked about a filter. */
const FILTER_TRIAL = { min: 1, max: 50 } as const;

/** An expression to try on the newest messages of a channel. */
export const filterTestBody = fieldsOf({
  filter: z
    .string()
    .min(1)
    .max(MAX_EXPRESSION_LENGTH)
    .describe('CEL expression over `payload`, `metadata`, `eventType` that lets through what is wanted.'),
  limit: z
    .number()
    .int()
    .min(FILTER_TRIAL.min)
    .max(FILTER_TRIAL.max)
    .default(FILTER_TRIAL.max)
    .describe('Items on the page.'),
}).meta({ typeName: 'FilterTestBody' });
export type FilterTestRequest = z.output<typeof filterTestBody>;

const triedMessage = z.strictObject({
  messageId: idOf('message').describe('Message that was asked.'),
  eventType: z.string().describe('Its event type.'),
  publishedAt: time.describe('When it was published.'),
  matches: z.boolean().describe('Whether the filter lets it through.'),
  error: z.string().exactOptional().describe('Why the filter could not be evaluated on it.'),
});

/** The verdicts of a filter on the newest messages of a channel. */
export const filterTestAnswer = z
  .strictObject({
    matched: wholeNumber.describe('How many of them the filter lets through.'),
    messages: z.array(triedMessage).describe('The messages that were asked, newest first. Erased ones are left out.'),
  })
  .meta({ typeName: 'FilterTest' });
export type FilterTest = z.output<typeof filterTestAnswer>;

/** A test message for one subscription; both parts may be left out, and so may the body. */
export const testSubscriptionBody = fieldsOf({
  eventType: publishedEventType.exactOptional().describe('Event type of the test message.'),
  payload: z
    .record(z.string(), z.unknown())
    .exactOptional()
    .describe('Any JSON object, up to 256 KiB. Subscribers get it digit for digit.'),
})
  .optional()
  .meta({ typeName: 'TestSubscription' });
