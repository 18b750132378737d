import { z } from 'zod';
import { enumQuery, eventTypeQuery, pageQuery, windowQuery } from '../../api/http/reading/query.ts';
import { SCHEDULE_STATUSES } from '../../kernel/words/statuses.ts';
import { messageShape } from '../messages/schema.ts';

/** `scheduled` lists waiting messages. Cancelled ones are listed until retention removes them. */
export const listScheduledQuery = pageQuery
  .extend({
    status: enumQuery(SCHEDULE_STATUSES).default('scheduled').describe('Only messages with this status.'),
    eventType: eventTypeQuery
      .optional()
      .describe('One event type, `order.*` for all that start with `order.`, or `*`.'),
    /** Applies to deliverAt. */
    ...windowQuery,
    /** `false` omits payload and metadata, which can be 272 KiB per row. */
    payloads: enumQuery(['true', 'false'])
      .optional()
      .describe('`false` omits payload and metadata of each message, which keeps pages small.'),
  })
  .meta({ typeName: 'ListScheduled' });

export type ListScheduled = z.output<typeof listScheduledQuery>;

/** Response to cancelling a message, without payload and metadata. */
export const cancelledMessageAnswer = z
  .strictObject(messageShape)
  .omit({ payload: true, metadata: true })
  .extend({ deliveryStatus: z.literal('cancelled').describe('Always `cancelled`: the message will not be published.') })
  .meta({ typeName: 'CancelledMessage' });
export type CancelledMessage = z.output<typeof cancelledMessageAnswer>;
