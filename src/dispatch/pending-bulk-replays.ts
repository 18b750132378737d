import type { Pool } from 'pg';

/** Bulk replays that nobody has started yet. Starting one twice is harmless: its Temporal workflow id is derived. */
export async function pendingBulkReplays(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'pending_bulk_replays',
    text: `SELECT id FROM bulk_replays WHERE status = 'pending' ORDER BY id LIMIT 10`,
  });
  return rows.map((row) => row.id);
}
