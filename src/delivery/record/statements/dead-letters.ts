import type { DatabaseTransaction } from '../../../platform/db/client.ts';

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

// The code of a step's error, in the words of a delivery's failure where there is one.
const CLASS_OF_CODE = `CASE WHEN c.error_code ~ '^HTTP_\\d{3}$' THEN 'status' ELSE
        (ARRAY['timeout', 'blocked_address', 'crashed', 'internal'])[array_position(ARRAY['TIMEOUT', 'BLOCKED_ADDRESS', 'CRASHED', 'INTERNAL'], c.error_code)] END`;

/**
 * SQL, an INSERT that returns the new dead letters whole: one for each failed run `r` of `from`, once for a run and its round. `c` is the
 * failure: the columns step_id, iteration and attempts of its step, null without one, and error_code and error_message. `m` is the
 * message that began the run, where there is one.
 */
export const insertRunLetters = ({ from }: { from: string }): string => `
    INSERT INTO dead_letters (id, environment_id, kind, channel_id, message_id, workflow_id, run_id, step_id, iteration, round,
      event_type, reason, error_class, error_code, error_message, error_status, attempts, failed_at)
    SELECT posthorn_id('dlq'), r.environment_id, 'run', r.channel_id, r.message_id, r.workflow_id, r.id, c.step_id, c.iteration, r.round,
      m.event_type, CASE WHEN c.error_code = 'INTERNAL' THEN 'internal' ELSE 'failed_step' END, ${CLASS_OF_CODE}, c.error_code,
      c.error_message, substring(c.error_code FROM '^HTTP_(\\d{3})$')::int, coalesce(c.attempts, 0), now()
    FROM ${from}
    ON CONFLICT (run_id, round) WHERE run_id IS NOT NULL DO NOTHING
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

// Rows are taken by their ids, as replays take them, so that two of them never wait for each other in turn.
const DISCARD_MANY = `
    WITH taken AS (
      SELECT id FROM dead_letters WHERE id = ANY ($1::text[]) AND environment_id = $2 AND status = 'open' ORDER BY id FOR UPDATE
    )
    UPDATE dead_letters l SET status = 'discarded' FROM taken t WHERE l.id = t.id RETURNING l.id`;

/** Marks those of the dead letters that are open as not worth replaying. Returns their ids. */
export async function discardDeadLetters(
  db: DatabaseTransaction,
  { ids, environmentId }: { ids: readonly string[]; environmentId: string },
): Promise<string[]> {
  const rows = await db.$queryRawUnsafe<{ id: string }[]>(DISCARD_MANY, ids, environmentId);
  return rows.map(({ id }) => id);
}
