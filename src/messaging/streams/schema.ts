import { z } from 'zod';
import { instantQuery } from '../../api/http/reading/query.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPES } from '../../kernel/words/event-types.ts';
import { eventTypeSchema } from '../messages/schema.ts';

/** Event types as a subscription lists them, joined by commas; a type that has a comma itself can only be meant by a beginning. */
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
    eventTypes: eventTypesQuery.optional().describe('Event types or beginnings of them, with commas between them.'),
    since: instantQuery.optional().describe('Begins with stored messages published after this.'),
  })
  .meta({ typeName: 'StreamMessages' });

export type StreamMessages = z.output<typeof streamMessagesQuery>;
