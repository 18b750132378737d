import { z } from 'zod';
import { fieldsOf } from '../http/fields.ts';
import { enumQuery, instantField, pageQuery } from '../http/query.ts';
import { eventTypePatternProblem, MAX_EVENT_TYPES } from '../shared/event-types.ts';
import { BULK_REPLAY_STATUSES, type BulkReplayStatus } from '../shared/statuses.ts';

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

/**
 * How far a replay is: `matched` messages found so far, `replayed` of them made due; the others were under way already, or
 * were there with onlyMissing. `upTo` is the time of the last message looked at.
 */
export type MessageReplay = {
  id: string;
  subscriptionId: string;
  status: BulkReplayStatus;
  since: Date;
  until: Date;
  eventTypes: string[];
  onlyMissing: boolean;
  ratePerSecond: number;
  matched: number;
  replayed: number;
  upTo?: Date;
  createdAt: Date;
  finishedAt?: Date;
};
