import type { PoolClient } from 'pg';
import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { BulkRetry as BulkRetryRow, Prisma } from '../../platform/db/generated/client.ts';
import {
  queryAlong,
  queryAlongOn,
  type Bounds,
  createValues,
  risingIdBounds,
  type Values,
} from '../../platform/db/sql/walk.ts';
import { type DeliveryFilter, narrowing } from '../record/list-store.ts';
import { retryDeliveries, IS_RETRYABLE } from '../record/statements/due-again.ts';
import { lowestIdAt, timeOfId } from '../../kernel/values/ids.ts';
import type { DeliveryStatus, ReplayStatus } from '../../kernel/words/statuses.ts';
import type { Batch, ReadableKind, StoredReplay } from './kind.ts';
import { type BulkRetry, type BulkRetryFilter, bulkRetryFilter, type BulkRetryPreview } from './schema.ts';
import { statusesOf, unindexedConditions, walksOf } from '../record/unindexed-store.ts';

// Deliveries retried per transaction: few enough to be quick, to hold few locks and to be cancelled between batches.
const BATCH = 100;
// Rows examined per batch, for each of up to three scans. Most batches are filled from the first 200; 5,000 take about
// 50 ms.
const LOOKS = [200, 5_000];
// Rows examined for the count: takes a second or two, however many deliveries are stored.
const MOST_COUNTED = 100_000;
// Number of deliveries that a dry run shows.
const SHOWN = 5;

export async function insertBulkRetry(
  db: DatabaseTransaction,
  {
    filter,
    ...rest
  }: Pick<BulkRetry, 'id' | 'filter' | 'matched' | 'isExact' | 'requestedBy' | 'ratePerSecond'> & {
    environmentId: string;
  },
): Promise<StoredReplay<BulkRetry>> {
  // Times as in responses, without absent fields. `as`: JSON.parse returns only such values.
  const stored = JSON.parse(JSON.stringify(filter)) as Prisma.InputJsonObject;
  return toBulkRetry(await db.bulkRetry.create({ data: { ...rest, filter: stored } }));
}

/** Returns the filter for the deliveries that a bulk retry covers. */
function matchedBy(
  environmentId: string,
  { since, until, status, errorStatus, held, ...filter }: BulkRetryFilter,
): DeliveryFilter {
  return {
    ...filter,
    environmentId,
    ...(status !== undefined && { status: [status].flat() }),
    errorStatus: errorStatus?.toString(),
    held: held === undefined ? undefined : held ? 'true' : 'false',
    ids: {
      from: since && lowestIdAt('delivery', new Date(since.getTime() + 1)),
      before: lowestIdAt('delivery', until),
    },
  };
}

/**
 * Counts what the filter of a bulk retry matches, among the oldest 100,000 rows it has to examine, and returns the
 * oldest five.
 */
export async function countRetryable(
  db: DatabaseTransaction,
  { environmentId, filter, now }: { environmentId: string; filter: BulkRetryFilter; now: Date },
): Promise<Pick<BulkRetryPreview, 'matched' | 'isExact' | 'oldest'>> {
  const statement = selectRetryable(matchedBy(environmentId, filter), { looks: MOST_COUNTED, limit: SHOWN, now });
  if (statement === undefined) return { matched: 0, isExact: true, oldest: [] };
  const [found] = await queryAlong<FoundRetryable>(db, statement.text, statement);
  const { count, ids, lookedTo } = found ?? NOTHING;
  const rows = await db.delivery.findMany({
    where: { id: { in: ids } },
    orderBy: { id: 'asc' },
    select: { id: true, status: true, eventType: true, createdAt: true },
  });
  const oldest = rows.map(({ id, status, eventType, createdAt }) => ({
    id,
    // Only this service writes the column, with values of DELIVERY_STATUSES.
    status: status as DeliveryStatus,
    ...(eventType !== null && { eventType }),
    createdAt: timeOfId('delivery', id) ?? createdAt,
  }));
  return { matched: count, isExact: lookedTo === null, oldest };
}

const NOTHING: FoundRetryable = { count: 0, ids: [], lookedTo: null };

