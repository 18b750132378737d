import { z } from 'zod';
import { fieldsOf } from '../http/fields.ts';
import { dateTimeField, dateTimeQuery, enumQuery, pageQuery } from '../http/query.ts';
import {
  type BulkReplayStatus,
  DEAD_LETTER_STATUSES,
  type DeadLetterReason,
  type DeadLetterStatus,
  type ErrorClass,
} from '../shared/statuses.ts';

export const listDeadLettersQuery = pageQuery.extend({
  channelId: z.string().optional(),
  subscriptionId: z.string().optional(),
  eventType: z.string().optional(),
  status: enumQuery(DEAD_LETTER_STATUSES).optional(),
  since: dateTimeQuery.optional(),
  until: dateTimeQuery.optional(),
});

/** The filter of a bulk replay; everything is asked for by `{}`, not by a missing body. `dryRun` only counts. */
export const bulkReplayBody = fieldsOf({
  channelId: z.string('must be a string').optional(),
  subscriptionId: z.string('must be a string').optional(),
  eventType: z.string('must be a string').optional(),
  since: dateTimeField.optional(),
  until: dateTimeField.optional(),
  dryRun: z.boolean('must be true or false').default(false),
});

export type ListDeadLetters = z.output<typeof listDeadLettersQuery>;
export type BulkReplayRequest = z.output<typeof bulkReplayBody>;

/** DESIGN §5 dead letter. A failure's last word: why a delivery ended, what can be replayed. */
export type DeadLetter = {
  id: string;
  kind: 'delivery' | 'run';
  status: DeadLetterStatus;
  channelId?: string;
  messageId?: string;
  subscriptionId?: string;
  deliveryId?: string;
  eventType?: string;
  reason: DeadLetterReason;
  lastError: { class?: ErrorClass; message?: string; status?: number };
  attempts: number;
  failedAt: Date;
  replayedAt?: Date;
  /** Id of the credential that replayed it. */
  replayedBy?: string;
};

/** A bulk replay and how far it is: matched = replayed + failed once it is completed. `failed` counts those that could not be replayed. */
export type BulkReplay = {
  id: string;
  status: BulkReplayStatus;
  matched: number;
  replayed: number;
  failed: number;
  createdAt: Date;
  finishedAt?: Date;
};

/** The answer to a dry run: nothing is changed. */
export type BulkReplayPreview = { status: 'preview'; matched: number; replayed: 0; failed: 0 };
