import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { inTransaction } from '../../platform/db/transaction.ts';
import type { DeliverySummary } from '../../kernel/words/statuses.ts';
import type { StreamPosition } from '../../kernel/values/commit-position.ts';
import * as order from '../../platform/db/sql/commit-order.ts';
import { boundOf, IN_PROGRESS } from '../../platform/db/sql/commit-order.ts';

// Messages per position and query, and bytes of their payloads. With a last one of 256 KiB and its metadata, less than
// 1 MiB is buffered per connection.
const PAGE_MESSAGES = 100;
const PAGE_BYTES = 256 * 1_024;
// Bound for all positions together, which limits the memory of one query.
const ROUND_BYTES = 8 * 1_048_576;

async function queryInOrder<R extends QueryResultRow>(pool: Pool, query: QueryConfig): Promise<R[]> {
  return inTransaction(pool, async (connection) => {
    await connection.query(order.IN_ORDER);
    return (await connection.query<R>(query)).rows;
  });
}

/** See db/sql/commit-order.ts. */
export const findPositionSince = (
  pool: Pool,
  channelId: string,
  from: { since: Date; bound: string },
): Promise<StreamPosition | undefined> =>
  order.findPositionSince((text, values) => queryInOrder(pool, { text, values: [...values] }), channelId, from);

const START = `${order.COMMIT_ORDER}
  WHERE EXISTS (SELECT FROM channels c WHERE c.id = $1 AND c.environment_id = $2 AND c.deleted_at IS NULL)`;

/**
 * Returns what a stream needs to start. Undefined for a channel that is missing, deleted, or in another environment.
 */
export async function findStreamStart(
  pool: Pool,
  environmentId: string,
  channelId: string,
): Promise<order.CommitOrder | undefined> {
  const [row] = await queryInOrder<order.CommitOrderRow>(pool, { text: START, values: [channelId, environmentId] });
  return row && order.toCommitOrder(row);
}

/** A message as a stream shows it. `asked` is the index of the position that it follows. */
export type StreamRow = StreamPosition & {
  asked: number;
  channelId: string;
  eventType: string;
  /** Null if it has been erased, with the time in `erasedAt`. */
  payload: string | null;
  erasedAt: Date | null;
  metadata: Record<string, string> | null;
  publishedAt: Date;
  deliveryStatus: DeliverySummary;
};

// Payloads that are stored out of line are neither read nor decompressed before the last SELECT, because octet_length
// only needs their length. deliveryStatus is `summariseDeliveries` of src/kernel/words/statuses.ts; LIMIT 1 keeps
// PostgreSQL from hashing all deliveries.
const READ_BEHIND = `
  WITH ${IN_PROGRESS}, asked AS MATERIALIZED (
    SELECT p.*, ${boundOf('p.channel_id')} AS bound
    FROM unnest($1::text[], $2::xid8[], $3::text[]) WITH ORDINALITY AS p (channel_id, transaction_id, id, asked)
  ), behind AS (
    SELECT p.asked, m.*, coalesce(octet_length(m.payload), 0) AS bytes, count(*) OVER () AS found,
      row_number() OVER page AS number, sum(coalesce(octet_length(m.payload), 0)) OVER page AS page_bytes
    FROM asked p CROSS JOIN LATERAL (
      SELECT m.* FROM messages m
      WHERE m.channel_id = p.channel_id AND (m.transaction_id, m.id) > (p.transaction_id, p.id)
        AND m.transaction_id < p.bound
      ORDER BY m.transaction_id, m.id LIMIT ${PAGE_MESSAGES}
    ) m
    WINDOW page AS (PARTITION BY p.asked ORDER BY m.transaction_id, m.id)
  ), shown AS (
    SELECT b.*, sum(b.bytes) OVER (ORDER BY b.number, b.asked) AS round_bytes FROM behind b
    WHERE b.page_bytes - b.bytes < ${PAGE_BYTES}
  )
  SELECT s.asked::int - 1 AS asked, s.transaction_id::text AS "transactionId", s.id, s.channel_id AS "channelId",
    s.event_type AS "eventType", s.payload, s.erased_at AS "erasedAt", s.metadata, s.published_at AS "publishedAt", s.found::int AS found,
    CASE WHEN (SELECT true FROM deliveries d WHERE d.message_id = s.id LIMIT 1) IS NULL THEN 'unrouted'
      WHEN (SELECT true FROM deliveries d WHERE d.message_id = s.id AND d.due_at IS NOT NULL LIMIT 1) THEN 'pending'
      WHEN (SELECT true FROM deliveries d WHERE d.message_id = s.id AND d.status = 'failed' LIMIT 1) THEN 'failed'
      ELSE 'delivered' END AS "deliveryStatus"
  FROM shown s WHERE s.round_bytes - s.bytes < ${ROUND_BYTES}
  ORDER BY s.asked, s.number`;

/**
 * Returns the next messages after each of these positions, in stream order, in one query: up to 100 and about 256 KiB
 * per position and 8 MiB in total, but at least one per position while there is room. `hasMore`: some were left for the
 * next query.
 */
export async function readBehind(
  pool: Pool,
  positions: readonly (StreamPosition & { channelId: string })[],
): Promise<{ rows: StreamRow[]; hasMore: boolean }> {
  const rows = await queryInOrder<StreamRow & { found: number }>(pool, {
    name: 'read_streams',
    text: READ_BEHIND,
    values: [
      positions.map(({ channelId }) => channelId),
      positions.map(({ transactionId }) => transactionId),
      positions.map(({ id }) => id),
    ],
  });
  const counts = new Map<number, number>();
  for (const { asked } of rows) counts.set(asked, (counts.get(asked) ?? 0) + 1);
  const isCut = rows.length < (rows[0]?.found ?? 0);
  return { rows, hasMore: isCut || [...counts.values()].some((count) => count >= PAGE_MESSAGES) };
}

/** Returns those of these channels that have not been deleted. */
export async function findLiveChannels(pool: Pool, channelIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT c.id FROM channels c WHERE c.id = ANY ($1::text[]) AND c.deleted_at IS NULL',
    [channelIds],
  );
  return new Set(rows.map(({ id }) => id));
}