type Wanted = Pick<
  BulkRetryRow,
  'environmentId' | 'filter' | 'position' | 'requestedBy' | 'ratePerSecond' | 'matched' | 'retried' | 'failed'
>;

const WANTED = `
  SELECT environment_id AS "environmentId", filter, position, requested_by AS "requestedBy", rate_per_second AS "ratePerSecond",
    matched, retried, failed
  FROM bulk_retries WHERE id = $1`;

/**
 * Retries the next deliveries that match the filter, oldest first: 100, or one second's worth of the rate if that is
 * fewer. Each is examined once, so a delivery that fails again is not retried a second time. `matched` grows if more
 * are found than were counted.
 */
async function retryNext(connection: PoolClient, id: string, now: Date): Promise<Batch> {
  const { rows } = await connection.query<Wanted>(WANTED, [id]);
  const [wanted] = rows;
  if (wanted === undefined) return { result: 'cancelled' };
  const { environmentId, requestedBy, ratePerSecond } = wanted;
  const filter = matchedBy(environmentId, bulkRetryFilter.parse(wanted.filter));
  const limit = Math.min(BATCH, ratePerSecond ?? BATCH);
  const { ids, lookedTo } = await findNext(connection, filter, {
    position: wanted.position ?? undefined,
    limit,
    now,
  });
  const statuses = retriedStatuses(filter);
  const { retried, failed } = await retryDeliveries(connection, {
    ids,
    environmentId,
    statuses,
    requestedBy,
    replayId: id,
  });
  const isFull = ids.length === limit;
  const done = wanted.retried + wanted.failed + retried + failed;
  return {
    result: 'made',
    counts: { matched: Math.max(0, done - wanted.matched), retried, failed },
    last: (isFull ? undefined : lookedTo) ?? ids.at(-1) ?? null,
    isLast: !isFull && lookedTo === null,
    waitMs: ratePerSecond === null ? 0 : (retried * 1_000) / ratePerSecond,
  };
}

async function findNext(
  connection: PoolClient,
  filter: DeliveryFilter,
  next: { position: string | undefined; limit: number; now: Date },
): Promise<FoundRetryable> {
  let found = NOTHING;
  for (const looks of LOOKS) {
    const statement = selectRetryable(filter, { ...next, looks });
    if (statement === undefined) return NOTHING;
    const [row] = await queryAlongOn<FoundRetryable>(connection, statement.text, statement);
    found = row ?? NOTHING;
    if (found.ids.length === next.limit || found.lookedTo === null) break;
  }
  return found;
}

/** Retries of deliveries that match a filter. */
export const deliveryRetries: ReadableKind<BulkRetry, { status?: ReplayStatus | undefined }> = {
  name: 'retry',
  prefix: 'bulkRetry',
  table: 'bulk_retries',
  counts: ['matched', 'retried', 'failed'],
  prepare:
    async (_, { id, now }) =>
    (connection) =>
      retryNext(connection, id, now),
  async find(db, environmentId, id) {
    const row = await db.bulkRetry.findFirst({ where: { id, environmentId } });
    return row === null ? undefined : toBulkRetry(row);
  },
  async list(db, { environmentId, status }, page) {
    const rows = await db.bulkRetry.findMany({
      where: {
        environmentId,
        ...(status !== undefined && { status }),
        ...(page.after !== undefined && { id: { lt: page.after } }),
      },
      orderBy: { id: 'desc' },
      take: page.limit + 1,
    });
    return rows.map(toBulkRetry);
  },
};

const toBulkRetry = (row: BulkRetryRow): StoredReplay<BulkRetry> => ({
  id: row.id,
  // Only this service writes the column, with values of REPLAY_STATUSES.
  status: row.status as ReplayStatus,
  matched: row.matched,
  isExact: row.isExact,
  retried: row.retried,
  failed: row.failed,
  filter: bulkRetryFilter.parse(row.filter),
  ...(row.ratePerSecond !== null && { ratePerSecond: row.ratePerSecond }),
  requestedBy: row.requestedBy,
  createdAt: row.createdAt,
  ...(row.finishedAt !== null && { finishedAt: row.finishedAt }),
});

