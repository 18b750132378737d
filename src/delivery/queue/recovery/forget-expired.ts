import type { Pool } from 'pg';

// One statement of this size takes a few ms and locks little. At every look of the chores that is 1,000 rows a second, more than
// come in.
const AT_ONCE = 2_000;

// Each call with a proof leaves one of these, of 40 bytes: 5,000 a second go away.
const PROOFS_AT_ONCE = 10_000;

// Each may hold a body of 256 KiB.
const INSPECTED_AT_ONCE = 200;

/**
 * Removes kept answers and publishers' ids after their 24 hours, used proofs after their minutes, and inspected requests after 24 hours.
 * Inbound webhooks lose events after 72 hours, refusals after 7 days, and receipts after the retention of their channel. Nobody reads any
 * of them any more. Returns whether there may be more. Several workers may run at once: each skips the rows of the others.
 */
export async function forgetExpired(pool: Pool): Promise<boolean> {
  const more = [
    await forget(pool, 'idempotency_keys', AT_ONCE),
    await forget(pool, 'publisher_ids', AT_ONCE),
    await forget(pool, 'used_proofs', PROOFS_AT_ONCE),
    await forget(pool, 'inbound_events', AT_ONCE),
    await forget(pool, 'inbound_receipts', AT_ONCE),
    await forget(pool, 'inbound_refusals', AT_ONCE),
    await forget(pool, 'inspected_requests', INSPECTED_AT_ONCE),
  ];
  return more.includes(true);
}

type Table =
  | 'idempotency_keys'
  | 'publisher_ids'
  | 'used_proofs'
  | 'inbound_events'
  | 'inbound_receipts'
  | 'inbound_refusals'
  | 'inspected_requests';

/** Returns whether there may be more. */
async function forget(pool: Pool, table: Table, atOnce: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM ${table} WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [atOnce],
  );
  return rowCount === atOnce;
}
