import type { QueryResultRow, PoolClient } from 'pg';
import { lowestIdAt, timeOfId } from '../../../kernel/values/ids.ts';
import { BEGINNING, type StreamPosition } from '../../../kernel/values/commit-position.ts';

// The class of the advisory locks in their two-key form. Those with one key are numbered from 7_220_633 on.
const SIGN_CLASS = 7_220_637;

/** SQL: three of 32 bits for the channel, as a bigint. Two channels with the same bits only make readers wait for each other. */
const bitsOf = (channelId: string): string =>
  `(SELECT (1::bigint << (h & 31)) | (1::bigint << ((h >> 5) & 31)) | (1::bigint << ((h >> 10) & 31)) FROM hashtext(${channelId}) AS h)`;

const SIGN = `
  SELECT pg_advisory_xact_lock_shared(${SIGN_CLASS}, bit_or(${bitsOf('c.id')})::bit(32)::int) FROM unnest($1::text[]) AS c (id)`;

/**
 * Signs this transaction, which will take long, as one that publishes to these channels and no others, so that readers of other channels
 * do not wait for it. The sign is a shared advisory lock, which conflicts with nothing, until the transaction ends.
 *
 * It is one lock for all channels. PostgreSQL releases the locks of a transaction one after another: of several, a reader could see some
 * gone and the transaction's number still there.
 */
export async function signPublish(connection: Pick<PoolClient, 'query'>, channelIds: readonly string[]): Promise<void> {
  await connection.query({ name: 'sign_publish', text: SIGN, values: [channelIds] });
}

// One look at pg_locks, which shows the sign and the number of a transaction as of one moment: of two looks the second might meet the
// next transaction of the same session. It comes after the snapshot: the locks of a transaction that has ended since are gone, and readers
// wait for it once more. Without a transaction in progress it is spared.
const IS_SIGN = `l.locktype = 'advisory' AND l.classid = ${SIGN_CLASS} AND l.objsubid = 2
      AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())`;

/**
 * SQL, CTEs for `boundOf`: the transactions in progress in the statement's snapshot, and the channels of those that are signed. pg_locks
 * has the lower 32 bits of a transaction's number. A subtransaction has a higher number, which is not in the snapshot: readers wait.
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
 * SQL, behind IN_PROGRESS: the oldest transaction that has not ended and may have published to the channel. Below it no message of the
 * channel can appear, now or later, and every one that is there is visible in the same snapshot.
 */
export const boundOf = (channelId: string): string => `
  coalesce((
    SELECT t.transaction_id FROM in_progress t CROSS JOIN ${bitsOf(channelId)} AS c (bits)
    WHERE t.bits IS NULL OR t.bits & c.bits = c.bits ORDER BY t.transaction_id LIMIT 1
  ), pg_snapshot_xmax(pg_current_snapshot()))`;

/** Runs one statement in a transaction that begins with IN_ORDER. */
export type RunSql = <R extends QueryResultRow>(text: string, values: readonly unknown[]) => Promise<R[]>;

// Processes make their ids before the transaction begins, and by their own clocks: how far apart both may be.
const ORDERED_WITHIN_MS = 60_000;

// With statistics from before a backlog PostgreSQL would gather and sort all of it for every page: 300 ms instead of 20 for ten
// channels, one of them 100,000 messages behind. With neither of the two it walks the index in its order and stops.
export const IN_ORDER = 'SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off';

/**
 * SQL: whether the id of the message `m` was given its time. `isTimeGiven` in src/kernel/values/ids.ts says the same in TypeScript, and a
 * test compares them.
 */
export const TIME_IS_GIVEN = `substr(m.id, 15, 1) >= 'g'`;

// A scheduled message may be published long after the time in its id, should no worker have been there: it bounds nothing.
const FIRST_SINCE = `
  SELECT m.id FROM messages m WHERE m.channel_id = $1 AND m.id >= $2 AND NOT ${TIME_IS_GIVEN} ORDER BY m.id LIMIT 1`;
// The year 10889: every id of a message is below.
const ABOVE_ALL = lowestIdAt('message', new Date(2 ** 48 - 1));
// MATERIALIZED: looked for by transaction, the whole history before it would be read.
const EARLIEST = `
  WITH later AS MATERIALIZED (
    SELECT m.transaction_id FROM messages m WHERE m.channel_id = $1 AND m.id >= $2 AND m.id < $3 AND m.transaction_id < $4::xid8
  )
  SELECT l.transaction_id::text AS "transactionId" FROM later l ORDER BY l.transaction_id LIMIT 1`;

/**
 * The position before the first message, in the order of commits, that was published after `since`; undefined when none was below
 * `bound`. With that of the channel's CommitOrder its `last` is not above a message that is left out here. The first minute of those
 * messages is looked through: a later message has a later transaction. Where all of them were scheduled, all are looked through.
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
 * What positions of a channel are bound to and read by. No message of the channel can appear below the transaction `bound` any more, in
 * later statements either; a plain "behind the last one" would lose a message that commits late (decision 25). `last` is the last
 * message below it. `horizon` is above every position that was ever given out.
 */
export type CommitOrder = { database: string; horizon: string; bound: string; last: StreamPosition };

/** SQL: one row, the order of the channel $1 as it is now. */
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
  if (found === undefined) throw new Error('PostgreSQL has not said which database it is');
  return toCommitOrder(found);
}

/** What COMMIT_ORDER returns. */
export type CommitOrderRow = Omit<CommitOrder, 'last'> & { transactionId: string | null; id: string | null };

export const toCommitOrder = ({ transactionId, id, ...order }: CommitOrderRow): CommitOrder => ({
  ...order,
  last: transactionId === null || id === null ? BEGINNING : { transactionId, id },
});

// Filters are asked behind this, so that a filter that nothing fits costs no more than one that everything fits.
const MOST_LOOKED_AT = 1_000;
const BEHIND = `
  SELECT m.id, m.transaction_id::text AS "transactionId", m.event_type AS "eventType" FROM messages m
  WHERE m.channel_id = $1 AND (m.transaction_id, m.id) > ($2::xid8, $3) AND m.transaction_id < $4::xid8
  ORDER BY m.transaction_id, m.id LIMIT ${MOST_LOOKED_AT}`;

/** The next messages behind a position and below `bound`, in the order of commits, 1,000 at most. `isLast`: no more were there. */
export async function findCommittedBehind(
  run: RunSql,
  channelId: string,
  { transactionId, id, bound }: StreamPosition & { bound: string },
): Promise<{ found: (StreamPosition & { eventType: string })[]; isLast: boolean }> {
  const found = await run<StreamPosition & { eventType: string }>(BEHIND, [channelId, transactionId, id, bound]);
  return { found, isLast: found.length < MOST_LOOKED_AT };
}
