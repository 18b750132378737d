import { z } from 'zod';
import { idOf, time, wholeNumber } from '../http/answer-fields.ts';
import { fieldsOf } from '../http/fields.ts';
import { enumQuery, instantField, pageQuery } from '../http/query.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPES } from '../kernel/event-types.ts';
import { BULK_REPLAY_STATUSES } from '../kernel/statuses.ts';

/** Deliveries made due per second; the subscription's own limits hold beside it. */
export const REPLAY_RATE = { min: 1, max: 1_000, default: 100 } as const;

/**
 * A replay of stored messages to one subscription: `since` ≤ publishedAt < `until` (default: now); an empty window has none.
 * `eventTypes` narrows what the subscription wants. With `onlyMissing` what it has had, or is getting, is left alone.
 */
export const messageReplayBody = fieldsOf({
  since: instantField,
  until: instantField.exactOptional(),
  eventTypes: z
    .array(
      z.string().check((context) => {
        const problem = eventTypePatternProblem(context.value);
        if (problem !== undefined) context.issues.push({ code: 'custom', message: problem, input: context.value });
      }),
    )
    .max(MAX_EVENT_TYPES)
    .default([]),
  onlyMissing: z.boolean('must be true or false').default(false),
  ratePerSecond: z.number().int().min(REPLAY_RATE.min).max(REPLAY_RATE.max).default(REPLAY_RATE.default),
});

export const listMessageReplaysQuery = pageQuery.extend({
  subscriptionId: z.string().optional(),
  status: enumQuery(BULK_REPLAY_STATUSES).optional(),
});

export type ListMessageReplays = z.output<typeof listMessageReplaysQuery>;
export type MessageReplayRequest = z.output<typeof messageReplayBody>;

/** A replay and how far it is: messages that are not made due were under way already, or were there with onlyMissing. */
export const messageReplayAnswer = z.strictObject({
  id: idOf('messageReplay'),
  subscriptionId: idOf('subscription').describe('Subscription that gets the messages again.'),
  status: z.enum(BULK_REPLAY_STATUSES).describe('How far it is.'),
  since: time.describe('First publishedAt that is replayed.'),
  until: time.describe('First publishedAt that is not replayed any more.'),
  eventTypes: z.array(z.string()).describe('Narrows what the subscription wants. An empty list: all of it.'),
  onlyMissing: z.boolean().describe('Whether what has arrived or failed is left alone.'),
  ratePerSecond: wholeNumber.describe('Deliveries made due per second at most.'),
  matched: wholeNumber.describe('Messages found so far.'),
  replayed: wholeNumber.describe('Messages that were made due.'),
  upTo: time.exactOptional().describe('publishedAt of the last message looked at. Absent before the first one.'),
  createdAt: time.describe('When it was asked for.'),
  finishedAt: time.exactOptional().describe('When it ended. Absent until then.'),
});
export type MessageReplay = z.output<typeof messageReplayAnswer>;
