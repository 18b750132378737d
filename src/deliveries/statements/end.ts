import type { Pool, PoolClient } from 'pg';
import { withWords } from '../../contract/run-workflow.ts';
import { type Executor, execute } from '../../db/execute.ts';
import type { DeadLetterReason } from '../../kernel/words/statuses.ts';
import { insertDeadLetters } from './dead-letters.ts';
import { deliveryExhausted, publishEvents } from './service-events.ts';

// A delivery that a fault of ours ended has that fault as its last error, whatever its receiver answered before. The words of a person who
// ended it stand before the message of the last error.
const END_AS_DEAD_LETTER = `
  WITH changed AS (
    UPDATE deliveries SET status = 'failed', due_at = NULL, next_retry_at = NULL, holder = NULL, failure_reason = $3
    WHERE id = $1 AND round = $2 AND due_at IS NOT NULL
    RETURNING *
  ), letter AS (${insertDeadLetters({
    from: `changed c JOIN messages m ON m.id = c.message_id
    LEFT JOIN attempts a ON a.delivery_id = c.id AND a.number = c.attempts
    CROSS JOIN LATERAL (SELECT $3 = 'internal' AND a.error_class IS DISTINCT FROM 'crashed' AS is_last) AS o`,
    reason: '$3',
    errorClass: `CASE WHEN o.is_last THEN 'internal' ELSE a.error_class END`,
    errorMessage: `CASE WHEN o.is_last THEN $4 WHEN $5 THEN concat_ws('; the last try: ', $4::text, a.error_message)
      ELSE coalesce(a.error_message, $4) END`,
    errorStatus: 'CASE WHEN NOT o.is_last THEN a.response_status END',
  })}
  ), ${publishEvents(deliveryExhausted('letter'))}
  SELECT id FROM letter`;

/**
 * Ends an unfinished delivery of that round as a dead letter with its last error, and leaves any other alone. True when it did.
 * `words`: those of the person who ended it.
 */
export async function endAsDeadLetter(
  db: Pool | PoolClient,
  ended: { deliveryId: string; round: number; reason: DeadLetterReason; message: string; words?: string | undefined },
): Promise<boolean> {
  const { deliveryId, round, reason, message, words } = ended;
  const values = [deliveryId, round, reason, withWords(message, words), words !== undefined];
  const { rowCount } = await db.query(END_AS_DEAD_LETTER, values);
  return rowCount === 1;
}

// SQL, a SET list without a dead letter: nothing is left to replay to.
const SUBSCRIPTION_DELETED = `status = 'failed', failure_reason = 'subscription_deleted', due_at = NULL, next_retry_at = NULL,
       holder = NULL, carrier = NULL`;

/** Ends the unfinished deliveries of these subscriptions, in the transaction that deletes them. */
export async function endOfSubscriptions(db: Executor, subscriptionIds: string[]): Promise<void> {
  await execute(
    db,
    `UPDATE deliveries SET ${SUBSCRIPTION_DELETED} WHERE subscription_id = ANY ($1::text[]) AND due_at IS NOT NULL`,
    [subscriptionIds],
  );
}

/** Ends deliveries of a publish that began before its subscription's deletion and committed after it. */
export async function endOfDeletedSubscriptions(pool: Pool): Promise<void> {
  await pool.query(
    `UPDATE deliveries d SET ${SUBSCRIPTION_DELETED} FROM subscriptions s
     WHERE s.id = d.subscription_id AND s.deleted_at IS NOT NULL AND d.due_at IS NOT NULL AND num_nulls(d.due_at) = 0`,
  );
}
