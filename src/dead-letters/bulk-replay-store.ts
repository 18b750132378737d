import type { Pool } from 'pg';
import type { Database } from '../db/client.ts';
import type { BulkReplay as BulkReplayRow } from '../db/generated/client.ts';
import { inTransaction } from '../db/transaction.ts';
import { replayDeadLetters } from '../deliveries/statements/due-again.ts';
import { lowestIdAt } from '../kernel/ids.ts';
import type { PageRequest } from '../kernel/page.ts';
import type { BulkReplayStatus, DeadLetterKind, DeadLetterReason } from '../kernel/statuses.ts';
import { type DeadLetterFilter, selectNext } from './filter-store.ts';
import type { BulkReplay, BulkReplayFilter } from './schema.ts';

// Dead letters made due in one transaction: enough to be quick, few enough to be cancelled and to lock little.
const BATCH = 100;

export async function insertBulkReplay(
  db: Database,
  replay: { id: string; environmentId: string; filter: BulkReplayFilter; matched: number; requestedBy: string },
): Promise<BulkReplay> {
  const { filter, ...rest } = replay;
  const row = await db.bulkReplay.create({
    data: {
      ...rest,
      channelId: filter.channelId ?? null,
      subscriptionId: filter.subscriptionId ?? null,
      messageId: filter.messageId ?? null,
      eventType: filter.eventType ?? null,
      kind: filter.kind ?? null,
      reason: filter.reason ?? null,
      failedSince: filter.since ?? null,
      failedUntil: filter.until,
    },
  });
  return toBulkReplay(row);
}

/** Dead letters of that environment that match the filter of a bulk replay. */
export const openOnesOf = (environmentId: string, { since, until, ...filter }: BulkReplayFilter): DeadLetterFilter => ({
  ...filter,
  environmentId,
  status: 'open',
  ids: {
    from: since && lowestIdAt('deadLetter', new Date(since.getTime() + 1)),
    before: lowestIdAt('deadLetter', until),
  },
});

/** Bulk replays newest first, one more than asked for. */
export async function listBulkReplays(
  db: Database,
  { environmentId, status }: { environmentId: string; status: BulkReplayStatus | undefined },
  page: PageRequest,
): Promise<BulkReplay[]> {
  const rows = await db.bulkReplay.findMany({
    where: {
      environmentId,
      ...(status !== undefined && { status }),
      ...(page.after !== undefined && { id: { lt: page.after } }),
    },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  return rows.map(toBulkReplay);
}

export async function findBulkReplay(db: Database, environmentId: string, id: string): Promise<BulkReplay | undefined> {
  const row = await db.bulkReplay.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : toBulkReplay(row);
}

/** Stops a bulk replay before its next batch. False when it had already ended. */
export async function cancelBulkReplay(db: Database, environmentId: string, id: string, now: Date): Promise<boolean> {
  const { count } = await db.bulkReplay.updateMany({
    where: { id, environmentId, status: { in: ['pending', 'running'] } },
    data: { status: 'cancelled', finishedAt: now },
  });
  return count === 1;
}

type Progress = { isFinished: boolean; matched: number; replayed: number; failed: number };
type FilterColumns = Pick<
  BulkReplayRow,
  'channelId' | 'subscriptionId' | 'messageId' | 'eventType' | 'kind' | 'reason' | 'failedSince' | 'failedUntil'
>;
type Job = FilterColumns & Pick<BulkReplayRow, 'environmentId' | 'position' | 'requestedBy'>;

const TAKE = `
  UPDATE bulk_replays SET status = 'running', carrier = $2 WHERE id = $1 AND status IN ('pending', 'running')
  RETURNING environment_id AS "environmentId", channel_id AS "channelId", subscription_id AS "subscriptionId",
    message_id AS "messageId", event_type AS "eventType", kind, reason, failed_since AS "failedSince",
    failed_until AS "failedUntil", position, requested_by AS "requestedBy"`;

/**
 * Replays the next 100 dead letters of a bulk replay and stores the progress, in one transaction. A repeated call goes on behind the
 * last one, and two at a time take turns on the row.
 */
export async function replayNextBatch(pool: Pool, bulkReplayId: string, carrier: string): Promise<Progress> {
  return inTransaction(pool, async (connection) => {
    const { rows: jobs } = await connection.query<Job>(TAKE, [bulkReplayId, carrier]);
    const [job] = jobs;
    if (job === undefined) return { isFinished: true, matched: 0, replayed: 0, failed: 0 };
    const { environmentId, position, requestedBy } = job;
    const wanted = openOnesOf(environmentId, toFilter(job));
    const letters = await connection.query<{ id: string }>(selectNext(wanted, position, BATCH));
    const ids = letters.rows.map((letter) => letter.id);
    const replayed = await replayDeadLetters(connection, { ids, environmentId, requestedBy });
    const isFinished = ids.length < BATCH;
    const { rows } = await connection.query<Omit<Progress, 'isFinished'>>(
      `UPDATE bulk_replays SET replayed = replayed + $2, failed = failed + $3, position = coalesce($4, position),
         status = CASE WHEN $5 THEN 'completed' ELSE status END, finished_at = CASE WHEN $5 THEN now() END
       WHERE id = $1 RETURNING matched, replayed, failed`,
      [bulkReplayId, replayed, ids.length - replayed, ids.at(-1) ?? null, isFinished],
    );
    return { isFinished, ...(rows[0] ?? { matched: 0, replayed: 0, failed: 0 }) };
  });
}

const toFilter = (row: FilterColumns): BulkReplayFilter => ({
  ...(row.channelId !== null && { channelId: row.channelId }),
  ...(row.subscriptionId !== null && { subscriptionId: row.subscriptionId }),
  ...(row.messageId !== null && { messageId: row.messageId }),
  ...(row.eventType !== null && { eventType: row.eventType }),
  // Only this service writes both columns, from the unions of src/kernel/statuses.ts.
  ...(row.kind !== null && { kind: row.kind as DeadLetterKind }),
  ...(row.reason !== null && { reason: row.reason as DeadLetterReason }),
  ...(row.failedSince !== null && { since: row.failedSince }),
  until: row.failedUntil,
});

const toBulkReplay = (row: BulkReplayRow): BulkReplay => ({
  id: row.id,
  // Only this service writes the column, from BULK_REPLAY_STATUSES.
  status: row.status as BulkReplayStatus,
  matched: row.matched,
  replayed: row.replayed,
  failed: row.failed,
  filter: toFilter(row),
  createdAt: row.createdAt,
  ...(row.finishedAt !== null && { finishedAt: row.finishedAt }),
});
