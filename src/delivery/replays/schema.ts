import { z } from 'zod';
import { deadLetterFilter } from '../dead-letters/schema.ts';
import { idOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf, filterOf } from '../../api/http/reading/fields.ts';
import {
  checkEventTypePattern,
  enumQuery,
  errorStatusField,
  eventTypeQuery,
  instantField,
  pageQuery,
  someField,
} from '../../api/http/reading/query.ts';
import { SLOW_MS, TIMEOUT_MS } from '../../kernel/rules/resource-bounds.ts';
import { MAX_EVENT_TYPES } from '../../kernel/words/event-types.ts';
import {
  DEAD_LETTER_KINDS,
  DEAD_LETTER_REASONS,
  DELIVERY_STATUSES,
  ERROR_CLASSES,
  REPLAY_STATUSES,
} from '../../kernel/words/statuses.ts';

/** Deliveries made due per second; the subscription's own limits hold beside it. */
export const REPLAY_RATE = { min: 1, max: 1_000, default: 100 } as const;

const rate = z.number().int().min(REPLAY_RATE.min).max(REPLAY_RATE.max);

/**
 * A replay of stored messages to one subscription: `since` ≤ publishedAt < `until` (default: now); an empty window has none.
 * `eventTypes` narrows what the subscription wants. With `onlyMissing` what it has had, or is getting, is left alone. `dryRun` only counts.
 */
export const messageReplayBody = fieldsOf({
  since: instantField.describe('First time of publication that is replayed.'),
  until: instantField
    .exactOptional()
    .describe('First time of publication that is not replayed any more. Default: now.'),
  eventTypes: z
    .array(z.string().check(checkEventTypePattern))
    .max(MAX_EVENT_TYPES)
    .default([])
    .describe('Event types, or beginnings of them such as `order.*`. An empty list: all.'),
  onlyMissing: z
    .boolean('must be true or false')
    .default(false)
    .describe('Whether what has arrived or failed is left alone.'),
  ratePerSecond: rate.default(REPLAY_RATE.default).describe('Deliveries made due per second at most.'),
  dryRun: z.boolean('must be true or false').default(false).describe('Whether to count only.'),
}).meta({ typeName: 'CreateMessageReplay' });

export const listBulkReplaysQuery = pageQuery
  .extend({ status: enumQuery(REPLAY_STATUSES).optional().describe('Status to have.') })
  .meta({ typeName: 'ListBulkReplays' });

const letterFields = {
  ...deadLetterFilter,
  errorStatus: errorStatusField
    .optional()
    .describe(
      'Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`.',
    ),
  since: instantField.optional().describe('Only items later than this time.'),
  until: instantField.optional().describe('Only items earlier than this time.'),
  createdSince: instantField.optional().describe('Only deliveries that were made after this.'),
  createdUntil: instantField.optional().describe('Only deliveries that were made before this.'),
  dryRun: z.boolean('must be true or false').default(false).describe('Whether to count only.'),
};

/**
 * The filter of a bulk replay; everything is asked for by `{}`, not by a missing body. `dryRun` only counts. Without a rate it is done as
 * fast as dead letters are found.
 */
export const bulkReplayBody = filterOf({
  ...letterFields,
  ratePerSecond: rate
    .exactOptional()
    .describe('Dead letters replayed per second at most. Default: as fast as they are found.'),
}).meta({ typeName: 'CreateBulkReplay' });

/** The filter of a bulk discard; everything is asked for by `{}`. `dryRun` only counts. */
export const bulkDiscardBody = filterOf(letterFields).meta({ typeName: 'CreateBulkDiscard' });

/**
 * The filter of a bulk retry, as the list of deliveries has it; `{}` is everything that has not arrived. Delivered ones are sent again by
 * their status alone. `dryRun` only counts.
 */
