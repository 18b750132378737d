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
    channelId: z.string().optional().describe('Only those of this channel.'),
    subscriptionId: z.string().optional().describe('Only those of this subscription.'),
    messageId: z.string().optional().describe('Only those of this message.'),
    eventType: eventTypeQuery
      .optional()
      .describe('One event type, `order.*` for all that start with `order.`, or `*`.'),
    status: someQuery(DELIVERY_STATUSES).optional().describe('Only those with one of these statuses.'),
    errorClass: enumQuery(ERROR_CLASSES).optional().describe('Only those whose last failure has this class.'),
    errorStatus: errorStatusQuery
      .optional()
      .describe(
        'Only those whose last response has this HTTP status, or one of a range such as `500-503` or a ' +
          'class such as `5xx`.',
      ),
    minLatencyMs: minLatencyQuery
      .optional()
      .describe('Only those whose last response took at least this many milliseconds, from 1,000.'),
    held: enumQuery(['true', 'false'])
      .optional()
      .describe('`true`: only those that are on hold. `false`: only the others.'),
    replayId: z.string().optional().describe('Only those that this replay or bulk retry was the last to make due.'),
    /** Not a filter: whether the rows include the bodies of their last responses. */
    responseBodies: enumQuery(['true', 'false'])
      .optional()
      .describe('`false` omits the bodies of the last responses, which keeps pages small: `response.body` is empty.'),
    /** Applies to createdAt. */
    ...windowQuery,
  })
  .meta({ typeName: 'ListDeliveries' });

export type ListDeliveries = z.output<typeof listDeliveriesQuery>;

export const exportDeliveriesQuery = listDeliveriesQuery
  .omit({ ...WITHOUT_PAGE, responseBodies: true })
  .extend(exportQuery)
  .meta({ typeName: 'ExportDeliveries' });
export type ExportDeliveries = z.output<typeof exportDeliveriesQuery>;

/** The subscription, in the channel of the message, to deliver to. */
export const replayMessageBody = fieldsOf({
  subscriptionId: z.string().describe('Subscription to deliver to, in the channel of the message.'),
}).meta({ typeName: 'ReplayMessage' });

const response = z.strictObject({
  status: wholeNumber.describe('HTTP status.'),
  body: z.string().describe('First 16 KiB of the body, as text. Empty in a list with `responseBodies=false`.'),
  latencyMs: wholeNumber.describe('Milliseconds from sending the request to the end of the response.'),
});

/** Response of the receiver. */
export type DeliveryResponse = z.output<typeof response>;

/** Spec §2 Delivery. */
export const deliveryAnswer = z
  .strictObject({
    id: idOf('delivery'),
    messageId: idOf('message').describe('Message to be delivered.'),
    subscriptionId: idOf('subscription').describe('Subscription that receives it.'),
    eventType: z
      .string()
      .exactOptional()
      .describe('Event type of the message. Absent on old deliveries that did not store it.'),
    status: z.enum(DELIVERY_STATUSES).describe('Whether it was delivered, has failed permanently, or is unfinished.'),
    attempts: wholeNumber.describe('Attempts so far, over all rounds.'),
    policyAttempts: wholeNumber.describe(
      'Attempts that the retry policy has counted since the delivery was created or last retried or ' +
        'replayed. A hold starts a new round without resetting this number.',
    ),
    lastAttemptAt: time.exactOptional().describe('When the last attempt started. Absent before the first one.'),
    nextRetryAt: time.exactOptional().describe('When it is retried. Absent if no retry is scheduled.'),
    response: response
      .exactOptional()
      .describe('Response of the receiver to the last attempt. Absent if there was none.'),
    held: z
      .strictObject({
        reason: z
          .enum(HELD_REASONS)
          .describe(
            'Reason for the hold. `secret_unreadable` and `internal` do not use up the retry policy: the ' +
              'delivery is retried with delays that grow to an hour, and fails after seven days as `internal`.',
          ),
        since: time.describe('Start of the hold.'),
        until: time.exactOptional().describe('End of the hold, as nextRetryAt. Absent if only a resume ends it.'),
      })
      .exactOptional()
      .describe('Why no attempt is made at present. Only on unfinished deliveries.'),
    error: z
      .strictObject({
        class: z.enum(ERROR_CLASSES).describe('Error class.'),
        message: z.string().describe('Error message.'),
      })
      .exactOptional()
      .describe(
        'Why the last attempt failed, or which internal error keeps the delivery on hold. Absent on a ' +
          'delivered one.',
      ),
    reason: z.enum(FAILURE_REASONS).exactOptional().describe('Why it failed permanently. Only on failed deliveries.'),
    createdAt: time.describe('When the delivery was created.'),
  })
  .meta({ typeName: 'Delivery' });
export type Delivery = z.output<typeof deliveryAnswer>;

/** The request of an attempt as sent, without its body, which is the message. */
const sentRequest = z.strictObject({
  version: wholeNumber.describe(
    'Version of the URL and headers used for the subscription, counted from 1; changing either starts ' +
      'the next one.',
  ),
  method: z.literal('POST').describe('Always POST.'),
  url: z.string().describe('URL, with the values of its query replaced by `***`.'),
  headers: z
    .record(z.string(), z.string())
    .describe(
      'Headers by name, as sent. The signature, the parent-id of a trace and values that look like ' +
        'credentials are replaced by `***`; headers of the connection are omitted.',
    ),
});
export type SentRequest = z.output<typeof sentRequest>;

/** One recorded attempt. */
export const attemptAnswer = z
  .strictObject({
    id: idOf('attempt'),
    deliveryId: idOf('delivery').describe('Delivery it belongs to.'),
    number: wholeNumber.describe('Number of the attempt within the delivery, from 1.'),
    startedAt: time.describe('When it started.'),
    durationMs: wholeNumber.describe('Duration in milliseconds.'),
    outcome: z.enum(ATTEMPT_OUTCOMES).describe('Whether the message was delivered.'),
    errorClass: z.enum(ERROR_CLASSES).exactOptional().describe('Error class. Absent on success.'),
    errorMessage: z.string().exactOptional().describe('Error message, with what to fix.'),
    request: sentRequest
      .exactOptional()
      .describe(
        'Request as sent. Absent if it was not stored: after a crash of the worker, or if the subscription ' +
          'has changed more than a hundred times since.',
      ),
    response: response
      .extend({ headers: z.record(z.string(), z.string()).describe('Headers of the response, by lower-case name.') })
      .exactOptional()
      .describe('Response of the receiver. Absent if there was none.'),
    temporalWorkflowId: z.string().describe('Id of the Temporal workflow that ran the attempt.'),
  })
  .meta({ typeName: 'Attempt' });
export type Attempt = z.output<typeof attemptAnswer>;
