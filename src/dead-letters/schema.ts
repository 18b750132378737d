import { z } from 'zod';
import { idOf, time, wholeNumber } from '../http/answer-fields.ts';
import { enumQuery, eventTypeQuery, pageQuery, windowQuery } from '../http/query.ts';
import { DEAD_LETTER_KINDS, DEAD_LETTER_REASONS, DEAD_LETTER_STATUSES, ERROR_CLASSES } from '../kernel/statuses.ts';

/** Filter fields that lists and bulk replays have in common. */
export const deadLetterFilter = {
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

export type ListDeadLetters = z.output<typeof listDeadLettersQuery>;

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
    replayedBy: idOf('apiKey', 'machineCredential')
      .exactOptional()
      .describe('Credential that replayed it. Absent until then.'),
  })
  .refine(
    ({ kind, ...letter }) => kind !== 'delivery' || DELIVERY_FIELDS.every((field) => letter[field] !== undefined),
    'names its delivery where it is of that kind',
  );
export type DeadLetter = z.output<typeof deadLetterAnswer>;