export const bulkRetryBody = filterOf({
  channelId: z.string('must be a string').optional().describe('Only of this channel.'),
  subscriptionId: z.string('must be a string').optional().describe('Only of this subscription.'),
  messageId: z.string('must be a string').optional().describe('Only of this message.'),
  eventType: eventTypeQuery.optional().describe('One event type, `order.*` for all that begin with `order.`, or `*`.'),
  status: someField(DELIVERY_STATUSES)
    .optional()
    .describe('Only with this status, or one of these. Default: all that have not arrived.'),
  errorClass: enumQuery(ERROR_CLASSES).optional().describe('Only with this kind of the last failure.'),
  errorStatus: errorStatusField
    .optional()
    .describe(
      'Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`.',
    ),
  minLatencyMs: z
    .number()
    .int()
    .min(SLOW_MS)
    .max(TIMEOUT_MS.max)
    .optional()
    .describe('Only with a last answer that took so many milliseconds or more.'),
  held: z
    .boolean('must be true or false')
    .optional()
    .describe('Only what waits for something beside its policy (`true`), or all others (`false`).'),
  replayId: z
    .string('must be a string')
    .optional()
    .describe('Only those that this replay or bulk retry was the last to make due.'),
  since: instantField.optional().describe('Only what was made after this.'),
  until: instantField.optional().describe('Only what was made before this. Default: now.'),
  ratePerSecond: rate
    .exactOptional()
    .describe('Deliveries made due per second at most. Default: as fast as they are found.'),
  dryRun: z.boolean('must be true or false').default(false).describe('Whether to count only.'),
}).meta({ typeName: 'CreateBulkRetry' });

export const listBulkRetriesQuery = pageQuery
  .extend({ status: enumQuery(REPLAY_STATUSES).optional().describe('Status to have.') })
  .meta({ typeName: 'ListBulkRetries' });

export const listMessageReplaysQuery = pageQuery
  .extend({
    subscriptionId: z.string().optional().describe('Only of this subscription.'),
    status: enumQuery(REPLAY_STATUSES).optional().describe('Status to have.'),
  })
  .meta({ typeName: 'ListMessageReplays' });

export type BulkReplayRequest = z.output<typeof bulkReplayBody>;
export type BulkDiscardRequest = z.output<typeof bulkDiscardBody>;
export type BulkRetryRequest = z.output<typeof bulkRetryBody>;
export type MessageReplayRequest = z.output<typeof messageReplayBody>;

const requestedBy = idOf('apiKey', 'machineCredential', 'user').describe(
  'Who asked for it: an API key, a machine credential or a person.',
);

/** The fate of the rows that a replay was the last to make due. */
const outcome = z
  .strictObject({
    succeeded: wholeNumber.describe('Deliveries that are delivered, and runs that have completed.'),
    underWay: wholeNumber.describe('Deliveries that are still being tried, and runs that go on.'),
    failed: wholeNumber.describe('Deliveries and runs that have failed again, and runs that were cancelled.'),
    isExact: z.boolean().describe('Whether all are counted: 10,000 for each number at most, in a list 1,000.'),
  })
  .describe('Their states by now. One that a later replay has made due counts there.');
export type ReplayOutcome = z.output<typeof outcome>;

/** A replay and how far it is: messages that are not made due were under way already, or were there with onlyMissing. */
export const messageReplayAnswer = z
  .strictObject({
    id: idOf('messageReplay'),
    subscriptionId: idOf('subscription').describe('Subscription that gets the messages again.'),
    status: z.enum(REPLAY_STATUSES).describe('How far it is.'),
    since: time.describe('First publishedAt that is replayed.'),
    until: time.describe('First publishedAt that is not replayed any more.'),
    eventTypes: z.array(z.string()).describe('Narrows what the subscription wants. An empty list: all of it.'),
    onlyMissing: z.boolean().describe('Whether what has arrived or failed is left alone.'),
    ratePerSecond: wholeNumber.describe('Deliveries made due per second at most.'),
    matched: wholeNumber.describe('Messages found so far.'),
    replayed: wholeNumber.describe('Messages that were made due.'),
    outcome,
    upTo: time.exactOptional().describe('publishedAt of the last message looked at. Absent before the first one.'),
    requestedBy,
    createdAt: time.describe('When it was asked for.'),
    finishedAt: time.exactOptional().describe('When it ended. Absent until then.'),
  })
  .meta({ typeName: 'MessageReplay' });
export type MessageReplay = z.output<typeof messageReplayAnswer>;

