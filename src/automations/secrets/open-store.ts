import type { Pool } from 'pg';

export type SealedSecret = { id: string; name: string; ciphertext: string; lastUsedAt: Date | null };

const READ = `
  SELECT id, name, ciphertext, last_used_at AS "lastUsedAt" FROM secrets WHERE environment_id = $1 AND name = ANY($2)`;

/** The secrets of an environment with these names. */
export async function readSealed(pool: Pool, environmentId: string, names: readonly string[]): Promise<SealedSecret[]> {
  const { rows } = await pool.query<SealedSecret>({ name: 'read_secrets', text: READ, values: [environmentId, names] });
  return rows;
}

/** Notes a use of these secrets, but for those of which another process has noted one since `unlessSince`. */
export async function noteUses(
  pool: Pool,
  environmentId: string,
  { ids, now, unlessSince }: { ids: readonly string[]; now: Date; unlessSince: Date },
): Promise<void> {
  await pool.query(
    `UPDATE secrets SET last_used_at = $3
     WHERE environment_id = $1 AND id = ANY($2) AND (last_used_at IS NULL OR last_used_at < $4)`,
    [environmentId, ids, now, unlessSince],
  );
}
