import type { Pool } from 'pg';
import { type Executor, execute } from '../../../platform/db/transaction.ts';

// Deliveries released in one statement; the next one goes on.
const RELEASED_AT_ONCE = 1_000;
const WAITS = `d.due_at > now() AND d.holder IS NULL AND d.carrier IS NULL`;
const DUE_NOW = 'due_at = now(), next_retry_at = now()';

/** Makes every delivery due that a fault of ours holds: a new process brings mended code, or the right keys. */
export async function releaseAllHeld(pool: Pool): Promise<number> {
  let released = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `UPDATE deliveries SET ${DUE_NOW} WHERE id IN (
         SELECT d.id FROM deliveries d WHERE d.held_reason IN ('secret_unreadable', 'internal') AND ${WAITS}
         LIMIT ${RELEASED_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
    );
    released += rowCount ?? 0;
    if ((rowCount ?? 0) < RELEASED_AT_ONCE) return released;
  }
}

// A loose walk over the subscriptions that have held deliveries: one index step for each.
const HELD = `held_reason = 'secret_unreadable' AND due_at IS NOT NULL`;
const RELEASE_MENDED = `
  WITH RECURSIVE held AS (
    (SELECT subscription_id FROM deliveries WHERE ${HELD} ORDER BY subscription_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.subscription_id FROM deliveries d WHERE ${HELD} AND d.subscription_id > h.subscription_id
            ORDER BY d.subscription_id LIMIT 1)
    FROM held h WHERE h.subscription_id IS NOT NULL
  ), mended AS (
    SELECT due.id FROM held h JOIN subscriptions s ON s.id = h.subscription_id AND s.secret_unreadable_since IS NULL
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d
      WHERE d.held_reason = 'secret_unreadable' AND d.subscription_id = s.id AND ${WAITS} LIMIT ${RELEASED_AT_ONCE} FOR UPDATE SKIP LOCKED
    ) AS due
    LIMIT ${RELEASED_AT_ONCE}
  )
  UPDATE deliveries SET ${DUE_NOW} WHERE id IN (SELECT id FROM mended)`;

/** Makes up to 1,000 deliveries due that waited for a secret that can be opened by now. Returns their number. */
export async function releaseMended(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query({ name: 'release_mended', text: RELEASE_MENDED });
  return rowCount ?? 0;
}

/**
 * Makes a subscription's deliveries due that a limit or a fault of ours has held: a resume is meant for them too. Runs in the
 * transaction that resumes it.
 */
export async function releaseHeldOf(db: Executor, subscriptionId: string): Promise<void> {
  await execute(
    db,
    `UPDATE deliveries SET due_at = now(), next_retry_at = NULL, held_reason = NULL, held_since = NULL, held_sent = NULL
     WHERE held_reason IN ('rate_limit', 'secret_unreadable', 'internal') AND subscription_id = $1 AND due_at IS NOT NULL
       AND holder IS NULL AND carrier IS NULL`,
    [subscriptionId],
  );
}
