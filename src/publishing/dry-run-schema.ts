import { z } from 'zod';
import { fieldProblem, idOf, pageOf } from '../http/answer-fields.ts';
import { fieldsOf } from '../http/fields.ts';
import { MAX_EXPRESSION_LENGTH } from '../filters/expressions/rules.ts';
import { CHANNEL_STATUSES } from '../kernel/statuses.ts';
import { eventTypeSchema, metadataSchema, payloadSchema } from '../messages/schema.ts';

/** A sample, or `messageId` of a stored message; `filter` is an expression to try on it. */
export const dryRunBody = fieldsOf({
  messageId: z.string().optional(),
  eventType: eventTypeSchema.optional(),
  payload: payloadSchema.optional(),
  metadata: metadataSchema.optional(),
  filter: z.string().min(1).max(MAX_EXPRESSION_LENGTH).optional(),
  subscriptionId: z.string().optional(),
}).superRefine(({ messageId, eventType, payload, metadata }, context) => {
  const refuse = (field: string, message: string): void => context.addIssue({ code: 'custom', path: [field], message });
  if (messageId === undefined) {
    if (eventType === undefined) refuse('eventType', 'is required');
    if (payload === undefined) refuse('payload', 'is required');
  } else if (eventType !== undefined || payload !== undefined || metadata !== undefined) {
    refuse('messageId', 'must not stand beside eventType, payload and metadata');
  }
});

export type DryRunRequest = z.output<typeof dryRunBody>;

/** A subscription, and whether it would get the message. */
const dryRunRoute = z.strictObject({
  subscriptionId: idOf('subscription'),
  name: z.string().describe('Name of the subscription.'),
  wouldReceive: z.boolean().describe('Whether a delivery would be made.'),
  reason: z
    .enum(['no_filter', 'filter_matches', 'event_type', 'filter_does_not_match', 'filter_failed'])
    .describe('Why it would or would not get it.'),
  detail: z.string().exactOptional().describe('More of the reason, for people.'),
  heldBy: z.enum(['paused', 'disabled', 'circuit']).exactOptional().describe('Hold that its delivery would wait for.'),
});
export type DryRunRoute = z.output<typeof dryRunRoute>;

/** The fate of a message if it were published now, with a page of the subscriptions. */
export const dryRunAnswer = pageOf(dryRunRoute).extend({
  channel: z
    .strictObject({
      status: z.enum([...CHANNEL_STATUSES, 'system']).describe('Only an active channel takes messages.'),
      accepts: z.boolean().describe('Whether the channel would take it.'),
      errors: z
        .array(fieldProblem)
        .describe(
          'Problems that its schemas find; in a channel that only warns these are warnings, beside `accepts: true`.',
        ),
    })
    .describe('The channel.'),
  filter: z
    .strictObject({
      matches: z.boolean().describe('Whether it lets the message through.'),
      error: z.string().exactOptional().describe('Why it could not be evaluated.'),
    })
    .exactOptional()
    .describe('Verdict of the expression that was given. Absent without one.'),
});
export type DryRun = z.output<typeof dryRunAnswer>;
