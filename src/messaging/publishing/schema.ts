import { z } from 'zod';
import { MAX_EXPRESSION_LENGTH } from '../filters/expressions/rules.ts';
import { fieldProblem, idOf, pageOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf, type ResourceFields } from '../../api/http/reading/fields.ts';
import { dateTimeField } from '../../api/http/reading/query.ts';
import { CHANNEL_STATUSES } from '../../kernel/words/statuses.ts';
import { schemaField, schemasField } from '../schemas/schema.ts';
import { MESSAGE_LIMITS, messageShape, publishedEventType } from '../messages/schema.ts';

/**
 * A JSON object. This checks only the type: the text is taken from the raw request, so that it is delivered digit for
 * digit.
 */
const payloadSchema = z
  .custom<Record<string, unknown>>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: (issue) => (issue.input === undefined ? 'is required' : 'must be an object'),
  })
  // For the OpenAPI document and generated types: zod does not know what a custom schema accepts.
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

/** The message id chosen by the publisher: visible ASCII. Not to be confused with the generated id of the message. */
const publisherIdSchema = z
  .string()
  .min(1)
  .max(MESSAGE_LIMITS.publisherIdLength, `must have at most ${MESSAGE_LIMITS.publisherIdLength} characters`)
  .regex(/^[\x21-\x7e]*$/, 'must be visible ASCII characters');

const messageFields = {
  id: publisherIdSchema
    .optional()
    .describe(
      'Your own id for the message: up to 128 visible ASCII characters. For 24 hours, publishing again ' +
        'with the same id, content and time returns the first message; other content is CONFLICT. The id ' +
        'of a cancelled message can be reused.',
    ),
  eventType: publishedEventType.describe(
    'What happened, such as `order.created`: 1 to 128 characters, without `*`, commas, or white space ' +
      'at either end.',
  ),
  payload: payloadSchema.describe(
    'Any JSON object, up to 256 KiB, 32 levels and 10,000 members (100,000 in all payloads of a ' +
      'request). Delivered digit for digit.',
  ),
  metadata: metadataSchema.optional().describe('Strings that accompany the message: up to 50 entries and 16 KiB.'),
  /** When to publish: a time, or a delay in ms; checked by `timeToPublish`. */
  deliverAt: dateTimeField
    .optional()
    .describe(
      'When to publish the message: up to 365 days ahead. Up to five minutes ago means now; an older ' +
        'time is INVALID_REQUEST. Cannot be combined with `delay`.',
    ),
  // The bounds come before `int`, which has bounds of its own.
  delay: z
    .number()
    .min(1)
    .max(MESSAGE_LIMITS.delayMs)
    .int()
    .optional()
    .describe('Milliseconds from now until the message is published. Cannot be combined with `deliverAt`.'),
};

/** Fields of a message besides those it was published with. */
const message: ResourceFields = {
  moved: ['publishedAt', 'deliveryStatus', 'cancelledAt', 'cancelReason', 'erasedAt', 'traceId', 'warnings'],
};

