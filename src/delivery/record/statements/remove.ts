import type { PoolClient } from 'pg';
import { keepsMessage } from '../../../platform/db/sql/fragments.ts';

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
