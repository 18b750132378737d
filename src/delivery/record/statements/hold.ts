import type { Pool } from 'pg';

/**
 * Puts a delivery back whose subscription takes nothing now. The round grows, so that the delivery can be started again as soon as it
 * is due; nothing of the policy is used up. `until` is that time. With `keepsDue` a circuit holds the delivery: its due time stays, so
 * that the longest waiting one still comes first, and its nextRetryAt follows from the circuit when it is read. With neither the
 * delivery stays due, and pending: no retry is coming. `isForLimit` shows the limit as the reason, unless a fault of ours holds the
 * delivery anyway.
 */
export async function holdDelivery(
  pool: Pool,
  held: { deliveryId: string; round: number; until?: Date; keepsDue?: boolean; isForLimit?: boolean },
): Promise<void> {
  await pool.query(
    `UPDATE deliveries SET round = round + 1, holder = NULL, carrier = NULL,
       next_retry_at = CASE WHEN $4 THEN next_retry_at ELSE $3::timestamptz END,
       status = CASE WHEN $4 OR $3 IS NOT NULL THEN status ELSE 'pending' END, due_at = coalesce($3, due_at),
       held_since = CASE WHEN held_reason IS NULL AND $5 THEN now() ELSE held_since END,
       held_reason = CASE WHEN held_reason IS NULL AND $5 THEN 'rate_limit' ELSE held_reason END
     WHERE id = $1 AND round = $2 AND due_at IS NOT NULL`,
    [held.deliveryId, held.round, held.until ?? null, held.keepsDue === true, held.isForLimit === true],
  );
}
