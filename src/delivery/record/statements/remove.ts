import type { PoolClient } from 'pg';
import { keepsMessage } from '../../../platform/db/sql/fragments.ts';

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

const REMOVE = `
  WITH gone AS MATERIALIZED (
    SELECT wanted.id FROM unnest($1::text[]) AS wanted (id)
    LEFT JOIN LATERAL (
      ${keepsMessage('wanted.id')}
      LIMIT 1
    ) AS waiting ON true
    WHERE waiting.is_kept IS NULL
  ), delivery AS (
    DELETE FROM deliveries d USING gone g WHERE d.message_id = g.id RETURNING d.id
  ), attempt AS (
    DELETE FROM attempts a USING delivery d WHERE a.delivery_id = d.id RETURNING a.id
  ), dead_letter AS (
    DELETE FROM dead_letters l USING delivery d WHERE l.delivery_id = d.id RETURNING l.id
  ), message AS (
    DELETE FROM messages m USING gone g WHERE m.id = g.id RETURNING m.id
  )
  SELECT (SELECT count(*)::int FROM message) AS messages, (SELECT count(*)::int FROM delivery) AS deliveries,
    (SELECT count(*)::int FROM attempt) AS attempts, (SELECT count(*)::int FROM dead_letter) AS "deadLetters"`;

/** Rows that were removed. */
export type RemovedRows = { messages: number; deliveries: number; attempts: number; deadLetters: number };
const NONE: RemovedRows = { messages: 0, deliveries: 0, attempts: 0, deadLetters: 0 };

/**
 * Removes these messages with all their rows. A message with an unfinished delivery or run, or an open dead letter that can be
 * replayed, stays. The caller has locked the messages in an earlier statement, so this one sees everything committed until then.
 */
export async function removeMessages(connection: PoolClient, ids: readonly string[]): Promise<RemovedRows> {
  if (ids.length === 0) return NONE;
  const { rows } = await connection.query<RemovedRows>({ name: 'remove_expired', text: REMOVE, values: [ids] });
  return rows[0] ?? NONE;
}

const REMOVE_RUNS = `
  WITH run AS (
    DELETE FROM runs WHERE id = ANY ($1::text[]) RETURNING id
  ), step AS (
    DELETE FROM run_steps s USING run WHERE s.run_id = run.id RETURNING s.run_id
  ), dead_letter AS (
    DELETE FROM dead_letters l USING run WHERE l.run_id = run.id AND l.run_id IS NOT NULL RETURNING l.id
  )
  SELECT (SELECT count(*)::int FROM run) AS runs, (SELECT count(*)::int FROM step) AS steps,
    (SELECT count(*)::int FROM dead_letter) AS "deadLetters"`;

/** Rows that were removed. */
export type RemovedRuns = { runs: number; steps: number; deadLetters: number };
const NO_RUNS: RemovedRuns = { runs: 0, steps: 0, deadLetters: 0 };

/** Removes these runs with their steps and dead letters. The caller has locked them, so that no retry makes one go on meanwhile. */
export async function removeRuns(connection: PoolClient, ids: readonly string[]): Promise<RemovedRuns> {
  if (ids.length === 0) return NO_RUNS;
  const { rows } = await connection.query<RemovedRuns>({ name: 'remove_runs', text: REMOVE_RUNS, values: [ids] });
  return rows[0] ?? NO_RUNS;
}
