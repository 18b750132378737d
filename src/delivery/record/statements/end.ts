import type { Pool, PoolClient } from 'pg';
import { withWords } from '../../../kernel/contract/run-workflow.ts';
import { type Executor, execute } from '../../../platform/db/transaction.ts';
import type { DeadLetterReason } from '../../../kernel/words/statuses.ts';
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

// Deliveries that one statement ends: some tens of ms, so that whoever waits for one of its rows waits no longer.
const PIECE = 1_000;
// The transaction of a deletion ends this many: those of most subscriptions. A hundred thousand took longer than it may.
const AT_ONCE = 5_000;
// Time that a deletion spends on the rest before it leaves it to the reconciler.
const REST_WITHIN_MS = 10_000;

/*
 * Rows that another statement has locked are passed over, never waited for: a group of results locks deliveries without an order of its
 * own, so a wait could be a deadlock. They are looked at again, at the latest by the reconciler.
 */

/** Ends the first unfinished deliveries of these subscriptions, in the transaction that deletes them. */
export async function endOfSubscriptions(db: Executor, subscriptionIds: string[]): Promise<void> {
  await execute(
    db,
    `UPDATE deliveries SET ${SUBSCRIPTION_DELETED} WHERE id IN (
       SELECT id FROM deliveries WHERE subscription_id = ANY ($1::text[]) AND due_at IS NOT NULL
       LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED)`,
    [subscriptionIds],
  );
}

const END_PIECE = `
  WITH piece AS (
    SELECT id FROM deliveries WHERE subscription_id = $1 AND id > $2 AND due_at IS NOT NULL
    ORDER BY id LIMIT ${PIECE} FOR UPDATE SKIP LOCKED
  ), ended AS (
    UPDATE deliveries SET ${SUBSCRIPTION_DELETED} WHERE id IN (SELECT id FROM piece)
  )
  SELECT max(id) AS last FROM piece`;

/**
 * Ends the other unfinished deliveries of these subscriptions, whose deletion is committed: piece by piece, each a transaction of its
 * own by `run`, for ten seconds at most. The reconciler ends what is left.
 */
export async function endRestOfSubscriptions(
  run: (query: { text: string; values: string[] }) => Promise<{ last: string | null } | undefined>,
  subscriptionIds: readonly string[],
): Promise<void> {
  const until = performance.now() + REST_WITHIN_MS;
  for (const subscriptionId of subscriptionIds) {
    for (let last: string | null = ''; last !== null && performance.now() < until; ) {
      const piece = await run({ text: END_PIECE, values: [subscriptionId, last] });
      last = piece?.last ?? null;
    }
  }
}

/**
 * Ends deliveries of deleted subscriptions that their deletion has left: those of a publish that began before it and committed after it,
 * those that were locked, and those of a long backlog.
 */
export async function endOfDeletedSubscriptions(pool: Pool): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `UPDATE deliveries SET ${SUBSCRIPTION_DELETED} WHERE id IN (
         SELECT d.id FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
         WHERE s.deleted_at IS NOT NULL AND d.due_at IS NOT NULL AND num_nulls(d.due_at) = 0
         LIMIT ${AT_ONCE} FOR UPDATE OF d SKIP LOCKED)`,
    );
    if ((rowCount ?? 0) < AT_ONCE) return;
  }
}
