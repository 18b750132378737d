import type { PoolClient } from 'pg';
import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { BulkReplay as BulkReplayRow } from '../../platform/db/generated/client.ts';
import { findAlong, queryAlongOn } from '../../platform/db/sql/walk.ts';
import { type DeadLetterFilter, selectCount, selectNext } from '../dead-letters/filter-store.ts';
import { discardDeadLetters } from '../record/statements/dead-letters.ts';
import { replayDeadLetters } from '../record/statements/due-again.ts';
import { replayRunLetters } from '../record/statements/run-again.ts';
import { lowestIdAt, timeOfId } from '../../kernel/values/ids.ts';
import type { DeadLetterKind, DeadLetterReason, ErrorClass, ReplayStatus } from '../../kernel/words/statuses.ts';
import { HTTP_STATUS, statusRange } from '../../kernel/values/http.ts';
import type { Batch, ReadableKind, StoredReplay } from './kind.ts';
import type { BulkReplay, BulkReplayFilter, BulkReplayPreview } from './schema.ts';

// Dead letters replayed per transaction: few enough to be quick, to hold few locks and to be cancelled between batches.
const BATCH = 100;

export async function insertBulkReplay(
  db: DatabaseTransaction,
  replay: Pick<BulkReplay, 'id' | 'filter' | 'matched' | 'requestedBy' | 'ratePerSecond'> & { environmentId: string },
): Promise<StoredReplay<BulkReplay>> {
  const { filter, ...rest } = replay;
  const row = await db.bulkReplay.create({
    data: {
      ...rest,
      channelId: filter.channelId ?? null,
      subscriptionId: filter.subscriptionId ?? null,
      messageId: filter.messageId ?? null,
      workflowId: filter.workflowId ?? null,
      eventType: filter.eventType ?? null,
      kind: filter.kind ?? null,
      reason: filter.reason ?? null,
      errorClass: filter.errorClass ?? null,
      errorStatus: storedStatus(filter.errorStatus),
      failedSince: filter.since ?? null,
      failedUntil: filter.until,
      deliverySince: filter.createdSince ?? null,
      deliveryUntil: filter.createdUntil ?? null,
    },
  });
  return toBulkReplay(row);
}

/**
 * Encodes the filter for its column: a status, the first digit of a class, or the six digits of a range. A release that
 * does not know classes or ranges then finds nothing, rather than everything.
 */
function storedStatus(errorStatus: BulkReplayFilter['errorStatus']): number | null {
  if (typeof errorStatus !== 'string') return errorStatus ?? null;
  if (errorStatus.endsWith('x')) return Number(errorStatus[0]);
  const { least, most } = statusRange(errorStatus);
  return least * 1_000 + most;
}

function readStatus(stored: number): number | string {
  if (stored < HTTP_STATUS.min) return `${stored}xx`;
  return stored > HTTP_STATUS.max ? `${Math.floor(stored / 1_000)}-${stored % 1_000}` : stored;
}

/**
 * Returns the filter for the open dead letters that a bulk replay covers. A dead letter is never older than its
 * delivery, so the creation time of the delivery is also a lower bound of the scan.
 */
function openOnesOf(
  environmentId: string,
  { since, until, createdSince, createdUntil, errorStatus, ...filter }: BulkReplayFilter,
): DeadLetterFilter {
  const after = (time: Date): Date => new Date(time.getTime() + 1);
  const failedFrom = since && after(since);
  const from =
    createdSince !== undefined && (failedFrom === undefined || failedFrom < createdSince) ? createdSince : failedFrom;
  return {
    ...filter,
    errorStatus: errorStatus?.toString(),
    environmentId,
    status: ['open'],
    ids: { from: from && lowestIdAt('deadLetter', from), before: lowestIdAt('deadLetter', until) },
    deliveryIds: {
      from: createdSince && lowestIdAt('delivery', after(createdSince)),
      before: createdUntil && lowestIdAt('delivery', createdUntil),
    },
  };
}

