/*
 * Rows that retention leaves, though they are past their end. An open dead letter keeps its message, or its run, as long as it can be
 * replayed, and it cannot once its subscription or workflow is deleted.
 */

/** SQL: a row for each reason that keeps the message with that id. A run reads its message as long as it has not ended. */
export const keepsMessage = (id: string): string => `
  SELECT true AS is_kept FROM deliveries d
  LEFT JOIN dead_letters l ON l.delivery_id = d.id AND l.status = 'open'
  LEFT JOIN subscriptions s ON s.id = l.subscription_id AND s.deleted_at IS NULL
  WHERE d.message_id = ${id} AND (d.due_at IS NOT NULL OR s.id IS NOT NULL)
  UNION ALL
  SELECT true FROM runs r WHERE r.message_id = ${id} AND r.finished_at IS NULL
  UNION ALL
  SELECT true FROM dead_letters l JOIN workflows w ON w.id = l.workflow_id AND w.deleted_at IS NULL
  WHERE l.message_id = ${id} AND l.run_id IS NOT NULL AND l.status = 'open'`;

/** SQL: a row for each dead letter that keeps the ended run with that id. */
export const keepsRun = (id: string): string => `
  SELECT FROM dead_letters l JOIN workflows w ON w.id = l.workflow_id AND w.deleted_at IS NULL
  WHERE l.run_id = ${id} AND l.run_id IS NOT NULL AND l.status = 'open'`;