/** The answer to a dry run: nothing is changed. */
const messageReplayPreviewAnswer = z.strictObject({
  status: z.literal('preview').describe('Nothing was changed.'),
  matched: wholeNumber.describe('Messages that a replay would make due now.'),
  isExact: z
    .boolean()
    .describe('Whether these are all: 100,000 messages are looked at, and 2,000 where the subscription has a filter.'),
  replayed: z.literal(0).describe('Always 0.'),
  oldest: z
    .array(
      z.strictObject({
        id: idOf('message'),
        eventType: z.string().describe('Its event type.'),
        publishedAt: time.describe('When it was published.'),
      }),
    )
    .describe('The oldest of them, five at most.'),
});
export type MessageReplayPreview = z.output<typeof messageReplayPreviewAnswer>;

/** The answer to asking for a replay, or for a dry run of one. */
export const messageReplayOrPreviewAnswer = z
  .union([messageReplayAnswer, messageReplayPreviewAnswer])
  .meta({ typeName: 'MessageReplayOrPreview' });

const filteredStatus = z
  .union([wholeNumber, z.string()])
  .optional()
  .describe(
    'Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`.',
  );

const bulkReplayFilter = z.strictObject({
  channelId: idOf('channel').optional().describe('Only of this channel.'),
  subscriptionId: idOf('subscription').optional().describe('Only of this subscription.'),
  messageId: idOf('message').optional().describe('Only of this message.'),
  workflowId: idOf('workflow').optional().describe('Only of this workflow.'),
  eventType: z.string().optional().describe('Only of this event type, or of those with its beginning.'),
  kind: z.enum(DEAD_LETTER_KINDS).optional().describe('Only of this kind.'),
  reason: z.enum(DEAD_LETTER_REASONS).optional().describe('Only with this reason.'),
  errorClass: z.enum(ERROR_CLASSES).optional().describe('Only with this kind of the last failure.'),
  errorStatus: filteredStatus.describe(
    'Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`.',
  ),
  since: time.exactOptional().describe('Only what failed after this.'),
  until: time.describe('Only what failed before this.'),
  createdSince: time.exactOptional().describe('Only deliveries that were made after this.'),
  createdUntil: time.exactOptional().describe('Only deliveries that were made before this.'),
});

/** Filter of a bulk replay, which replays open dead letters that failed after `since` and before `until`. */
export type BulkReplayFilter = z.output<typeof bulkReplayFilter>;

/** A bulk replay and how far it is. Once it is completed, the rest of `matched` was replayed or discarded by others. */
export const bulkReplayAnswer = z
  .strictObject({
    id: idOf('bulkReplay'),
    status: z.enum(REPLAY_STATUSES).describe('How far it is.'),
    matched: wholeNumber.describe('Open dead letters that the filter matches.'),
    replayed: wholeNumber.describe('Dead letters replayed so far.'),
    failed: wholeNumber.describe('Dead letters that could not be replayed.'),
    outcome,
    filter: bulkReplayFilter.describe('Dead letters that were asked for.'),
    ratePerSecond: wholeNumber
      .exactOptional()
      .describe('Dead letters replayed per second at most. Absent: as fast as they are found.'),
    requestedBy,
    createdAt: time.describe('When it was asked for.'),
    finishedAt: time.exactOptional().describe('When it ended. Absent until then.'),
  })
  .meta({ typeName: 'BulkReplay' });
export type BulkReplay = z.output<typeof bulkReplayAnswer>;

/** The answer to a dry run: nothing is changed. */
const bulkReplayPreviewAnswer = z.strictObject({
  status: z.literal('preview').describe('Nothing was changed.'),
  matched: wholeNumber.describe('Open dead letters that the filter matches.'),
  replayed: z.literal(0).describe('Always 0.'),
  failed: z.literal(0).describe('Always 0.'),
  oldest: z
    .array(
      z.strictObject({
        id: idOf('deadLetter'),
        failedAt: time.describe('When it was given up.'),
        eventType: z.string().exactOptional().describe('Event type of the message.'),
      }),
    )
    .describe('The oldest of them, five at most.'),
});
export type BulkReplayPreview = z.output<typeof bulkReplayPreviewAnswer>;

/** The answer to asking for a bulk replay, or for a dry run of one. */
export const bulkReplayOrPreviewAnswer = z
  .union([bulkReplayAnswer, bulkReplayPreviewAnswer])
  .meta({ typeName: 'BulkReplayOrPreview' });

