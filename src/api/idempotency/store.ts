import type { Pool } from 'pg';
import { createGrouping } from '../../platform/db/group.ts';
import { type KeptAnswer, KEPT_FOR, type KeyedRequest } from './kept-answers.ts';
import { isUnreachable, untilReachable } from '../../platform/db/failures.ts';

// A killed process blocks its keys for this long; a running one renews three times meanwhile.
const LEASE = `interval '30 seconds'`;

/** The row of a key. `status` is null while the first request is running; its body is either plain or encrypted. */
export type KeyRow = {
  requestHash: Buffer;
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
  sealedBody: string | null;
  /** The process that ran the request has died: its lease was not renewed. */
  isAbandoned: boolean;
};

const LOOKS_IN_FLIGHT = 2;
const LOOKS_AT_ONCE = 200;

/** Finds the row of a key, or undefined if the key is free. Calls in one turn of the event loop share a query. */
export function createFindKey(pool: Pool): (id: Buffer) => Promise<KeyRow | undefined> {
  const looks = createGrouping<Buffer, { row: KeyRow | undefined }>({
    inFlight: LOOKS_IN_FLIGHT,
    maxWeight: LOOKS_AT_ONCE,
    weightOf: () => 1,
    run: (ids) => findKeys(pool, ids),
  });
  return async (id) => (await looks.add(id)).row;
}

async function findKeys(pool: Pool, ids: readonly Buffer[]): Promise<{ row: KeyRow | undefined }[]> {
  const { rows } = await pool.query<KeyRow & { id: Buffer }>({
    name: 'find-keys',
    text: `SELECT id, request_hash AS "requestHash", status, headers, body, sealed_body AS "sealedBody",
             (status IS NULL AND running_until <= now()) AS "isAbandoned"
           FROM idempotency_keys WHERE id = ANY($1::bytea[]) AND expires_at > now()`,
    values: [ids],
  });
  const rowOf = new Map(rows.map((row) => [row.id.toString('hex'), row]));
  return ids.map((id) => ({ row: rowOf.get(id.toString('hex')) }));
}

/** Marks the key as running for `owner`. Returns false if another one was first. Takes over an abandoned or expired row. */
export async function beginKey(
  pool: Pool,
  { id, environmentId, requestHash }: KeyedRequest,
  owner: string,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `INSERT INTO idempotency_keys AS k (id, environment_id, request_hash, owner, running_until, expires_at)
     VALUES ($1, $2, $3, $4, now() + ${LEASE}, now() + ${KEPT_FOR})
     ON CONFLICT (id) DO UPDATE
     SET request_hash = EXCLUDED.request_hash, owner = EXCLUDED.owner, running_until = EXCLUDED.running_until, status = NULL,
         headers = NULL, body = NULL, sealed_body = NULL, created_at = now(), expires_at = EXCLUDED.expires_at
     WHERE k.expires_at <= now() OR (k.status IS NULL AND k.running_until <= now())`,
    [id, environmentId, requestHash, owner],
  );
  return rowCount === 1;
}

export async function renewKey(pool: Pool, id: Buffer, owner: string): Promise<void> {
  await pool.query(
    `UPDATE idempotency_keys SET running_until = now() + ${LEASE} WHERE id = $1 AND owner = $2 AND status IS NULL`,
    [id, owner],
  );
}

/** Ends the run of `owner` with its response, whose body is already encrypted. Does nothing if another process has taken over the key. */
export async function finishKey(
  pool: Pool,
  id: Buffer,
  owner: string,
  { status, headers, body }: KeptAnswer,
): Promise<void> {
  await pool.query(
    `UPDATE idempotency_keys SET status = $3, headers = $4::json, sealed_body = $5, running_until = NULL
     WHERE id = $1 AND owner = $2 AND status IS NULL`,
    [id, owner, status, JSON.stringify(headers), body],
  );
}

/** Ends the run of `owner` without a response: the key is free again. */
export async function freeKey(pool: Pool, id: Buffer, owner: string): Promise<void> {
  await pool.query('DELETE FROM idempotency_keys WHERE id = $1 AND owner = $2 AND status IS NULL', [id, owner]);
}

/**
 * Writes once. If PostgreSQL is unavailable it returns anyway, and writes as soon as PostgreSQL is back. `written` resolves then, or
 * once the write has failed permanently, which `warn` reports.
 */
export async function writeNowOrLater(
  write: () => Promise<void>,
  warn: (failure: unknown) => void,
): Promise<{ written: Promise<void> }> {
  try {
    await write();
    return { written: Promise.resolve() };
  } catch (failure) {
    warn(failure);
    const later = isUnreachable(failure) ? untilReachable(write, () => false).catch(warn) : Promise.resolve();
    return { written: later };
  }
}
