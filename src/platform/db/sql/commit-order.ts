import type { QueryResultRow, PoolClient } from 'pg';
import { lowestIdAt, timeOfId } from '../../../kernel/values/ids.ts';
import { BEGINNING, type StreamPosition } from '../../../kernel/values/commit-position.ts';

// The class of the advisory locks with two keys. Those with one key are numbered from 7_220_633.
const SIGN_CLASS = 7_220_637;

/** SQL: three of 32 bits for the channel, as a bigint. If two channels have the same bits, readers only wait for each other. */
const bitsOf = (channelId: string): string =>
  `(SELECT (1::bigint << (h & 31)) | (1::bigint << ((h >> 5) & 31)) | (1::bigint << ((h >> 10) & 31)) FROM hashtext(${channelId}) AS h)`;

const SIGN = `
  SELECT pg_advisory_xact_lock_shared(${SIGN_CLASS}, bit_or(${bitsOf('c.id')})::bit(32)::int) FROM unnest($1::text[]) AS c (id)`;

/**
 * Marks this transaction, which will take long, as publishing to these channels only, so that readers of other channels do not wait for
 * it. The mark is a shared advisory lock, which conflicts with nothing and lasts until the transaction ends.
 * It is one lock for all channels, because PostgreSQL releases the locks of a transaction one after another: with several, a reader
 * could see some of them released while the transaction's number is still there.
 */
export async function signPublish(connection: Pick<PoolClient, 'query'>, channelIds: readonly string[]): Promise<void> {
  await connection.query({ name: 'sign_publish', text: SIGN, values: [channelIds] });
}

// Reads pg_locks once, which shows the mark and the number of a transaction at the same moment; a second read might see the next
// transaction of the same session. It comes after the snapshot: the locks of a transaction that has ended since are gone, and readers
// wait for it once more. Skipped if no transaction is in progress.
const IS_SIGN = `l.locktype = 'advisory' AND l.classid = ${SIGN_CLASS} AND l.objsubid = 2
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())`;

/**
 * SQL, CTEs for `boundOf`: the transactions in progress in the statement's snapshot, and the channels of those that are marked.
 * pg_locks has the lower 32 bits of a transaction's number. A subtransaction has a higher number, which is not in the snapshot, so
 * readers wait.
 */
export const IN_PROGRESS = `
  signed AS MATERIALIZED (
    SELECT bit_or(l.objid::bigint) AS bits, max(l.transactionid::text::bigint) AS number FROM pg_locks l
    WHERE pg_snapshot_xmin(pg_current_snapshot()) <> pg_snapshot_xmax(pg_current_snapshot())
      AND (l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' OR ${IS_SIGN})
    GROUP BY l.virtualtransaction
  ), in_progress AS MATERIALIZED (
    SELECT x.transaction_id, s.bits FROM pg_snapshot_xip(pg_current_snapshot()) AS x (transaction_id)
    LEFT JOIN signed s ON s.number = x.transaction_id::text::bigint % 4294967296
  )`;

/**
 * SQL, after IN_PROGRESS: the oldest unfinished transaction that may have published to the channel. Below it no message of the channel
 * can appear any more, and every existing one is visible in the same snapshot.
 */
export const boundOf = (channelId: string): string => `
  coalesce((
    SELECT t.transaction_id FROM in_progress t CROSS JOIN ${bitsOf(channelId)} AS c (bits)
    WHERE t.bits IS NULL OR t.bits & c.bits = c.bits ORDER BY t.transaction_id LIMIT 1
  ), pg_snapshot_xmax(pg_current_snapshot()))`;

/** Runs one statement in a transaction that begins with IN_ORDER. */
export type RunSql = <R extends QueryResultRow>(text: string, values: readonly unknown[]) => Promise<R[]>;

// Processes create ids before the transaction begins, with their own clocks: how far apart both may be.
const ORDERED_WITHIN_MS = 60_000;

// With statistics from before a backlog, PostgreSQL would collect and sort all of it for every page: 300 ms instead of 20 for ten
// channels, one of them 100,000 messages behind. With both settings off, it scans the index in order and stops.
export const IN_ORDER = 'SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off';

/**
 * SQL: whether the id of the message `m` contains an assigned time. `isTimeGiven` in src/kernel/values/ids.ts does the same in
 * TypeScript, and a test compares them.
 */
export const TIME_IS_GIVEN = `substr(m.id, 15, 1) >= 'g'`;

