import type { PoolClient } from 'pg';

// Each is a statement of its own, which sees rows recorded while the ones before waited for a lock.
const ERASE = [
  `UPDATE deliveries SET response_body = NULL, status = CASE WHEN due_at IS NULL THEN status ELSE 'failed' END,
     failure_reason = CASE WHEN due_at IS NULL THEN failure_reason ELSE 'erased' END,
     due_at = NULL, next_retry_at = NULL, holder = NULL, carrier = CASE WHEN due_at IS NULL THEN carrier END
   WHERE message_id = $1 AND (due_at IS NOT NULL OR response_body IS NOT NULL)`,
  `UPDATE attempts a SET response_body = NULL, response_headers = NULL FROM deliveries d
   WHERE d.message_id = $1 AND a.delivery_id = d.id AND (a.response_body IS NOT NULL OR a.response_headers IS NOT NULL)`,
  `UPDATE dead_letters l SET status = 'discarded' FROM deliveries d
   WHERE d.message_id = $1 AND l.delivery_id = d.id AND l.status = 'open'`,
];

/**
 * Ends the unfinished deliveries of a message that is being erased, `failed` with the reason `erased`, discards its open dead letters
 * and removes the answers of its receivers. The caller has locked the message, then its deliveries.
 */
export async function eraseDeliveries(connection: PoolClient, messageId: string): Promise<void> {
  for (const statement of ERASE) await connection.query(statement, [messageId]);
}
