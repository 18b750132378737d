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

/** Deliveries per second that become due. The limits of the subscription apply in addition. */
export const REPLAY_RATE = { min: 1, max: 1_000, default: 100 } as const;

const rate = z.number().int().min(REPLAY_RATE.min).max(REPLAY_RATE.max);

/**
 * A replay of stored messages to one subscription: `since` ≤ publishedAt < `until` (default: now); an empty time range
 * matches nothing. `eventTypes` narrows the event types of the subscription. `onlyMissing` leaves messages alone that
 * already have a delivery. `dryRun` only counts.
 */
export const messageReplayBody = fieldsOf({
  since: instantField.describe('Start of the time range (publication time, inclusive).'),
  until: instantField.exactOptional().describe('End of the time range (publication time, exclusive). Default: now.'),
  eventTypes: z
    .array(z.string().check(checkEventTypePattern))
    .max(MAX_EVENT_TYPES)
    .default([])
    .describe('Event types or patterns such as `order.*`. An empty list means all.'),
  onlyMissing: z
    .boolean('must be true or false')
    .default(false)
    .describe('Whether to skip messages that already have a delivery, even a failed one.'),
  ratePerSecond: rate.default(REPLAY_RATE.default).describe('Maximum deliveries per second that become due.'),
  dryRun: z.boolean('must be true or false').default(false).describe('Whether to only count.'),
}).meta({ typeName: 'CreateMessageReplay' });

export const listBulkReplaysQuery = pageQuery
  .extend({ status: enumQuery(REPLAY_STATUSES).optional().describe('Only those with this status.') })
  .meta({ typeName: 'ListBulkReplays' });

const letterFields = {
  ...deadLetterFilter,
  errorStatus: errorStatusField
    .optional()
    .describe(
      'Only those whose last response has this HTTP status, or one of a range such as `500-503` or a ' +
        'class such as `5xx`.',
    ),
  since: instantField.optional().describe('Only those that failed after this time.'),
  until: instantField.optional().describe('Only those that failed before this time.'),
  createdSince: instantField.optional().describe('Only deliveries created after this time.'),
  createdUntil: instantField.optional().describe('Only deliveries created before this time.'),
  dryRun: z.boolean('must be true or false').default(false).describe('Whether to only count.'),
};

/**
 * Filter of a bulk replay. `{}` matches everything; a missing body is rejected. `dryRun` only counts. Without a rate,
 * dead letters are replayed as fast as they are found.
 */
export const bulkReplayBody = filterOf({
  ...letterFields,
  ratePerSecond: rate
    .exactOptional()
    .describe('Maximum dead letters replayed per second. Default: as fast as they are found.'),
}).meta({ typeName: 'CreateBulkReplay' });

/** Filter of a bulk discard. `{}` matches everything. `dryRun` only counts. */
export const bulkDiscardBody = filterOf(letterFields).meta({ typeName: 'CreateBulkDiscard' });

/**
 * Filter of a bulk retry, as for the list of deliveries. `{}` matches everything that has not been delivered; delivered
 * ones are sent again only if `status` names `delivered`. `dryRun` only counts.
 */
export const bulkRetryBody = filterOf({
  channelId: z.string('must be a string').optional().describe('Only those of this channel.'),
  subscriptionId: z.string('must be a string').optional().describe('Only those of this subscription.'),
  messageId: z.string('must be a string').optional().describe('Only those of this message.'),
  eventType: eventTypeQuery.optional().describe('One event type, `order.*` for all that start with `order.`, or `*`.'),
  status: someField(DELIVERY_STATUSES)
    .optional()
    .describe('Only those with this status, or one of these. Default: all except `delivered`.'),
  errorClass: enumQuery(ERROR_CLASSES).optional().describe('Only those whose last failure has this class.'),
  errorStatus: errorStatusField
    .optional()
    .describe(
      'Only those whose last response has this HTTP status, or one of a range such as `500-503` or a ' +
        'class such as `5xx`.',
    ),
  minLatencyMs: z
    .number()
    .int()
    .min(SLOW_MS)
    .max(TIMEOUT_MS.max)
    .optional()
    .describe('Only those whose last response took at least this many milliseconds.'),
  held: z
    .boolean('must be true or false')
    .optional()
    .describe('`true`: only those that are on hold. `false`: only the others.'),
  replayId: z
    .string('must be a string')
    .optional()
    .describe('Only those that this replay or bulk retry was the last to make due.'),
  since: instantField.optional().describe('Only those created after this time.'),
  until: instantField.optional().describe('Only those created before this time. Default: now.'),
  ratePerSecond: rate
    .exactOptional()
    .describe('Maximum deliveries per second that become due. Default: as fast as they are found.'),
  dryRun: z.boolean('must be true or false').default(false).describe('Whether to only count.'),
}).meta({ typeName: 'CreateBulkRetry' });