// A scheduled message may be published long after the time in its id, if there was no worker, so it bounds nothing.
const FIRST_SINCE = `
  SELECT m.id FROM messages m WHERE m.channel_id = $1 AND m.id >= $2 AND NOT ${TIME_IS_GIVEN} ORDER BY m.id LIMIT 1`;
// In the year 10889, above every message id.
const ABOVE_ALL = lowestIdAt('message', new Date(2 ** 48 - 1));
// MATERIALIZED, because a search by transaction would read the whole history before it.
const EARLIEST = `
  WITH later AS MATERIALIZED (
    SELECT m.transaction_id FROM messages m WHERE m.channel_id = $1 AND m.id >= $2 AND m.id < $3 AND m.transaction_id < $4::xid8
  )
  SELECT l.transaction_id::text AS "transactionId" FROM later l ORDER BY l.transaction_id LIMIT 1`;

/**
 * The position, in commit order, before the first message that was published after `since`; undefined if none was below `bound`.
 * Combined with the channel's CommitOrder, its `last` is not above a message that is left out here. Scans the first minute of those
 * messages, since a later message has a later transaction; if all of them were scheduled, it scans all.
 */
export async function findPositionSince(
  run: RunSql,
  channelId: string,
  { since, bound }: { since: Date; bound: string },
): Promise<StreamPosition | undefined> {
  const lowest = lowestIdAt('message', new Date(since.getTime() + 1));
  const [found] = await run<{ id: string }>(FIRST_SINCE, [channelId, lowest]);
  const first = found && timeOfId('message', found.id);
  const until = first === undefined ? ABOVE_ALL : lowestIdAt('message', new Date(first.getTime() + ORDERED_WITHIN_MS));
  const [earliest] = await run<{ transactionId: string }>(EARLIEST, [channelId, lowest, until, bound]);
  return earliest && { transactionId: earliest.transactionId, id: lowest };
}

/**
 * What positions of a channel are bound to and read with. No message of the channel can appear below the transaction `bound` any more,
 * in later statements either; simply continuing after the last message would lose one that commits late (decision 25). `last` is the
 * last message below it. `horizon` is above every position that was ever returned.
 */
export type CommitOrder = { database: string; horizon: string; bound: string; last: StreamPosition };

/** SQL: one row, the current order of the channel $1. */
export const COMMIT_ORDER = `
  WITH ${IN_PROGRESS}, bounds AS MATERIALIZED (SELECT ${boundOf('$1')} AS bound)
  SELECT s.system_identifier::text AS database, pg_snapshot_xmax(pg_current_snapshot())::text AS horizon, b.bound::text,
    l.transaction_id::text AS "transactionId", l.id
  FROM pg_control_system() s CROSS JOIN bounds b LEFT JOIN LATERAL (
    SELECT m.transaction_id, m.id FROM messages m WHERE m.channel_id = $1 AND m.transaction_id < b.bound
    ORDER BY m.transaction_id DESC, m.id DESC LIMIT 1
  ) l ON true`;

export async function findCommitOrder(run: RunSql, channelId: string): Promise<CommitOrder> {
  const [found] = await run<CommitOrderRow>(COMMIT_ORDER, [channelId]);
  if (found === undefined) throw new Error('PostgreSQL did not return its system identifier');
  return toCommitOrder(found);
}

/** The columns of COMMIT_ORDER. */
export type CommitOrderRow = Omit<CommitOrder, 'last'> & { transactionId: string | null; id: string | null };

export const toCommitOrder = ({ transactionId, id, ...order }: CommitOrderRow): CommitOrder => ({
  ...order,
  last: transactionId === null || id === null ? BEGINNING : { transactionId, id },
});

// Filters are applied after this limit, so that a filter that matches nothing costs no more than one that matches everything.
const MOST_LOOKED_AT = 1_000;
const BEHIND = `
  SELECT m.id, m.transaction_id::text AS "transactionId", m.event_type AS "eventType" FROM messages m
  WHERE m.channel_id = $1 AND (m.transaction_id, m.id) > ($2::xid8, $3) AND m.transaction_id < $4::xid8
  ORDER BY m.transaction_id, m.id LIMIT ${MOST_LOOKED_AT}`;

/** The next messages after a position and below `bound`, in commit order, up to 1,000. `isLast`: there were no more. */
export async function findCommittedBehind(
  run: RunSql,
  channelId: string,
  { transactionId, id, bound }: StreamPosition & { bound: string },
): Promise<{ found: (StreamPosition & { eventType: string })[]; isLast: boolean }> {
  const found = await run<StreamPosition & { eventType: string }>(BEHIND, [channelId, transactionId, id, bound]);
  return { found, isLast: found.length < MOST_LOOKED_AT };
}