/**
 * Returns the first id of a filter that does not exist in the environment. A deleted resource exists as long as its
 * history.
 */
export async function findMissing(
  db: DatabaseTransaction,
  environmentId: string,
  {
    channelId,
    subscriptionId,
    messageId,
    workflowId,
  }: Pick<BulkReplayFilter, 'channelId' | 'subscriptionId' | 'messageId' | 'workflowId'>,
): Promise<'channel' | 'subscription' | 'message' | 'workflow' | undefined> {
  const named = (id: string) => ({ where: { id, environmentId } });
  if (channelId !== undefined && (await db.channel.count(named(channelId))) === 0) return 'channel';
  if (subscriptionId !== undefined && (await db.subscription.count(named(subscriptionId))) === 0) return 'subscription';
  if (messageId !== undefined && (await db.message.count(named(messageId))) === 0) return 'message';
  if (workflowId !== undefined && (await db.workflow.count(named(workflowId))) === 0) return 'workflow';
  return undefined;
}

/** Counts the open dead letters that the filter of a bulk replay matches. */
export async function countOpenOnes(
  db: DatabaseTransaction,
  environmentId: string,
  filter: BulkReplayFilter,
): Promise<number> {
  const { text, values } = selectCount(openOnesOf(environmentId, filter));
  const [row] = await db.$queryRawUnsafe<{ count: number }[]>(text, ...values);
  return row?.count ?? 0;
}

// Number of dead letters that a dry run shows.
const SHOWN = 5;

/** Returns the five oldest open dead letters that the filter of a bulk replay matches. */
export async function findOldest(
  db: DatabaseTransaction,
  environmentId: string,
  filter: BulkReplayFilter,
): Promise<BulkReplayPreview['oldest']> {
  const { text, values } = selectNext(openOnesOf(environmentId, filter), undefined, SHOWN);
  const ids = await findAlong(db, text, { values });
  const rows = await db.deadLetter.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
  return rows.map(({ id, failedAt, eventType }) => ({
    id,
    failedAt: timeOfId('deadLetter', id) ?? failedAt,
    ...(eventType !== null && { eventType }),
  }));
}

/** Discards up to `limit` of the oldest open dead letters that the filter matches. Returns their ids. */
export async function discardOldest(
  db: DatabaseTransaction,
  { environmentId, filter, limit }: { environmentId: string; filter: BulkReplayFilter; limit: number },
): Promise<string[]> {
  const { text, values } = selectNext(openOnesOf(environmentId, filter), undefined, limit);
  const ids = await findAlong(db, text, { values });
  return discardDeadLetters(db, { ids, environmentId });
}

type FilterColumns = Pick<
  BulkReplayRow,
  | 'channelId'
  | 'subscriptionId'
  | 'messageId'
  | 'workflowId'
  | 'eventType'
  | 'kind'
  | 'reason'
  | 'errorClass'
  | 'errorStatus'
  | 'failedSince'
  | 'failedUntil'
  | 'deliverySince'
  | 'deliveryUntil'
>;
type Wanted = FilterColumns & Pick<BulkReplayRow, 'environmentId' | 'position' | 'requestedBy' | 'ratePerSecond'>;

const WANTED = `
  SELECT environment_id AS "environmentId", channel_id AS "channelId", subscription_id AS "subscriptionId",
    message_id AS "messageId", workflow_id AS "workflowId", event_type AS "eventType", kind, reason, error_class AS "errorClass",
    error_status AS "errorStatus", failed_since AS "failedSince",
    failed_until AS "failedUntil", delivery_since AS "deliverySince", delivery_until AS "deliveryUntil", position, requested_by AS "requestedBy",
    rate_per_second AS "ratePerSecond"
  FROM bulk_replays WHERE id = $1`;

// A separate statement, because it has to see what others have committed while the replay waited for row locks.
const STILL_OPEN = `
  SELECT count(*)::int AS count FROM dead_letters WHERE id = ANY ($1::text[]) AND environment_id = $2 AND status = 'open'`;

