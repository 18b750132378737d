import type { Pool, PoolClient } from 'pg';

/** SQL: how long an answer is kept under its key, and a publisher's id stands for its message (DESIGN §4 "idempotency"). */
export const KEPT_FOR = `interval '24 hours'`;

// Far more than lies between the time of a publish and its commit.
const PUBLISH_TAKES = `interval '10 minutes'`;

/** SQL: whether the row `k` keeps the answer to the publish of the message `message` alone, accepted between these times. */
export const isAnswerTo = (message: string, { from, until }: { from: string; until: string }): string =>
  `k.environment_id = ${message}.environment_id AND k.body LIKE '{"id":"' || ${message}.id || '"%'
     AND k.expires_at BETWEEN ${from} + ${KEPT_FOR} - ${PUBLISH_TAKES} AND ${until} + ${KEPT_FOR} + ${PUBLISH_TAKES}`;

/** SQL: the body of such an answer `k` once its message is erased. */
export const WITHOUT_PAYLOAD = `(jsonb_set(k.body::jsonb, '{payload}', 'null') - 'metadata')::text`;

/** What one request with an Idempotency-Key is known by. `id` and `requestHash` are SHA-256. */
export type KeyedRequest = { id: Buffer; environmentId: string; requestHash: Buffer };

/** An answer as it is sent again: no body with 204. */
export type KeptAnswer = { status: number; headers: Record<string, string>; body: string | null };

/** What a publish needs to keep its own answer, in the transaction that stores its messages. */
export type KeepInPublish = { request: KeyedRequest; toAnswer: (result: unknown) => KeptAnswer };

/** Another process has used the key at the same moment and was first. Nothing of this request was stored. */
export class KeyTakenError extends Error {
  override readonly name = 'KeyTakenError';
}

/**
 * Keeps an answer under a key that has none. False when there is one: two transactions that try at once wait for each other
 * here, and only one of them finds the key free.
 */
export async function keepAnswer(
  connection: Pool | PoolClient,
  { id, environmentId, requestHash }: KeyedRequest,
  { status, headers, body }: KeptAnswer,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `INSERT INTO idempotency_keys AS k (id, environment_id, request_hash, status, headers, body, expires_at)
     VALUES ($1, $2, $3, $4, $5::json, $6, now() + ${KEPT_FOR})
     ON CONFLICT (id) DO UPDATE
     SET request_hash = EXCLUDED.request_hash, owner = NULL, running_until = NULL, status = EXCLUDED.status,
         headers = EXCLUDED.headers, body = EXCLUDED.body, sealed_body = NULL, created_at = now(), expires_at = EXCLUDED.expires_at
     WHERE k.expires_at <= now()`,
    [id, environmentId, requestHash, status, JSON.stringify(headers), body],
  );
  return rowCount === 1;
}