/** If the path names the channel, a message may name it too, but only the same one (`refuseOtherChannel`). */
const channelMessageFields = {
  ...messageFields,
  channelId: z.string().optional().describe('Channel of the path. May be omitted.'),
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
export const publishBatchBody = fieldsOf({ messages: messages.describe('Messages, in order.') }).meta({
  typeName: 'PublishBatch',
});

/** Each message names its channel (spec §8). */
export const publishAcrossBody = fieldsOf({
  messages: batchOf(
    fieldsOf({ ...messageFields, channelId: z.string().describe('Channel to publish to.') }, message),
  ).describe('Messages, in order.'),
}).meta({ typeName: 'PublishAcross' });

/**
 * Either `messages` or the fields of a single message, so that any publish request can be validated. `schema` and
 * `schemas` replace all schemas of the channel: if only one of them is given, the other counts as absent.
 */
export const validateMessagesBody = fieldsOf(
  {
    ...channelMessageFields,
    messages: messages.optional().describe('Messages, in order.'),
    eventType: publishedEventType.optional().describe('What happened, such as `order.created`.'),
    payload: payloadSchema.optional().describe('Any JSON object, up to 256 KiB.'),
    schema: schemaField.optional().describe('JSON Schema for every payload.'),
    schemas: schemasField.optional().describe('JSON Schemas by event type. Each applies in addition to `schema`.'),
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
      refuse('messages', 'must not be combined with the fields of a single message');
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
    'Schema violations of payloads that were published nevertheless, because the channel only warns. ' +
      'Only in responses to publishes.',
  );

/**
 * Response to a publish. A response stored for an Idempotency-Key is returned as it was, but without the content of a
 * message that has been erased since.
 */
export const publishedAnswer = z.strictObject({ ...messageShape, warnings }).meta({ typeName: 'PublishedMessage' });
export type PublishedMessage = z.output<typeof publishedAnswer>;

/** Response to a batch (spec §4 Messages). */
export const batchAnswer = z
  .strictObject({
    count: wholeNumber.describe('Number of accepted messages: all of the request.'),
    ids: z.array(idOf('message')).describe('Ids of the messages, in the order of the request.'),
    status: z.literal('accepted').describe('Always `accepted`: the messages are stored.'),
    warnings,
  })
  .meta({ typeName: 'BatchAccepted' });
export type BatchAccepted = z.output<typeof batchAnswer>;

/** Whether each payload satisfies the schemas. */
export const payloadValidationAnswer = z
  .strictObject({
    valid: z.boolean().describe('Whether all payloads satisfy the schemas.'),
    results: z
      .array(
        z.strictObject({
          valid: z.boolean().describe('Whether the payload satisfies the schemas.'),
          errors: z.array(fieldProblem).describe('First problem of each schema. Field names begin with `payload`.'),
        }),
      )
      .describe('Result for each payload, in the order of the request.'),
  })
  .meta({ typeName: 'PayloadValidation' });
export type PayloadValidation = z.output<typeof payloadValidationAnswer>;

/** A sample, or the `messageId` of a stored message. `filter` is an expression to test on it. */
export const dryRunBody = fieldsOf({
  messageId: z.string().optional().describe('Id of a stored message to use instead of a sample.'),
  eventType: publishedEventType.optional().describe('What happened, such as `order.created`.'),
  payload: payloadSchema.optional().describe('Any JSON object, up to 256 KiB.'),
  metadata: metadataSchema.optional().describe('Strings that accompany the message: up to 50 entries and 16 KiB.'),
  filter: z.string().min(1).max(MAX_EXPRESSION_LENGTH).optional().describe('CEL expression to test on the message.'),
  subscriptionId: z.string().optional().describe('Only this subscription.'),
})
  .superRefine(({ messageId, eventType, payload, metadata }, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (messageId === undefined) {
      if (eventType === undefined) refuse('eventType', 'is required');
      if (payload === undefined) refuse('payload', 'is required');
    } else if (eventType !== undefined || payload !== undefined || metadata !== undefined) {
      refuse('messageId', 'must not be combined with eventType, payload or metadata');
    }
  })
  .meta({ oneOfFields: [['messageId'], ['eventType', 'payload']] })
  .meta({ typeName: 'DryRunBody' });

export type DryRunRequest = z.output<typeof dryRunBody>;

/** A subscription, and whether it would receive the message. */
const dryRunRoute = z.strictObject({
  subscriptionId: idOf('subscription'),
  name: z.string().describe('Name of the subscription.'),
  wouldReceive: z.boolean().describe('Whether a delivery would be created.'),
  reason: z
    .enum(['no_filter', 'filter_matches', 'event_type', 'filter_does_not_match', 'filter_failed'])
    .describe(
      'Why the subscription would or would not receive the message. `no_filter` and `filter_matches`: it ' +
        'would. `event_type`: its event types do not match. `filter_does_not_match`: its filter does not ' +
        'match. `filter_failed`: its filter could not be evaluated.',
    ),
  detail: z.string().exactOptional().describe('Explanation of the reason.'),
  heldBy: z
    .enum(['app_suspended', 'paused', 'disabled', 'circuit'])
    .exactOptional()
    .describe(
      'What the delivery would wait for: `paused` and `disabled` for a resume, `circuit` for the next ' +
        'probe, `app_suspended` for the app.',
    ),
});
export type DryRunRoute = z.output<typeof dryRunRoute>;

/** What would happen to a message if it were published now, with a page of the subscriptions. */
export const dryRunAnswer = pageOf(dryRunRoute)
  .extend({
    channel: z
      .strictObject({
        status: z.enum([...CHANNEL_STATUSES, 'system']).describe('Only an active channel accepts messages.'),
        accepts: z.boolean().describe('Whether the channel would accept the message.'),
        errors: z.array(fieldProblem).describe('Schema violations. With `accepts: true` these are only warnings.'),
      })
      .describe('The channel.'),
    filter: z
      .strictObject({
        matches: z.boolean().describe('Whether the message matches.'),
        error: z.string().exactOptional().describe('Why the expression could not be evaluated.'),
      })
      .exactOptional()
      .describe('Result of the given expression. Absent if none was given.'),
  })
  .meta({ typeName: 'DryRun' });
export type DryRun = z.output<typeof dryRunAnswer>;

/** Maximum number of subscriptions, newest first, that are evaluated for a message. */
export const MOST_VERDICTS = 100;

/** Which subscriptions would receive a stored message now, and which have a delivery of it. */
export const messageRoutingAnswer = z
  .strictObject({
    subscriptions: z
      .array(
        dryRunRoute.extend({
          deliveryId: idOf('delivery')
            .exactOptional()
            .describe('Delivery of the message to this subscription. Absent if there is none.'),
        }),
      )
      .describe(`Subscriptions of the channel, newest first, up to ${MOST_VERDICTS}.`),
    isMore: z.boolean().describe('Whether the channel has further subscriptions.'),
  })
  .meta({ typeName: 'MessageRouting' });
export type MessageRouting = z.output<typeof messageRoutingAnswer>;

/** How many of the newest messages of a channel a filter is tested on. */
const FILTER_TRIAL = { min: 1, max: 50 } as const;

/** An expression to test on the newest messages of a channel. */
export const filterTestBody = fieldsOf({
  filter: z
    .string()
    .min(1)
    .max(MAX_EXPRESSION_LENGTH)
    .describe('CEL expression over `payload`, `metadata` and `eventType` that selects messages.'),
  limit: z
    .number()
    .int()
    .min(FILTER_TRIAL.min)
    .max(FILTER_TRIAL.max)
    .default(FILTER_TRIAL.max)
    .describe('Maximum number of messages.'),
}).meta({ typeName: 'FilterTestBody' });
export type FilterTestRequest = z.output<typeof filterTestBody>;

const triedMessage = z.strictObject({
  messageId: idOf('message').describe('Tested message.'),
  eventType: z.string().describe('Event type of the message.'),
  publishedAt: time.describe('When it was published.'),
  matches: z.boolean().describe('Whether the filter matches the message.'),
  error: z.string().exactOptional().describe('Why the filter could not be evaluated for the message.'),
});

/** Results of a filter for the newest messages of a channel. */
export const filterTestAnswer = z
  .strictObject({
    matched: wholeNumber.describe('Number of messages that match.'),
    messages: z.array(triedMessage).describe('Tested messages, newest first. Erased ones are skipped.'),
  })
  .meta({ typeName: 'FilterTest' });
export type FilterTest = z.output<typeof filterTestAnswer>;

/** A test message for one subscription. Both fields, and the whole body, can be omitted. */
export const testSubscriptionBody = fieldsOf({
  eventType: publishedEventType.exactOptional().describe('Event type of the test message. Default: `posthorn.test`.'),
  payload: z.record(z.string(), z.unknown()).exactOptional().describe('Any JSON object, up to 256 KiB.'),
})
  .optional()
  .meta({ typeName: 'TestSubscription' });
