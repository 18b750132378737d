import { z } from 'zod';
import { fieldsOf } from '../http/fields.ts';
import { enumQuery, eventTypeQuery, instantField, pageQuery, windowQuery } from '../http/query.ts';
import {
  BULK_REPLAY_STATUSES,
  type BulkReplayStatus,
  DEAD_LETTER_KINDS,
  DEAD_LETTER_REASONS,
  DEAD_LETTER_STATUSES,
  type DeadLetterKind,
  type DeadLetterReason,
  type DeadLetterStatus,
  type ErrorClass,
} from '../shared/statuses.ts';

/** Filter fields that lists and bulk replays have in common. */
const deadLetterFilter = {
  channelId: z.string('must be a string').optional(),
  subscriptionId: z.string('must be a string').optional(),
  messageId: z.string('must be a string').optional(),
  eventType: eventTypeQuery.optional(),
  kind: enumQuery(DEAD_LETTER_KINDS).optional(),
  reason: enumQuery(DEAD_LETTER_REASONS).optional(),
};

export const listDeadLettersQuery = pageQuery.extend({
  ...deadLetterFilter,
  status: enumQuery(DEAD_LETTER_STATUSES).optional(),
  /** Bounds failedAt. */
  ...windowQuery,
});

export const listBulkReplaysQuery = pageQuery.extend({ status: enumQuery(BULK_REPLAY_STATUSES).optional() });

/** The filter of a bulk replay; everything is asked for by `{}`, not by a missing body. `dryRun` only counts. */
export const bulkReplayBody = fieldsOf({
  ...deadLetterFilter,
  since: instantField.optional(),
  until: instantField.optional(),
  dryRun: z.boolean('must be true or false').default(false),
});

export type ListDeadLetters = z.output<typeof listDeadLettersQuery>;
export type ListBulkReplays = z.output<typeof listBulkReplaysQuery>;
export type BulkReplayRequest = z.output<typeof bulkReplayBody>;

/** A failure's last word: why a delivery ended, what can be replayed. */
export type DeadLetter = {
  id: string;
  kind: DeadLetterKind;
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

/** Filter of a bulk replay, which replays open dead letters that failed after `since` and before `until`. */
export type BulkReplayFilter = {
  channelId?: string | undefined;
  subscriptionId?: string | undefined;
  messageId?: string | undefined;
  eventType?: string | undefined;
  kind?: DeadLetterKind | undefined;
  reason?: DeadLetterReason | undefined;
  since?: Date;
  until: Date;
};

/** A bulk replay and how far it is: matched = replayed + failed once it is completed. `failed` counts those that could not be replayed. */
export type BulkReplay = {
  id: string;
  status: BulkReplayStatus;
  matched: number;
  replayed: number;
  failed: number;
  filter: BulkReplayFilter;
  createdAt: Date;
  finishedAt?: Date;
};

/** The answer to a dry run: nothing is changed. */
export type BulkReplayPreview = { status: 'preview'; matched: number; replayed: 0; failed: 0 };
