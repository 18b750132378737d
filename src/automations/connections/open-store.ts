import type { Pool } from 'pg';

export type SealedConnection = { id: string; connectorId: string; ciphertext: string; lastUsedAt: Date | null };

const READ = `
  SELECT id, connector AS "connectorId", ciphertext, last_used_at AS "lastUsedAt" FROM connections
  WHERE environment_id = $1 AND id = $2`;

/** The connection of an environment with that id. */
export async function readSealed(pool: Pool, environmentId: string, id: string): Promise<SealedConnection | undefined> {
  const { rows } = await pool.query<SealedConnection>({
    name: 'read_connection',
    text: READ,
    values: [environmentId, id],
  });
  return rows[0];
}

/** Notes a use, unless another process has noted one since `unlessSince`. */
export async function noteUse(
  pool: Pool,
  environmentId: string,
  { id, now, unlessSince }: { id: string; now: Date; unlessSince: Date },
): Promise<void> {
  await pool.query(
    `UPDATE connections SET last_used_at = $3
     WHERE environment_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $4)`,
    [environmentId, id, now, unlessSince],
  );
}
