import type { Pool } from 'pg';

/** Keeps proofs until `expiresAt`; gives the ids of those that were not known yet. */
export async function insertUsedProofs(pool: Pool, ids: readonly Buffer[], expiresAt: Date): Promise<Buffer[]> {
  // In one order everywhere: two inserts of the same proofs never wait for each other.
  const { rows } = await pool.query<{ id: Buffer }>(
    `INSERT INTO used_proofs (id, expires_at) SELECT id, $2 FROM unnest($1::bytea[]) AS given (id) ORDER BY id
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [ids, expiresAt],
  );
  return rows.map(({ id }) => id);
}
