import { z } from 'zod';
import { enumQuery, eventTypeQuery, pageQuery, windowQuery } from '../../api/http/reading/query.ts';
import { SCHEDULE_STATUSES } from '../../kernel/words/statuses.ts';
import { messageShape } from '../messages/schema.ts';

/** `scheduled`: what waits. Cancelled ones are shown until retention removes them. */
export const listScheduledQuery = pageQuery
  .extend({
    status: enumQuery(SCHEDULE_STATUSES).default('scheduled').describe('Status to have.'),
    eventType: eventTypeQuery
      .optional()
      .describe('One event type, `order.*` for all that begin with `order.`, or `*`.'),
    /** Bounds deliverAt. */
    ...windowQuery,
    /** `false` leaves payload and metadata out: each row may have 272 KiB of them. */
    payloads: enumQuery(['true', 'false'])
      .optional()
      .describe('With `false` payload and metadata of each message are left out, and a page stays small.'),
  })
  .meta({ typeName: 'ListScheduled' });

export type ListScheduled = z.output<typeof listScheduledQuery>;

/** The answer to a cancel: without payload and metadata. */
export const cancelledMessageAnswer = z
  .strictObject(messageShape)
  .omit({ payload: true, metadata: true })
  .extend({ deliveryStatus: z.literal('cancelled').describe('Nothing of it is published.') })
  .meta({ typeName: 'CancelledMessage' });
export type CancelledMessage = z.output<typeof cancelledMessageAnswer>;
