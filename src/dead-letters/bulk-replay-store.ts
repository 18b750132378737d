import type { Pool } from 'pg';
import type { Database } from '../db/client.ts';
import { DUE_CHANNEL } from '../db/due.ts';
import type { BulkReplay as BulkReplayRow } from '../db/generated/client.ts';
import { inTransaction } from '../db/transaction.ts';
import type { BulkReplayStatus } from '../shared/statuses.ts';
import type { BulkReplay } from './schema.ts';
import { replayDeadLetters } from './store.ts';

// Dead letters made due in one transaction: long enough to be quick, short enough to be cancelled and to lock little.
const BATCH = 100;

export async function insertBulkReplay(
  db: Database,
  replay: {
    id: string;
    environmentId: string;
    channelId: string | undefined;
    subscriptionId: string | undefined;
    eventType: string | undefined;
    failedSince: Date | undefined;
    failedUntil: Date;
    matched: number;
    requestedBy: string;
  },
): Promise<BulkReplay> {
  const row = await db.bulkReplay.create({
    data: {
      ...replay,
      channelId: replay.channelId ?? null,
      subscriptionId: replay.subscriptionId ?? null,
      eventType: replay.eventType ?? null,
      failedSince: replay.failedSince ?? null,
    },
  });
  return toBulkReplay(row);
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
type Job = {
  environment_id: string;
  channel_id: string | null;
  subscription_id: string | null;
  event_type: string | null;
  failed_since: Date | null;
  failed_until: Date;
  position: string | null;
  requested_by: string;
};

/**
 * Replays the next 100 dead letters of a bulk replay and notes how far it is, in one transaction: a repeated call goes on
 * behind the last one, and two at a time take turns on the row.
 */
export async function replayNextBatch(pool: Pool, bulkReplayId: string, carrier: string): Promise<Progress> {
  return inTransaction(pool, async (connection) => {
    const jobs = await connection.query<Job>(
      `UPDATE bulk_replays SET status = 'running', carrier = $2 WHERE id = $1 AND status IN ('pending', 'running') RETURNING *`,
      [bulkReplayId, carrier],
    );
    const job = jobs.rows[0];
    if (job === undefined) return { isFinished: true, matched: 0, replayed: 0, failed: 0 };
    const letters = await connection.query<{ id: string }>(
      `SELECT id FROM dead_letters
       WHERE environment_id = $1 AND status = 'open' AND failed_at < $2 AND ($3::timestamptz IS NULL OR failed_at > $3)
         AND ($4::text IS NULL OR channel_id = $4) AND ($5::text IS NULL OR subscription_id = $5)
         AND ($6::text IS NULL OR event_type = $6) AND ($7::text IS NULL OR id > $7)
       ORDER BY id LIMIT $8`,
      [
        job.environment_id,
        job.failed_until,
        job.failed_since,
        job.channel_id,
        job.subscription_id,
        job.event_type,
        job.position,
        BATCH,
      ],
    );
    const ids = letters.rows.map((letter) => letter.id);
    const replayed = await replayDeadLetters(connection, {
      ids,
      environmentId: job.environment_id,
      requestedBy: job.requested_by,
    });
    const isFinished = ids.length < BATCH;
    const { rows } = await connection.query<Omit<Progress, 'isFinished'>>(
      `UPDATE bulk_replays SET replayed = replayed + $2, failed = failed + $3, position = coalesce($4, position),
         status = CASE WHEN $5 THEN 'completed' ELSE status END, finished_at = CASE WHEN $5 THEN now() END
       WHERE id = $1 RETURNING matched, replayed, failed`,
      [bulkReplayId, replayed, ids.length - replayed, ids.at(-1) ?? null, isFinished],
    );
    if (replayed > 0) await connection.query('SELECT pg_notify($1, $2)', [DUE_CHANNEL, '']);
    return { isFinished, ...(rows[0] ?? { matched: 0, replayed: 0, failed: 0 }) };
  });
}

const toBulkReplay = (row: BulkReplayRow): BulkReplay => ({
  id: row.id,
  // Only this service writes the column, from BULK_REPLAY_STATUSES.
  status: row.status as BulkReplayStatus,
  matched: row.matched,
  replayed: row.replayed,
  failed: row.failed,
  createdAt: row.createdAt,
  ...(row.finishedAt !== null && { finishedAt: row.finishedAt }),
});
