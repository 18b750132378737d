import type { PoolClient } from 'pg';

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
