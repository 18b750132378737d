import type { Pool } from 'pg';
import { mayUseConnection } from '../../platform/db/sql/fragments.ts';

export type SealedConnection = {
  id: string;
  /** The environment that it belongs to. */
  ownerId: string;
  connectorId: string;
  ciphertext: string;
  lastUsedAt: Date | null;
};

const READ = `
  SELECT id, environment_id AS "ownerId", connector AS "connectorId", ciphertext, last_used_at AS "lastUsedAt" FROM connections c
  WHERE ${mayUseConnection('$1')} AND id = $2`;

/** The connection with that id that an environment has, or that the other one of its app shares. */
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
  { id, ownerId }: SealedConnection,
  { now, unlessSince }: { now: Date; unlessSince: Date },
): Promise<void> {
  await pool.query(
    `UPDATE connections SET last_used_at = $3
     WHERE environment_id = $1 AND id = $2 AND (last_used_at IS NULL OR last_used_at < $4)`,
    [ownerId, id, now, unlessSince],
  );
}
