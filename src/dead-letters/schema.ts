import { z } from 'zod';
import { idOf, time, wholeNumber } from '../http/answer-fields.ts';
import { fieldsOf } from '../http/fields.ts';
import { enumQuery, eventTypeQuery, instantField, pageQuery, windowQuery } from '../http/query.ts';
import {
  BULK_REPLAY_STATUSES,
  DEAD_LETTER_KINDS,
  DEAD_LETTER_REASONS,
  DEAD_LETTER_STATUSES,
  ERROR_CLASSES,
} from '../kernel/statuses.ts';

/** Filter fields that lists and bulk replays have in common. */
const deadLetterFilter = {
  channelId: z.string('must be a string').optional(),
  subscriptionId: z.string('must be a string').optional(),
  messageId: z.string('must be a string').optional(),
  eventType: eventTypeQuery.optional(),
  kind: enumQuery(DEAD_LETTER_KINDS).optional(),
  reason: enumQuery(DEAD_LETTER_REASONS).optional(),
};

export const listDeadLettersQuery = pageQuery.extend({
  ...deadLetterFilter,
  status: enumQuery(DEAD_LETTER_STATUSES).optional(),
  /** Bounds failedAt. */
  ...windowQuery,
});

export const listBulkReplaysQuery = pageQuery.extend({ status: enumQuery(BULK_REPLAY_STATUSES).optional() });

/** The filter of a bulk replay; everything is asked for by `{}`, not by a missing body. `dryRun` only counts. */
export const bulkReplayBody = fieldsOf({
  ...deadLetterFilter,
  since: instantField.optional(),
  until: instantField.optional(),
  dryRun: z.boolean('must be true or false').default(false),
});

export type ListDeadLetters = z.output<typeof listDeadLettersQuery>;
export type ListBulkReplays = z.output<typeof listBulkReplaysQuery>;
export type BulkReplayRequest = z.output<typeof bulkReplayBody>;

const DELIVERY_FIELDS = ['channelId', 'messageId', 'subscriptionId', 'deliveryId', 'eventType'] as const;

/** A failure's last word: why a delivery ended, what can be replayed. */
export const deadLetterAnswer = z
  .strictObject({
    id: idOf('deadLetter'),
    kind: z.enum(DEAD_LETTER_KINDS).describe('A delivery has failed, or a run of a workflow.'),
    status: z.enum(DEAD_LETTER_STATUSES).describe('Only an open one can be replayed or discarded.'),
    channelId: idOf('channel').exactOptional().describe('Channel of the message. On the kind delivery.'),
    messageId: idOf('message').exactOptional().describe('Message that was not delivered. On the kind delivery.'),
    subscriptionId: idOf('subscription')
      .exactOptional()
      .describe('Subscription that did not get it. On the kind delivery.'),
    deliveryId: idOf('delivery').exactOptional().describe('Delivery that was given up. On the kind delivery.'),
    eventType: z.string().exactOptional().describe('Event type of the message. On the kind delivery.'),
    reason: z.enum(DEAD_LETTER_REASONS).describe('Why it was given up.'),
    lastError: z
      .strictObject({
        class: z.enum(ERROR_CLASSES).exactOptional().describe('Kind of the failure.'),
        message: z.string().exactOptional().describe('The same for people.'),
        status: wholeNumber.exactOptional().describe('HTTP status of the last answer. Absent when there was none.'),
      })
      .describe('How the last attempt failed.'),
    attempts: wholeNumber.describe('Attempts until then.'),
    failedAt: time.describe('When it was given up.'),
    replayedAt: time.exactOptional().describe('When it was replayed. Absent until then.'),
    replayedBy: idOf('apiKey').exactOptional().describe('Credential that replayed it. Absent until then.'),
  })
  .refine(
    ({ kind, ...letter }) => kind !== 'delivery' || DELIVERY_FIELDS.every((field) => letter[field] !== undefined),
    'names its delivery where it is of that kind',
  );
export type DeadLetter = z.output<typeof deadLetterAnswer>;

const bulkReplayFilter = z.strictObject({
  channelId: idOf('channel').optional().describe('Only of this channel.'),
  subscriptionId: idOf('subscription').optional().describe('Only of this subscription.'),
  messageId: idOf('message').optional().describe('Only of this message.'),
  eventType: z.string().optional().describe('Only of this event type, or of those with its beginning.'),
  kind: z.enum(DEAD_LETTER_KINDS).optional().describe('Only of this kind.'),
  reason: z.enum(DEAD_LETTER_REASONS).optional().describe('Only with this reason.'),
  since: time.exactOptional().describe('Only what failed after this.'),
  until: time.describe('Only what failed before this.'),
});

/** Filter of a bulk replay, which replays open dead letters that failed after `since` and before `until`. */
export type BulkReplayFilter = z.output<typeof bulkReplayFilter>;

/** A bulk replay and how far it is: matched = replayed + failed once it is completed. */
export const bulkReplayAnswer = z.strictObject({
  id: idOf('bulkReplay'),
  status: z.enum(BULK_REPLAY_STATUSES).describe('How far it is.'),
  matched: wholeNumber.describe('Open dead letters that the filter matches.'),
  replayed: wholeNumber.describe('Dead letters replayed so far.'),
  failed: wholeNumber.describe('Dead letters that could not be replayed.'),
  filter: bulkReplayFilter.describe('Dead letters that were asked for.'),
  createdAt: time.describe('When it was asked for.'),
  finishedAt: time.exactOptional().describe('When it ended. Absent until then.'),
});
export type BulkReplay = z.output<typeof bulkReplayAnswer>;

/** The answer to a dry run: nothing is changed. */
const bulkReplayPreviewAnswer = z.strictObject({
  status: z.literal('preview').describe('Nothing was changed.'),
  matched: wholeNumber.describe('Open dead letters that the filter matches.'),
  replayed: z.literal(0).describe('Always 0.'),
  failed: z.literal(0).describe('Always 0.'),
});
export type BulkReplayPreview = z.output<typeof bulkReplayPreviewAnswer>;

/** The answer to asking for a bulk replay, or for a dry run of one. */
export const bulkReplayAskedAnswer = z.union([bulkReplayAnswer, bulkReplayPreviewAnswer]);
