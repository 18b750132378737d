import type { PoolClient } from 'pg';

/** SQL expressions for the columns of a dead letter that depend on its failure. */
export type DeadLetterColumns = { reason: string; errorClass: string; errorMessage: string; errorStatus: string };

/**
 * SQL, an INSERT that returns the new dead letters whole: one for each delivery `c` of `from`, once for a delivery and its round, so
 * that a repeated call adds none. `m` is its message.
 */
export const insertDeadLetters = ({ from, ...columns }: DeadLetterColumns & { from: string }): string => `
    INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round,
      event_type, reason, error_class, error_message, error_status, attempts, failed_at)
    SELECT posthorn_id('dlq'), c.environment_id, c.channel_id, c.message_id, c.subscription_id, c.id, c.round,
      m.event_type, ${columns.reason}, ${columns.errorClass}, ${columns.errorMessage}, ${columns.errorStatus}, c.attempts, now()
    FROM ${from}
    ON CONFLICT (delivery_id, round) DO NOTHING
    RETURNING *`;

/** SQL, an UPDATE: the open dead letters of the rows of `from`, which `condition` joins to `l`, are replayed by `requestedBy`. */
export const closeDeadLetters = ({
  from,
  condition,
  requestedBy,
}: {
  from: string;
  condition: string;
  requestedBy: string;
}): string => `
    UPDATE dead_letters l SET status = 'replayed', replayed_at = now(), replayed_by = ${requestedBy}
    FROM ${from} WHERE ${condition} AND l.status = 'open'`;

/** Marks an open dead letter as not worth replaying. False when it is not open. */
export async function discardDeadLetter(
  db: PoolClient,
  { id, environmentId }: { id: string; environmentId: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE dead_letters SET status = 'discarded' WHERE id = $1 AND environment_id = $2 AND status = 'open'`,
    [id, environmentId],
  );
  return rowCount === 1;
}