export const listBulkRetriesQuery = pageQuery
  .extend({ status: enumQuery(REPLAY_STATUSES).optional().describe('Only those with this status.') })
  .meta({ typeName: 'ListBulkRetries' });

export const listMessageReplaysQuery = pageQuery
  .extend({
    subscriptionId: z.string().optional().describe('Only those of this subscription.'),
    status: enumQuery(REPLAY_STATUSES).optional().describe('Only those with this status.'),
  })
  .meta({ typeName: 'ListMessageReplays' });

export type BulkReplayRequest = z.output<typeof bulkReplayBody>;
export type BulkDiscardRequest = z.output<typeof bulkDiscardBody>;
export type BulkRetryRequest = z.output<typeof bulkRetryBody>;
export type MessageReplayRequest = z.output<typeof messageReplayBody>;

const requestedBy = idOf('apiKey', 'machineCredential', 'user').describe(
  'Who requested it: an API key, a machine credential or a user.',
);

/** What happened to the deliveries and runs that a replay was the last to make due. */
const outcome = z
  .strictObject({
    succeeded: wholeNumber.describe('Delivered deliveries and completed runs.'),
    underWay: wholeNumber.describe('Deliveries and runs that are not finished.'),
    failed: wholeNumber.describe('Deliveries and runs that failed again, and cancelled runs.'),
    isExact: z.boolean().describe('Whether the numbers are exact. Each counts up to 10,000, or 1,000 in a list.'),
  })
  .describe(
    'Current status of what was replayed. A delivery or run that a later replay has made due counts ' +
      'there instead.',
  );
export type ReplayOutcome = z.output<typeof outcome>;

/**
 * A replay and its progress. Messages that are found but not replayed were already being delivered, or have a delivery
 * and `onlyMissing` is set.
 */
export const messageReplayAnswer = z
  .strictObject({
    id: idOf('messageReplay'),
    subscriptionId: idOf('subscription').describe('Subscription that receives the messages again.'),
    status: z.enum(REPLAY_STATUSES).describe('Status of the replay.'),
    since: time.describe('Start of the time range (publication time, inclusive).'),
    until: time.describe('End of the time range (publication time, exclusive).'),
    eventTypes: z
      .array(z.string())
      .describe('Event types that narrow those of the subscription. An empty list means all.'),
    onlyMissing: z.boolean().describe('Whether messages that already have a delivery are skipped, even a failed one.'),
    ratePerSecond: wholeNumber.describe('Maximum deliveries per second that become due.'),
    matched: wholeNumber.describe('Matching messages found so far.'),
    replayed: wholeNumber.describe('Messages replayed so far.'),
    outcome,
    upTo: time.exactOptional().describe('Publication time of the last message examined. Absent before the first one.'),
    requestedBy,
    createdAt: time.describe('When it was requested.'),
    finishedAt: time.exactOptional().describe('When it finished. Absent until then.'),
  })
  .meta({ typeName: 'MessageReplay' });
export type MessageReplay = z.output<typeof messageReplayAnswer>;

/** Response to a dry run, which changes nothing. */
const messageReplayPreviewAnswer = z.strictObject({
  status: z.literal('preview').describe('Always `preview`: nothing was changed.'),
  matched: wholeNumber.describe('Messages that a replay would deliver now.'),
  isExact: z
    .boolean()
    .describe(
      'Whether `matched` is exact. Counting stops after 100,000 messages, or 2,000 if the subscription ' +
        'has a filter.',
    ),
  replayed: z.literal(0).describe('Always 0.'),
  oldest: z
    .array(
      z.strictObject({
        id: idOf('message'),
        eventType: z.string().describe('Event type of the message.'),
        publishedAt: time.describe('When it was published.'),
      }),
    )
    .describe('Up to five of the oldest.'),
});
export type MessageReplayPreview = z.output<typeof messageReplayPreviewAnswer>;

