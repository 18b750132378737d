import type { Pool, PoolClient } from 'pg';

/** SQL: how long a response is stored under its key, and a client-supplied message id stands for its message. */
export const KEPT_FOR = `interval '24 hours'`;

// Far longer than the time between a publish and its commit.
const PUBLISH_TAKES = `interval '10 minutes'`;

/** SQL: whether the row `k` stores the response to the publish of the message `message` alone, accepted between these times. */
export const isAnswerTo = (message: string, { from, until }: { from: string; until: string }): string =>
  `k.environment_id = ${message}.environment_id AND k.body LIKE '{"id":"' || ${message}.id || '"%'
     AND k.expires_at BETWEEN ${from} + ${KEPT_FOR} - ${PUBLISH_TAKES} AND ${until} + ${KEPT_FOR} + ${PUBLISH_TAKES}`;

/** SQL: the body of such a response `k` once its message has been erased. */
export const WITHOUT_PAYLOAD = `(k.body::jsonb - 'payload' - 'metadata')::text`;

/** Identity of a request with an Idempotency-Key. `id` and `requestHash` are SHA-256. */
export type KeyedRequest = { id: Buffer; environmentId: string; requestHash: Buffer };

/** A stored response; 204 has no body. */
export type KeptAnswer = { status: number; headers: Record<string, string>; body: string | null };

/** The request and its response without the body, which a publish stores in the transaction that stores its messages. */
export type KeepInPublish = { request: KeyedRequest } & Omit<KeptAnswer, 'body'>;

/** Another process used the key at the same moment and was first. Nothing of this request was stored. */
export class KeyTakenError extends Error {
  override readonly name = 'KeyTakenError';
}

/** A response and the request that it belongs to. */
export type ToKeep = { request: KeyedRequest; answer: KeptAnswer };

/**
 * Stores responses under different keys. Returns the requests whose key was free. Concurrent transactions wait for each other here, in
 * the order of the keys, and only one of them finds a key free.
 */
export async function keepAnswers(
  connection: Pool | PoolClient,
  answers: readonly ToKeep[],
): Promise<ReadonlySet<KeyedRequest>> {
  const sorted = answers.toSorted((one, other) => Buffer.compare(one.request.id, other.request.id));
  const { rows } = await connection.query<{ id: Buffer }>({
    name: 'keep-answers',
    text: `INSERT INTO idempotency_keys AS k (id, environment_id, request_hash, status, headers, body, expires_at)
     SELECT u.id, u.environment_id, u.request_hash, u.status, u.headers::json, u.body, now() + ${KEPT_FOR}
     FROM unnest($1::bytea[], $2::text[], $3::bytea[], $4::int[], $5::text[], $6::text[])
       AS u (id, environment_id, request_hash, status, headers, body)
     ON CONFLICT (id) DO UPDATE
     SET request_hash = EXCLUDED.request_hash, owner = NULL, running_until = NULL, status = EXCLUDED.status,
         headers = EXCLUDED.headers, body = EXCLUDED.body, sealed_body = NULL, created_at = now(), expires_at = EXCLUDED.expires_at
     WHERE k.expires_at <= now()
     RETURNING id`,
    values: [
      sorted.map(({ request }) => request.id),
      sorted.map(({ request }) => request.environmentId),
      sorted.map(({ request }) => request.requestHash),
      sorted.map(({ answer }) => answer.status),
      sorted.map(({ answer }) => JSON.stringify(answer.headers)),
      sorted.map(({ answer }) => answer.body),
    ],
  });
  const kept = new Set(rows.map(({ id }) => id.toString('hex')));
  return new Set(answers.flatMap(({ request }) => (kept.has(request.id.toString('hex')) ? [request] : [])));
}
