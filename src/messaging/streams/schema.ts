import { z } from 'zod';
import { instantQuery } from '../../api/http/reading/query.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPES } from '../../kernel/words/event-types.ts';
import { eventTypeSchema } from '../messages/schema.ts';

/**
 * Event types as in a subscription, separated by commas. An event type that contains a comma can be selected only by
 * its prefix.
 */
const eventTypesQuery = z.string().transform((text, issues) => {
  const eventTypes = text.split(',');
  const problem =
    eventTypes.length > MAX_EVENT_TYPES
      ? `must hold at most ${MAX_EVENT_TYPES} event types`
      : eventTypes.map(eventTypeProblem).find((reason) => reason !== undefined);
  if (problem === undefined) return eventTypes;
  issues.addIssue({ code: 'custom', message: problem });
  return z.NEVER;
});

const eventTypeProblem = (text: string): string | undefined =>
  eventTypeSchema.safeParse(text).error?.issues[0]?.message ?? eventTypePatternProblem(text);

export const streamMessagesQuery = z
  .strictObject({
    eventTypes: eventTypesQuery.optional().describe('Event types or patterns such as `order.*`, separated by commas.'),
    since: instantQuery.optional().describe('Starts with stored messages published after this time.'),
  })
  .meta({ typeName: 'StreamMessages' });

export type StreamMessages = z.output<typeof streamMessagesQuery>;
