import { z } from 'zod';
import { idOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import {
  enumQuery,
  errorStatusQuery,
  eventTypeQuery,
  exportQuery,
  pageQuery,
  someQuery,
  windowQuery,
  WITHOUT_PAGE,
} from '../../api/http/reading/query.ts';
import {
  DEAD_LETTER_KINDS,
  DEAD_LETTER_REASONS,
  DEAD_LETTER_STATUSES,
  ERROR_CLASSES,
} from '../../kernel/words/statuses.ts';

/** Filter fields that lists and bulk replays have in common. */
export const deadLetterFilter = {
  channelId: z.string('must be a string').optional().describe('Only of this channel.'),
  subscriptionId: z.string('must be a string').optional().describe('Only of this subscription.'),
  messageId: z.string('must be a string').optional().describe('Only of this message.'),
  workflowId: z.string('must be a string').optional().describe('Only of this workflow.'),
  eventType: eventTypeQuery.optional().describe('One event type, `order.*` for all that begin with `order.`, or `*`.'),
  kind: enumQuery(DEAD_LETTER_KINDS).optional().describe('Only of this kind.'),
  reason: enumQuery(DEAD_LETTER_REASONS).optional().describe('Only with this reason.'),
  errorClass: enumQuery(ERROR_CLASSES).optional().describe('Only with this kind of the last failure.'),
};

export const listDeadLettersQuery = pageQuery
  .extend({
    ...deadLetterFilter,
    errorStatus: errorStatusQuery
      .optional()
      .describe(
        'Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`.',
      ),
    status: someQuery(DEAD_LETTER_STATUSES).optional().describe('Only those with one of these statuses.'),
    /** Bounds failedAt. */
    ...windowQuery,
  })
  .meta({ typeName: 'ListDeadLetters' });

export type ListDeadLetters = z.output<typeof listDeadLettersQuery>;

export const exportDeadLettersQuery = listDeadLettersQuery
  .omit(WITHOUT_PAGE)
  .extend(exportQuery)
  .meta({ typeName: 'ExportDeadLetters' });
export type ExportDeadLetters = z.output<typeof exportDeadLettersQuery>;

/** Filter of groups: they are of open ones alone. */
export const deadLetterGroupsQuery = z
  .strictObject({
    ...deadLetterFilter,
    errorStatus: errorStatusQuery
      .optional()
      .describe(
        'Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`.',
      ),
    /** Bounds failedAt. */
    ...windowQuery,
  })
  .meta({ typeName: 'DeadLetterGroupsQuery' });
export type GroupDeadLetters = z.output<typeof deadLetterGroupsQuery>;

const FIELDS_OF_KIND = {
  delivery: ['channelId', 'messageId', 'subscriptionId', 'deliveryId', 'eventType'],
  run: ['workflowId', 'runId'],
} as const;

/** A failure's last word: why a delivery or a run ended, what can be replayed. */
export const deadLetterAnswer = z
  .strictObject({
    id: idOf('deadLetter'),
    kind: z.enum(DEAD_LETTER_KINDS).describe('A delivery has failed, or a run of a workflow.'),
    status: z.enum(DEAD_LETTER_STATUSES).describe('Only an open one can be replayed or discarded.'),
    channelId: idOf('channel').exactOptional().describe('Channel of the message.'),
    messageId: idOf('message')
      .exactOptional()
      .describe('Message that was not delivered, or that began the run. Absent where no message did.'),
    subscriptionId: idOf('subscription')
      .exactOptional()
      .describe('Subscription that did not get it. On the kind delivery.'),
    deliveryId: idOf('delivery').exactOptional().describe('Delivery that was given up. On the kind delivery.'),
    workflowId: idOf('workflow').exactOptional().describe('Workflow of the run. On the kind run.'),
    runId: idOf('run').exactOptional().describe('Run that failed. On the kind run.'),
    stepId: z.string().exactOptional().describe('Step that failed. On the kind run, unless no step is to blame.'),
    iteration: z
      .string()
      .exactOptional()
      .describe('Places of its items in the loops around that step, from 0, joined by dots. Absent outside loops.'),
    eventType: z.string().exactOptional().describe('Event type of the message.'),
    reason: z.enum(DEAD_LETTER_REASONS).describe('Why it was given up.'),
    lastError: z
      .strictObject({
        class: z.enum(ERROR_CLASSES).exactOptional().describe('Kind of the failure.'),
        code: z
          .string()
          .exactOptional()
          .describe('Code of the error of the step, such as `HTTP_404`. On the kind run.'),
        message: z.string().exactOptional().describe('The same for people.'),
        status: wholeNumber.exactOptional().describe('HTTP status of the last answer. Absent when there was none.'),
      })
      .describe('How the last attempt failed.'),
    attempts: wholeNumber.describe('Attempts until then: of the delivery, or of the step.'),
    failedAt: time.describe('When it was given up.'),
    replayedAt: time.exactOptional().describe('When it was replayed. Absent until then.'),
    replayedBy: idOf('apiKey', 'machineCredential', 'user')
      .exactOptional()
      .describe('Who replayed it: an API key, a machine credential or a person. Absent until then.'),
  })
  .refine(
    ({ kind, ...letter }) => FIELDS_OF_KIND[kind].every((field) => Reflect.get(letter, field) !== undefined),
    'names its delivery or its run',
  )
  .meta({ typeName: 'DeadLetter' });
export type DeadLetter = z.output<typeof deadLetterAnswer>;

const deadLetterGroup = z.strictObject({
  kind: z.enum(DEAD_LETTER_KINDS).describe('A delivery has failed, or a run of a workflow.'),
  subscriptionId: idOf('subscription').exactOptional().describe('Subscription of all of them. On the kind delivery.'),
  workflowId: idOf('workflow').exactOptional().describe('Workflow of all of them. On the kind run.'),
  reason: z.enum(DEAD_LETTER_REASONS).describe('Why they were given up.'),
  errorClass: z.enum(ERROR_CLASSES).exactOptional().describe('Kind of the last failure of each.'),
  errorStatus: wholeNumber.exactOptional().describe('HTTP status of the last answer of each. Absent without one.'),
  count: wholeNumber.describe('Open dead letters of the group, among those that were looked at.'),
  firstFailedAt: time.describe('When the first of them was given up.'),
  lastFailedAt: time.describe('When the last of them was given up.'),
  lastId: idOf('deadLetter').describe('The last of them.'),
  counts: z
    .array(wholeNumber)
    .describe('How many of them were given up in each of 24 equal steps from `from` to `until`, the oldest first.'),
});

/** Open dead letters by their cause. */
export const deadLetterGroupsAnswer = z
  .strictObject({
    groups: z.array(deadLetterGroup).describe('The largest groups first, 100 at most.'),
    from: time
      .exactOptional()
      .describe('When the first of those that were looked at was given up. Absent without any.'),
    until: time.exactOptional().describe('When the last of them was given up. Absent without any.'),
    examined: wholeNumber.describe('Open dead letters that were looked at: the newest 10,000 at most.'),
    isExact: z.boolean().describe('Whether the groups are all there are, and their counts are whole.'),
  })
  .meta({ typeName: 'DeadLetterGroups' });
export type DeadLetterGroups = z.output<typeof deadLetterGroupsAnswer>;