/** Response to requesting a replay or a dry run. */
export const messageReplayOrPreviewAnswer = z
  .union([messageReplayAnswer, messageReplayPreviewAnswer])
  .meta({ typeName: 'MessageReplayOrPreview' });

const filteredStatus = z
  .union([wholeNumber, z.string()])
  .optional()
  .describe(
    'Only those whose last response has this HTTP status, or one of a range such as `500-503` or a ' +
      'class such as `5xx`.',
  );

const bulkReplayFilter = z.strictObject({
  channelId: idOf('channel').optional().describe('Only those of this channel.'),
  subscriptionId: idOf('subscription').optional().describe('Only those of this subscription.'),
  messageId: idOf('message').optional().describe('Only those of this message.'),
  workflowId: idOf('workflow').optional().describe('Only those of this workflow.'),
  eventType: z.string().optional().describe('Only those of this event type or pattern.'),
  kind: z.enum(DEAD_LETTER_KINDS).optional().describe('Only those of this kind.'),
  reason: z.enum(DEAD_LETTER_REASONS).optional().describe('Only those with this reason.'),
  errorClass: z.enum(ERROR_CLASSES).optional().describe('Only those whose last failure has this class.'),
  errorStatus: filteredStatus.describe(
    'Only those whose last response has this HTTP status, or one of a range such as `500-503` or a ' +
      'class such as `5xx`.',
  ),
  since: time.exactOptional().describe('Only those that failed after this time.'),
  until: time.describe('Only those that failed before this time.'),
  createdSince: time.exactOptional().describe('Only deliveries created after this time.'),
  createdUntil: time.exactOptional().describe('Only deliveries created before this time.'),
});

/** Filter of a bulk replay, which replays open dead letters that failed after `since` and before `until`. */
export type BulkReplayFilter = z.output<typeof bulkReplayFilter>;

/**
 * A bulk replay and its progress. When it is completed, the rest of `matched` was replayed or discarded by other
 * requests.
 */
export const bulkReplayAnswer = z
  .strictObject({
    id: idOf('bulkReplay'),
    status: z.enum(REPLAY_STATUSES).describe('Status of the replay.'),
    matched: wholeNumber.describe('Open dead letters that match the filter.'),
    replayed: wholeNumber.describe('Dead letters replayed so far.'),
    failed: wholeNumber.describe(
      'Dead letters that could not be replayed and are still open, because their subscription or ' +
        'workflow is deleted.',
    ),
    outcome,
    filter: bulkReplayFilter.describe('Filter of the request.'),
    ratePerSecond: wholeNumber
      .exactOptional()
      .describe('Maximum dead letters replayed per second. Absent if they are replayed as fast as they are found.'),
    requestedBy,
    createdAt: time.describe('When it was requested.'),
    finishedAt: time.exactOptional().describe('When it finished. Absent until then.'),
  })
  .meta({ typeName: 'BulkReplay' });
export type BulkReplay = z.output<typeof bulkReplayAnswer>;

/** Response to a dry run, which changes nothing. */
const bulkReplayPreviewAnswer = z.strictObject({
  status: z.literal('preview').describe('Always `preview`: nothing was changed.'),
  matched: wholeNumber.describe('Open dead letters that match the filter.'),
  replayed: z.literal(0).describe('Always 0.'),
  failed: z.literal(0).describe('Always 0.'),
  oldest: z
    .array(
      z.strictObject({
        id: idOf('deadLetter'),
        failedAt: time.describe('When it failed permanently.'),
        eventType: z.string().exactOptional().describe('Event type of the message.'),
      }),
    )
    .describe('Up to five of the oldest.'),
});
export type BulkReplayPreview = z.output<typeof bulkReplayPreviewAnswer>;

/** Response to requesting a bulk replay or a dry run. */
export const bulkReplayOrPreviewAnswer = z
  .union([bulkReplayAnswer, bulkReplayPreviewAnswer])
  .meta({ typeName: 'BulkReplayOrPreview' });

