import type { Pool } from 'pg';

// One statement of this size takes a few ms and locks little. At every look of the chores that is 1,000 rows a second, more than
// come in.
const AT_ONCE = 2_000;

/**
 * Removes kept answers and publishers' ids after their 24 hours, when nobody reads them any more. Returns whether there may be
 * more. Several workers may run at once: each skips the rows of the others.
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