/** The answer to a bulk discard, or to a dry run of one. */
export const bulkDiscardAnswer = z
  .strictObject({
    status: z.enum(['preview', 'discarded']).describe('`preview`: nothing was changed.'),
    matched: wholeNumber.describe('Open dead letters that the filter matches.'),
    discarded: wholeNumber.describe('Dead letters that this request has discarded, the oldest first.'),
    left: wholeNumber.describe('Open dead letters that match and are left. The same request goes on with them.'),
  })
  .meta({ typeName: 'BulkDiscard' });
export type BulkDiscard = z.output<typeof bulkDiscardAnswer>;

/** Filter of a bulk retry, as it is stored too: a newer one with a field that nobody knows here is refused, and not widened. */
export const bulkRetryFilter = z.strictObject({
  channelId: idOf('channel').optional().describe('Only of this channel.'),
  subscriptionId: idOf('subscription').optional().describe('Only to this subscription.'),
  messageId: idOf('message').optional().describe('Only of this message.'),
  eventType: z.string().optional().describe('Only of this event type, or of those with its beginning.'),
  status: z
    .union([z.enum(DELIVERY_STATUSES), z.array(z.enum(DELIVERY_STATUSES))])
    .optional()
    .describe('Only with this status, or one of these. Absent: all that have not arrived.'),
  errorClass: z.enum(ERROR_CLASSES).optional().describe('Only with this kind of the last failure.'),
  errorStatus: filteredStatus.describe(
    'Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`.',
  ),
  minLatencyMs: wholeNumber.optional().describe('Only with a last answer that took so many milliseconds or more.'),
  held: z.boolean().optional().describe('Only what waits for something beside its policy, or all others.'),
  replayId: idOf('bulkReplay', 'bulkRetry', 'messageReplay')
    .optional()
    .describe('Only what this replay or bulk retry was the last to make due.'),
  since: time.exactOptional().describe('Only what was made after this.'),
  until: time.describe('Only what was made before this.'),
});
export type BulkRetryFilter = z.output<typeof bulkRetryFilter>;

const isExact = z
  .boolean()
  .describe('Whether `matched` was all of them when it was asked for: no more than 100,000 rows are looked at for it.');

/** A bulk retry and how far it is. Once it is completed, the rest of `matched` has arrived or was retried by others. */
export const bulkRetryAnswer = z
  .strictObject({
    id: idOf('bulkRetry'),
    status: z.enum(REPLAY_STATUSES).describe('How far it is.'),
    matched: wholeNumber.describe('Deliveries that the filter matches and that may be retried.'),
    isExact,
    retried: wholeNumber.describe('Deliveries made due so far.'),
    failed: wholeNumber.describe('Deliveries that could not be retried.'),
    outcome,
    filter: bulkRetryFilter.describe('Deliveries that were asked for.'),
    ratePerSecond: wholeNumber
      .exactOptional()
      .describe('Deliveries made due per second at most. Absent: as fast as they are found.'),
    requestedBy,
    createdAt: time.describe('When it was asked for.'),
    finishedAt: time.exactOptional().describe('When it ended. Absent until then.'),
  })
  .meta({ typeName: 'BulkRetry' });
export type BulkRetry = z.output<typeof bulkRetryAnswer>;

/** The answer to a dry run: nothing is changed. */
const bulkRetryPreviewAnswer = z.strictObject({
  status: z.literal('preview').describe('Nothing was changed.'),
  matched: wholeNumber.describe('Deliveries that the filter matches and that may be retried.'),
  isExact,
  retried: z.literal(0).describe('Always 0.'),
  failed: z.literal(0).describe('Always 0.'),
  oldest: z
    .array(
      z.strictObject({
        id: idOf('delivery'),
        status: z.enum(DELIVERY_STATUSES).describe('Its status.'),
        eventType: z.string().exactOptional().describe('Event type of the message.'),
        createdAt: time.describe('When the delivery was made.'),
      }),
    )
    .describe('The oldest of them, five at most.'),
});
export type BulkRetryPreview = z.output<typeof bulkRetryPreviewAnswer>;

/** The answer to asking for a bulk retry, or for a dry run of one. */
export const bulkRetryOrPreviewAnswer = z
  .union([bulkRetryAnswer, bulkRetryPreviewAnswer])
  .meta({ typeName: 'BulkRetryOrPreview' });