/**
 * Replays the next open dead letters that the filter matches, oldest first: 100, or one second's worth of the rate if
 * that is fewer. A dead letter that is still open afterwards counts as failed; one that another replay has taken or a
 * user has discarded counts as neither. The rate applies only to what was replayed.
 */
async function replayNext(connection: PoolClient, id: string): Promise<Batch> {
  const { rows } = await connection.query<Wanted>(WANTED, [id]);
  const [wanted] = rows;
  if (wanted === undefined) return { result: 'cancelled' };
  const { environmentId, position, requestedBy, ratePerSecond } = wanted;
  const limit = Math.min(BATCH, ratePerSecond ?? BATCH);
  const { text, values } = selectNext(openOnesOf(environmentId, toFilter(wanted)), position ?? undefined, limit);
  const letters = await queryAlongOn<{ id: string }>(connection, text, { values });
  const ids = letters.map((letter) => letter.id);
  // Each function handles the dead letters of its kind.
  const replay = { ids, environmentId, requestedBy, replayId: id };
  const replayed = (await replayDeadLetters(connection, replay)) + (await replayRunLetters(connection, replay));
  const failed = replayed < ids.length ? await countStillOpen(connection, ids, environmentId) : 0;
  return {
    result: 'made',
    counts: { replayed, failed },
    last: ids.at(-1) ?? null,
    isLast: ids.length < limit,
    waitMs: ratePerSecond === null ? 0 : (replayed * 1_000) / ratePerSecond,
  };
}

async function countStillOpen(connection: PoolClient, ids: readonly string[], environmentId: string): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(STILL_OPEN, [ids, environmentId]);
  return rows[0]?.count ?? 0;
}

/** Replays of open dead letters that match a filter. */
export const deadLetterReplays: ReadableKind<BulkReplay, { status?: ReplayStatus | undefined }> = {
  name: 'replay',
  prefix: 'bulkReplay',
  table: 'bulk_replays',
  counts: ['matched', 'replayed', 'failed'],
  prepare:
    async (_, { id }) =>
    (connection) =>
      replayNext(connection, id),
  async find(db, environmentId, id) {
    const row = await db.bulkReplay.findFirst({ where: { id, environmentId } });
    return row === null ? undefined : toBulkReplay(row);
  },
  async list(db, { environmentId, status }, page) {
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
  },
};

const toFilter = (row: FilterColumns): BulkReplayFilter => ({
  ...(row.channelId !== null && { channelId: row.channelId }),
  ...(row.subscriptionId !== null && { subscriptionId: row.subscriptionId }),
  ...(row.messageId !== null && { messageId: row.messageId }),
  ...(row.workflowId !== null && { workflowId: row.workflowId }),
  ...(row.eventType !== null && { eventType: row.eventType }),
  // Only this service writes these columns, with values of the unions in src/kernel/words/statuses.ts.
  ...(row.kind !== null && { kind: row.kind as DeadLetterKind }),
  ...(row.reason !== null && { reason: row.reason as DeadLetterReason }),
  ...(row.errorClass !== null && { errorClass: row.errorClass as ErrorClass }),
  ...(row.errorStatus !== null && { errorStatus: readStatus(row.errorStatus) }),
  ...(row.failedSince !== null && { since: row.failedSince }),
  until: row.failedUntil,
  ...(row.deliverySince !== null && { createdSince: row.deliverySince }),
  ...(row.deliveryUntil !== null && { createdUntil: row.deliveryUntil }),
});

const toBulkReplay = (row: BulkReplayRow): StoredReplay<BulkReplay> => ({
  id: row.id,
  // Only this service writes the column, with values of REPLAY_STATUSES.
  status: row.status as ReplayStatus,
  matched: row.matched,
  replayed: row.replayed,
  failed: row.failed,
  filter: toFilter(row),
  ...(row.ratePerSecond !== null && { ratePerSecond: row.ratePerSecond }),
  requestedBy: row.requestedBy,
  createdAt: row.createdAt,
  ...(row.finishedAt !== null && { finishedAt: row.finishedAt }),
});
