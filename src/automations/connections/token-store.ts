import type { Pool, PoolClient } from 'pg';
import { mayUseConnection } from '../../platform/db/sql/fragments.ts';

type SealedConnection = {
  id: string;
  /** The environment that owns it. */
  ownerId: string;
  connectorId: string;
  ciphertext: string;
  lastUsedAt: Date | null;
};

const READ = `
  SELECT id, environment_id AS "ownerId", connector AS "connectorId", ciphertext, last_used_at AS "lastUsedAt" FROM connections c
  WHERE ${mayUseConnection('$1')} AND id = $2`;

/** Finds a connection that the environment owns, or that the other environment of its app shares. */
export async function readSealed(pool: Pool, environmentId: string, id: string): Promise<SealedConnection | undefined> {
  const { rows } = await pool.query<SealedConnection>({
    name: 'read_connection',
    text: READ,
    values: [environmentId, id],
  });
  return rows[0];
}

/** Records a use, unless another process has recorded one since `unlessSince`. */
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

/** A connection as workers and returning browsers use it. */
export type TokenRow = { id: string; environmentId: string; connectorId: string; ciphertext: string };

const COLUMNS = 'id, environment_id AS "environmentId", connector AS "connectorId", ciphertext';

/** Takes the lease for renewing tokens, for 30 s. Returns undefined while another process has it. */
export async function claimRenewal(pool: Pool, environmentId: string, id: string): Promise<TokenRow | undefined> {
  const { rows } = await pool.query<TokenRow>(
    `UPDATE connections SET renewing_until = now() + interval '30 s'
     WHERE environment_id = $1 AND id = $2 AND (renewing_until IS NULL OR renewing_until <= now()) RETURNING ${COLUMNS}`,
    [environmentId, id],
  );
  return rows[0];
}

/** Releases the lease without new tokens. */
export async function endRenewal(pool: Pool, environmentId: string, id: string): Promise<void> {
  await pool.query('UPDATE connections SET renewing_until = NULL WHERE environment_id = $1 AND id = $2', [
    environmentId,
    id,
  ]);
}

/** Reads a connection and locks it against changes until the transaction ends. */
export async function lockTokens(
  connection: PoolClient,
  environmentId: string,
  id: string,
): Promise<TokenRow | undefined> {
  const { rows } = await connection.query<TokenRow>(
    `SELECT ${COLUMNS} FROM connections WHERE environment_id = $1 AND id = $2 FOR UPDATE`,
    [environmentId, id],
  );
  return rows[0];
}

/**
 * Stores what the provider returned. Without tokens the connection becomes `unauthorized`. `isNew` also clears the last
 * test result.
 */
export async function writeTokens(
  connection: PoolClient,
  { id, environmentId }: TokenRow,
  { ciphertext, hasTokens, isNew = false }: { ciphertext: string; hasTokens: boolean; isNew?: boolean },
): Promise<void> {
  const untested = isNew ? ', last_tested_at = NULL, last_test_ok = NULL, last_test_message = NULL' : '';
  await connection.query(
    `UPDATE connections SET ciphertext = $3, status = $4, renewing_until = NULL${untested} WHERE environment_id = $1 AND id = $2`,
    [environmentId, id, ciphertext, hasTokens ? 'ready' : 'unauthorized'],
  );
}

/** Finds the connection to be authorized with this state, and uses up the state. */
export async function useState(pool: Pool, stateHash: Buffer): Promise<TokenRow | undefined> {
  const { rows } = await pool.query<TokenRow>(
    `UPDATE connections SET state_hash = NULL WHERE state_hash = $1 RETURNING ${COLUMNS}`,
    [stateHash],
  );
  return rows[0];
}
