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

/** Filters that lists and bulk replays have in common. */
export const deadLetterFilter = {
  channelId: z.string('must be a string').optional().describe('Only those of this channel.'),
  subscriptionId: z.string('must be a string').optional().describe('Only those of this subscription.'),
  messageId: z.string('must be a string').optional().describe('Only those of this message.'),
  workflowId: z.string('must be a string').optional().describe('Only those of this workflow.'),
  eventType: eventTypeQuery.optional().describe('One event type, `order.*` for all that start with `order.`, or `*`.'),
  kind: enumQuery(DEAD_LETTER_KINDS).optional().describe('Only those of this kind.'),
  reason: enumQuery(DEAD_LETTER_REASONS).optional().describe('Only those with this reason.'),
  errorClass: enumQuery(ERROR_CLASSES).optional().describe('Only those whose last failure has this class.'),
};

export const listDeadLettersQuery = pageQuery
  .extend({
    ...deadLetterFilter,
    errorStatus: errorStatusQuery
      .optional()
      .describe(
        'Only those whose last response has this HTTP status, or one of a range such as `500-503` or a ' +
          'class such as `5xx`.',
      ),
    status: someQuery(DEAD_LETTER_STATUSES).optional().describe('Only those with one of these statuses.'),
    /** Applies to failedAt. */
    ...windowQuery,
  })
  .meta({ typeName: 'ListDeadLetters' });

export type ListDeadLetters = z.output<typeof listDeadLettersQuery>;

export const exportDeadLettersQuery = listDeadLettersQuery
  .omit(WITHOUT_PAGE)
  .extend(exportQuery)
  .meta({ typeName: 'ExportDeadLetters' });
export type ExportDeadLetters = z.output<typeof exportDeadLettersQuery>;

/** Filters of groups, which count only open dead letters. */
export const deadLetterGroupsQuery = z
  .strictObject({
    ...deadLetterFilter,
    errorStatus: errorStatusQuery
      .optional()
      .describe(
        'Only those whose last response has this HTTP status, or one of a range such as `500-503` or a ' +
          'class such as `5xx`.',
      ),
    /** Applies to failedAt. */
    ...windowQuery,
  })
  .meta({ typeName: 'DeadLetterGroupsQuery' });
export type GroupDeadLetters = z.output<typeof deadLetterGroupsQuery>;

const FIELDS_OF_KIND = {
  delivery: ['channelId', 'messageId', 'subscriptionId', 'deliveryId', 'eventType'],
  run: ['workflowId', 'runId'],
} as const;

/** Why a delivery or run failed permanently, and what can be replayed. */
export const deadLetterAnswer = z
  .strictObject({
    id: idOf('deadLetter'),
    kind: z.enum(DEAD_LETTER_KINDS).describe('Whether a delivery or a workflow run failed.'),
    status: z.enum(DEAD_LETTER_STATUSES).describe('Only an open dead letter can be replayed or discarded.'),
    channelId: idOf('channel').exactOptional().describe('Channel of the message.'),
    messageId: idOf('message')
      .exactOptional()
      .describe(
        'Message that was not delivered, or that started the run. Absent if the run was not started by a ' + 'message.',
      ),
    subscriptionId: idOf('subscription')
      .exactOptional()
      .describe('Subscription that did not receive the message. Only for the kind `delivery`.'),
    deliveryId: idOf('delivery').exactOptional().describe('Delivery that failed. Only for the kind `delivery`.'),
    workflowId: idOf('workflow').exactOptional().describe('Workflow of the run. Only for the kind `run`.'),
    runId: idOf('run').exactOptional().describe('Run that failed. Only for the kind `run`.'),
    stepId: z
      .string()
      .exactOptional()
      .describe('Step that failed. Only for the kind `run`, and absent if the failure was not in a step.'),
    iteration: z
      .string()
      .exactOptional()
      .describe('Position in the loops around that step, counted from 0 and joined by dots. Absent outside loops.'),
    eventType: z.string().exactOptional().describe('Event type of the message.'),
    reason: z.enum(DEAD_LETTER_REASONS).describe('Why it failed permanently.'),
    lastError: z
      .strictObject({
        class: z.enum(ERROR_CLASSES).exactOptional().describe('Error class.'),
        code: z
          .string()
          .exactOptional()
          .describe('Error code of the step, such as `HTTP_404`. Only for the kind `run`.'),
        message: z.string().exactOptional().describe('Error message.'),
        status: wholeNumber.exactOptional().describe('HTTP status of the last response. Absent if there was none.'),
      })
      .describe('How the last attempt failed.'),
    attempts: wholeNumber.describe('Attempts of the delivery or the step until then.'),
    failedAt: time.describe('When it failed permanently.'),
    replayedAt: time.exactOptional().describe('When it was replayed. Absent if it was not.'),
    replayedBy: idOf('apiKey', 'machineCredential', 'user')
      .exactOptional()
      .describe('Who replayed it: an API key, a machine credential or a user. Absent if it was not replayed.'),
  })
  .refine(
    ({ kind, ...letter }) => FIELDS_OF_KIND[kind].every((field) => Reflect.get(letter, field) !== undefined),
    'names its delivery or its run',
  )
  .meta({ typeName: 'DeadLetter' });
export type DeadLetter = z.output<typeof deadLetterAnswer>;

const deadLetterGroup = z.strictObject({
  kind: z.enum(DEAD_LETTER_KINDS).describe('Whether deliveries or workflow runs failed.'),
  subscriptionId: idOf('subscription')
    .exactOptional()
    .describe('Subscription of the deliveries. Only for the kind `delivery`.'),
  workflowId: idOf('workflow').exactOptional().describe('Workflow of the runs. Only for the kind `run`.'),
  reason: z.enum(DEAD_LETTER_REASONS).describe('Why they failed permanently.'),
  errorClass: z.enum(ERROR_CLASSES).exactOptional().describe('Error class of the last failure of each.'),
  errorStatus: wholeNumber
    .exactOptional()
    .describe('HTTP status of the last response of each. Absent if there was none.'),
  count: wholeNumber.describe('Number of open dead letters in the group, among those examined.'),
  firstFailedAt: time.describe('When the first of them failed.'),
  lastFailedAt: time.describe('When the last of them failed.'),
  lastId: idOf('deadLetter').describe('The most recent of them.'),
  counts: z
    .array(wholeNumber)
    .describe('Number of them that failed in each of 24 equal intervals from `from` to `until`, oldest first.'),
});

/** Open dead letters, grouped by cause. */
export const deadLetterGroupsAnswer = z
  .strictObject({
    groups: z.array(deadLetterGroup).describe('Up to 100 groups, largest first.'),
    from: time
      .exactOptional()
      .describe('When the first of the examined dead letters failed. Absent if there was none.'),
    until: time
      .exactOptional()
      .describe('When the last of the examined dead letters failed. Absent if there was none.'),
    examined: wholeNumber.describe('Number of open dead letters examined: up to the newest 10,000.'),
    isExact: z.boolean().describe('Whether the groups and counts are complete.'),
  })
  .meta({ typeName: 'DeadLetterGroups' });
export type DeadLetterGroups = z.output<typeof deadLetterGroupsAnswer>;
