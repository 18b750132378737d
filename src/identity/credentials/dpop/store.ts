import type { Pool } from 'pg';

/** Stores proofs until `expiresAt`. Returns the ids that were not stored yet. */
export async function insertUsedProofs(pool: Pool, ids: readonly Buffer[], expiresAt: Date): Promise<Buffer[]> {
  // Insert in a fixed order, so that two inserts of the same proofs cannot deadlock.
  const { rows } = await pool.query<{ id: Buffer }>(
    `INSERT INTO used_proofs (id, expires_at) SELECT id, $2 FROM unnest($1::bytea[]) AS given (id) ORDER BY id
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [ids, expiresAt],
  );
  return rows.map(({ id }) => id);
}