/** Response to a bulk discard or a dry run. */
export const bulkDiscardAnswer = z
  .strictObject({
    status: z.enum(['preview', 'discarded']).describe('`preview`: nothing was changed.'),
    matched: wholeNumber.describe('Open dead letters that match the filter.'),
    discarded: wholeNumber.describe('Dead letters that this request discarded, oldest first.'),
    left: wholeNumber.describe('Matching dead letters that are still open. Repeat the request to discard them.'),
  })
  .meta({ typeName: 'BulkDiscard' });
export type BulkDiscard = z.output<typeof bulkDiscardAnswer>;

/**
 * Filter of a bulk retry, also as stored. A stored filter with a field that this version does not know is rejected,
 * because ignoring the field would match more.
 */
export const bulkRetryFilter = z.strictObject({
  channelId: idOf('channel').optional().describe('Only those of this channel.'),
  subscriptionId: idOf('subscription').optional().describe('Only those of this subscription.'),
  messageId: idOf('message').optional().describe('Only those of this message.'),
  eventType: z.string().optional().describe('Only those of this event type or pattern.'),
  status: z
    .union([z.enum(DELIVERY_STATUSES), z.array(z.enum(DELIVERY_STATUSES))])
    .optional()
    .describe('Only those with this status, or one of these. Absent: all except `delivered`.'),
  errorClass: z.enum(ERROR_CLASSES).optional().describe('Only those whose last failure has this class.'),
  errorStatus: filteredStatus.describe(
    'Only those whose last response has this HTTP status, or one of a range such as `500-503` or a ' +
      'class such as `5xx`.',
  ),
  minLatencyMs: wholeNumber.optional().describe('Only those whose last response took at least this many milliseconds.'),
  held: z.boolean().optional().describe('Only those that are on hold, or only the others.'),
  replayId: idOf('bulkReplay', 'bulkRetry', 'messageReplay')
    .optional()
    .describe('Only those that this replay or bulk retry was the last to make due.'),
  since: time.exactOptional().describe('Only those created after this time.'),
  until: time.describe('Only those created before this time.'),
});
export type BulkRetryFilter = z.output<typeof bulkRetryFilter>;

const isExact = z
  .boolean()
  .describe(
    'Whether `matched` was the exact count at the time of the request. Counting stops after 100,000 ' +
      'rows; the retry continues beyond them.',
  );

/** A bulk retry and its progress. When it is completed, the rest of `matched` was delivered or retried otherwise. */
export const bulkRetryAnswer = z
  .strictObject({
    id: idOf('bulkRetry'),
    status: z.enum(REPLAY_STATUSES).describe('Status of the retry.'),
    matched: wholeNumber.describe('Deliveries that match the filter and can be retried.'),
    isExact,
    retried: wholeNumber.describe('Deliveries retried so far.'),
    failed: wholeNumber.describe(
      'Deliveries that could not be retried, because their message is erased or their subscription deleted.',
    ),
    outcome,
    filter: bulkRetryFilter.describe('Filter of the request.'),
    ratePerSecond: wholeNumber
      .exactOptional()
      .describe('Maximum deliveries per second that become due. Absent if they are retried as fast as they are found.'),
    requestedBy,
    createdAt: time.describe('When it was requested.'),
    finishedAt: time.exactOptional().describe('When it finished. Absent until then.'),
  })
  .meta({ typeName: 'BulkRetry' });
export type BulkRetry = z.output<typeof bulkRetryAnswer>;

/** Response to a dry run, which changes nothing. */
const bulkRetryPreviewAnswer = z.strictObject({
  status: z.literal('preview').describe('Always `preview`: nothing was changed.'),
  matched: wholeNumber.describe('Deliveries that match the filter and can be retried.'),
  isExact,
  retried: z.literal(0).describe('Always 0.'),
  failed: z.literal(0).describe('Always 0.'),
  oldest: z
    .array(
      z.strictObject({
        id: idOf('delivery'),
        status: z.enum(DELIVERY_STATUSES).describe('Status of the delivery.'),
        eventType: z.string().exactOptional().describe('Event type of the message.'),
        createdAt: time.describe('When the delivery was created.'),
      }),
    )
    .describe('Up to five of the oldest.'),
});
export type BulkRetryPreview = z.output<typeof bulkRetryPreviewAnswer>;

/** Response to requesting a bulk retry or a dry run. */
export const bulkRetryOrPreviewAnswer = z
  .union([bulkRetryAnswer, bulkRetryPreviewAnswer])
  .meta({ typeName: 'BulkRetryOrPreview' });
