import type { PoolClient } from 'pg';

// An open dead letter keeps its message as long as it can be replayed, and it cannot once its subscription or workflow is deleted. A run
// reads its message as long as it has not ended.
const REMOVE = `
  WITH gone AS MATERIALIZED (
    SELECT wanted.id FROM unnest($1::text[]) AS wanted (id)
    LEFT JOIN LATERAL (
      SELECT true AS is_kept FROM deliveries d
      LEFT JOIN dead_letters l ON l.delivery_id = d.id AND l.status = 'open'
      LEFT JOIN subscriptions s ON s.id = l.subscription_id AND s.deleted_at IS NULL
      WHERE d.message_id = wanted.id AND (d.due_at IS NOT NULL OR s.id IS NOT NULL)
      UNION ALL
      SELECT true FROM runs r WHERE r.message_id = wanted.id AND r.finished_at IS NULL
      UNION ALL
      SELECT true FROM dead_letters l JOIN workflows w ON w.id = l.workflow_id AND w.deleted_at IS NULL
      WHERE l.message_id = wanted.id AND l.run_id IS NOT NULL AND l.status = 'open'
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
