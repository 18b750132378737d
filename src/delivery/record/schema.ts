import { z } from 'zod';
import { idOf, time, wholeNumber } from '../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../api/http/reading/fields.ts';
import {
  enumQuery,
  errorStatusQuery,
  eventTypeQuery,
  exportQuery,
  pageQuery,
  someQuery,
  wholeNumberQuery,
  windowQuery,
  WITHOUT_PAGE,
} from '../../api/http/reading/query.ts';
import { HELD_REASONS } from './held.ts';
import { SLOW_MS, TIMEOUT_MS } from '../../kernel/rules/resource-bounds.ts';
import { ATTEMPT_OUTCOMES, DELIVERY_STATUSES, ERROR_CLASSES, FAILURE_REASONS } from '../../kernel/words/statuses.ts';

const minLatencyQuery = wholeNumberQuery(
  /^[1-9]\d{3,4}$/,
  { min: SLOW_MS, max: TIMEOUT_MS.max },
  `must be whole milliseconds from ${SLOW_MS} to ${TIMEOUT_MS.max}`,
);

export const listDeliveriesQuery = pageQuery
  .extend({
    channelId: z.string().optional().describe('Only of this channel.'),
    subscriptionId: z.string().optional().describe('Only of this subscription.'),
    messageId: z.string().optional().describe('Only of this message.'),
    eventType: eventTypeQuery
      .optional()
      .describe('One event type, `order.*` for all that begin with `order.`, or `*`.'),
    status: someQuery(DELIVERY_STATUSES).optional().describe('Only those with one of these statuses.'),
    errorClass: enumQuery(ERROR_CLASSES).optional().describe('Only with this kind of the last failure.'),
    errorStatus: errorStatusQuery
      .optional()
      .describe(
        'Only with this HTTP status of the last answer, or with one of a range such as `500-503` or a class such as `5xx`.',
      ),
    minLatencyMs: minLatencyQuery
      .optional()
      .describe('Only those whose last answer took so many milliseconds, from 1,000 on.'),
    held: enumQuery(['true', 'false'])
      .optional()
      .describe('Only those that wait for something beside their policy, or only the others.'),
    /** A replay or bulk retry that was the last to make them due. */
    replayId: z.string().optional().describe('Only those that this replay or bulk retry was the last to make due.'),
    /** No filter: says whether the rows come with the bodies of their last answers. */
    responseBodies: enumQuery(['true', 'false'])
      .optional()
      .describe(
        'With `false` the bodies of the last answers are left out: `response.body` is empty, and a page stays small.',
      ),
    /** Bounds createdAt. */
    ...windowQuery,
  })
  .meta({ typeName: 'ListDeliveries' });

export type ListDeliveries = z.output<typeof listDeliveriesQuery>;

export const exportDeliveriesQuery = listDeliveriesQuery
  .omit({ ...WITHOUT_PAGE, responseBodies: true })
  .extend(exportQuery)
  .meta({ typeName: 'ExportDeliveries' });
export type ExportDeliveries = z.output<typeof exportDeliveriesQuery>;

/** The subscription of the message's channel that is to get it. */
export const replayMessageBody = fieldsOf({
  subscriptionId: z.string().describe('Subscription of its channel that gets it.'),
}).meta({ typeName: 'ReplayMessage' });

const response = z.strictObject({
  status: wholeNumber.describe('HTTP status.'),
  body: z.string().describe('First 16 KiB of the body, as text. Empty in a list without `responseBodies`.'),
  latencyMs: wholeNumber.describe('Milliseconds from sending to the end of the answer.'),
});

/** Answer of the subscriber. */
export type DeliveryResponse = z.output<typeof response>;

/** Spec §2 Delivery. */
export const deliveryAnswer = z
  .strictObject({
    id: idOf('delivery'),
    messageId: idOf('message').describe('Message that is delivered.'),
    subscriptionId: idOf('subscription').describe('Subscription that gets it.'),
    eventType: z
      .string()
      .exactOptional()
      .describe('Event type of the message. Absent on a delivery from before it was kept.'),
    status: z.enum(DELIVERY_STATUSES).describe('Whether it has arrived, is given up, or is still to be tried.'),
    attempts: wholeNumber.describe('Attempts so far, over all rounds.'),
    policyAttempts: wholeNumber.describe(
      'Attempts that its retry policy has counted since it was made, or last retried or replayed. A hold that begins a new round leaves it as it is.',
    ),
    lastAttemptAt: time.exactOptional().describe('When the last attempt began. Absent before the first one.'),
    nextRetryAt: time.exactOptional().describe('When it is tried again. Absent where no retry is coming.'),
    response: response
      .exactOptional()
      .describe('Answer of the subscriber to the last attempt. Absent when that got none.'),
    held: z
      .strictObject({
        reason: z.enum(HELD_REASONS).describe('The thing that holds it, beside its policy.'),
        since: time.describe('Since when.'),
        until: time.exactOptional().describe('Until when, as nextRetryAt. Absent while nothing but a resume ends it.'),
      })
      .exactOptional()
      .describe('Why it is not being tried. On unfinished deliveries only.'),
    error: z
      .strictObject({
        class: z.enum(ERROR_CLASSES).describe('Kind of the failure.'),
        message: z.string().describe('The same for people.'),
      })
      .exactOptional()
      .describe('Why the last attempt failed, or what fault of the service holds it. None on a delivered one.'),
    reason: z.enum(FAILURE_REASONS).exactOptional().describe('Why it was given up. On failed deliveries only.'),
    createdAt: time.describe('When the delivery was made.'),
  })
  .meta({ typeName: 'Delivery' });
export type Delivery = z.output<typeof deliveryAnswer>;

/** The request of an attempt as it was sent, without its body, which is the message. */
const sentRequest = z.strictObject({
  version: wholeNumber.describe(
    'Counts the forms of requests to the subscription from 1: a change of its URL or headers begins the next one.',
  ),
  method: z.literal('POST').describe('Always POST.'),
  url: z.string().describe('URL, the values of its query masked by `***`.'),
  headers: z
    .record(z.string(), z.string())
    .describe('Headers by name as sent. The signature and values that look like credentials are masked by `***`.'),
});
export type SentRequest = z.output<typeof sentRequest>;

/** One try, as it is recorded. */
export const attemptAnswer = z
  .strictObject({
    id: idOf('attempt'),
    deliveryId: idOf('delivery').describe('Delivery that was tried.'),
    number: wholeNumber.describe('Counts the attempts of the delivery from 1.'),
    startedAt: time.describe('When it began.'),
    durationMs: wholeNumber.describe('Milliseconds that it took.'),
    outcome: z.enum(ATTEMPT_OUTCOMES).describe('Whether the message has arrived by it.'),
    errorClass: z.enum(ERROR_CLASSES).exactOptional().describe('Kind of the failure. Absent on success.'),
    errorMessage: z.string().exactOptional().describe('The same for people, with what is to be mended.'),
    request: sentRequest
      .exactOptional()
      .describe('Request as it was sent. Absent where nobody has kept it, as after a crash.'),
    response: response
      .extend({ headers: z.record(z.string(), z.string()).describe('Headers of the answer, by lower-case name.') })
      .exactOptional()
      .describe('Answer of the subscriber. Absent when there was none.'),
    temporalWorkflowId: z.string().describe('Id of the Temporal workflow that ran the attempt.'),
  })
  .meta({ typeName: 'Attempt' });
export type Attempt = z.output<typeof attemptAnswer>;