/**
 * Row of `selectRetryable`: `count` deliveries were found, `ids` are the oldest of them. Rows after `lookedTo` were not
 * examined.
 */
type FoundRetryable = { count: number; ids: string[]; lookedTo: string | null };

/**
 * Returns the statuses of deliveries that a bulk retry with this filter covers. Delivered ones are sent again only if
 * their status is named: retrying everything must not repeat what was delivered.
 */
const retriedStatuses = (filter: DeliveryFilter): readonly DeliveryStatus[] =>
  statusesOf(filter).filter((status) => status !== 'delivered' || filter.status?.includes('delivered') === true);

/**
 * SQL made of index scans, oldest first, that returns the deliveries after `position` that match the filter and can be
 * retried, among the next `looks` rows of each scan, which bounds its duration. For `queryAlong`. Returns undefined if
 * no status can match.
 */
export function selectRetryable(
  filter: DeliveryFilter,
  { position, looks, limit, now }: { position?: string | undefined; looks: number; limit: number; now: Date },
): { text: string; values: string[] } | undefined {
  const statuses = retriedStatuses(filter);
  if (statuses.length === 0) return undefined;
  const values = createValues();
  const bounds = risingIdBounds(values, filter.ids ?? {}, position);
  const fits = `(${conditionsOf(filter, statuses, values, now).join(') AND (')})`;
  const look = { bounds, limit: looks, isRising: true, fits, statuses };
  const walks =
    filter.messageId === undefined ? walksOf(filter, values, look) : [ofMessage(values.add(filter.messageId), look)];
  const each = walks.map((walk, index) => `(SELECT ${index} AS walk, w.id, w.fits FROM (${walk}) w)`);
  // A scan that stopped at its limit says nothing about later rows, so rows of other scans beyond that point are not
  // used.
  const text = `WITH looked AS MATERIALIZED (${each.join(' UNION ALL ')}), ending AS (
      SELECT min(id) AS id FROM (SELECT max(id) AS id FROM looked GROUP BY walk HAVING count(*) = ${looks}) AS ends
    ), fitting AS MATERIALIZED (
      SELECT l.id FROM looked l, ending e WHERE l.fits AND (e.id IS NULL OR l.id <= e.id)
    )
    SELECT (SELECT id FROM ending) AS "lookedTo", (SELECT count(*)::int FROM fitting) AS count,
      ARRAY(SELECT f.id FROM fitting f ORDER BY f.id LIMIT ${limit}) AS ids`;
  return { text, values: values.values };
}

/** SQL: conditions on a delivery `d`, whichever scan finds it. */
const conditionsOf = (
  filter: DeliveryFilter,
  statuses: readonly DeliveryStatus[],
  values: Values,
  now: Date,
): string[] => [
  `d.environment_id = ${values.add(filter.environmentId)}`,
  `d.status IN (${statuses.map((status) => `'${status}'`).join(', ')})`,
  ...narrowing(filter, values),
  IS_RETRYABLE,
  'EXISTS (SELECT FROM subscriptions s WHERE s.id = d.subscription_id AND s.deleted_at IS NULL)',
  // A person has decided that it is not worth another attempt.
  `d.status <> 'failed' OR NOT EXISTS (
    SELECT FROM dead_letters l WHERE l.delivery_id = d.id AND l.round = d.round AND l.status = 'discarded')`,
  ...unindexedConditions(filter, values, now),
];

// MATERIALIZED: otherwise, for a message with thousands of deliveries, PostgreSQL would search all of the environment
// for the oldest.
const ofMessage = (
  messageId: string,
  { bounds, limit, fits }: { bounds: Bounds; limit: number; fits: string },
): string => `
    WITH found AS MATERIALIZED (SELECT d.id, ${fits} AS fits FROM deliveries d WHERE d.message_id = ${messageId})
    SELECT f.id, f.fits FROM found f WHERE f.id >= ${bounds.from} AND f.id < ${bounds.before} ORDER BY f.id LIMIT ${limit}`;
