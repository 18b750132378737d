import type { Pool } from 'pg';
import type { PendingReplay } from '../../contract/delivery-workflow.ts';

/** Replays that nobody has started yet. A second start is harmless, because the Temporal workflow's id is derived. */
export async function pendingReplays(pool: Pool): Promise<PendingReplay[]> {
  const { rows } = await pool.query<PendingReplay>({
    name: 'pending_replays',
    text: `(SELECT 'deadLetters' AS of, id FROM bulk_replays WHERE status = 'pending' ORDER BY id LIMIT 10)
      UNION ALL
      (SELECT 'messages', id FROM message_replays WHERE status = 'pending' AND finished_at IS NULL ORDER BY id LIMIT 10)`,
  });
  return rows;
}
