import type { Pool } from 'pg';

// One statement takes a few ms and locks little; at every look of the chores that is 1,000 rows a second, more than come in.
const AT_ONCE = 2_000;

/**
 * Removes kept answers and publishers' ids whose 24 hours have passed; nobody reads them any more. Returns whether there may
 * be more. Safe in several workers at once: what one of them removes the others skip.
 */
export async function forgetExpired(pool: Pool): Promise<boolean> {
  const counts = [await forget(pool, 'idempotency_keys'), await forget(pool, 'publisher_ids')];
  return counts.includes(AT_ONCE);
}

async function forget(pool: Pool, table: 'idempotency_keys' | 'publisher_ids'): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM ${table} WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
    [AT_ONCE],
  );
  return rowCount ?? 0;
}
