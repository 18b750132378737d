import type { Pool } from 'pg';
import type { SealedSigningSecret } from '../../platform/outbound/sign.ts';
import type { ForcedAnswer, Signature } from './schema.ts';

/** The inspector's data needed to receive a request. */
export type ReceivingInspector = { id: string; environmentId: string; organisationId: string; answer: ForcedAnswer };

const LOAD = `
  SELECT i.id, e.id AS "environmentId", e.organisation_id AS "organisationId",
    json_build_object('status', answer_status, 'delayMs', answer_delay_ms, 'failurePercent', failure_percent) AS answer
  FROM inspectors i JOIN environments e ON e.id = i.environment_id WHERE i.id = $1`;

/** Finds the inspector by id in any environment. The caller is not authenticated; knowing the id is enough. */
export async function loadInspector(pool: Pool, id: string): Promise<ReceivingInspector | undefined> {
  const { rows } = await pool.query<ReceivingInspector>({ name: 'load-inspector', text: LOAD, values: [id] });
  return rows[0];
}

/** A subscription that a message was delivered to, with its valid signing secrets. */
export type Signer = { subscriptionId: string; secrets: SealedSigningSecret[] };

// A message may go to tens of thousands of subscriptions, but anyone can send this request, so it reads at most this
// many.
const DELIVERIES_AT_MOST = 1_000;
const SIGNERS_AT_MOST = 5;

const SIGNERS = `
  SELECT s.id AS "subscriptionId",
    (SELECT coalesce(json_agg(json_build_object('id', x.id, 'ciphertext', x.ciphertext) ORDER BY x.id DESC), '[]'::json)
     FROM subscription_secrets x WHERE x.subscription_id = s.id AND (x.expires_at IS NULL OR x.expires_at > now())) AS secrets
  FROM messages m
  CROSS JOIN LATERAL (SELECT d.subscription_id FROM deliveries d WHERE d.message_id = m.id LIMIT ${DELIVERIES_AT_MOST}) AS d
  JOIN subscriptions s ON s.id = d.subscription_id AND s.environment_id = $2
  WHERE m.id = $1 AND m.environment_id = $2
  ORDER BY s.webhook_url = $3 DESC, s.id LIMIT ${SIGNERS_AT_MOST}`;

/**
 * Returns up to five subscriptions of the environment that the message was delivered to; those with the target `url`
 * first.
 */
export async function findSigners(
  pool: Pool,
  { messageId, environmentId, url }: { messageId: string; environmentId: string; url: string },
): Promise<Signer[]> {
  const values = [messageId, environmentId, url];
  const { rows } = await pool.query<Signer>({ name: 'find-signers', text: SIGNERS, values });
  return rows;
}

// Anyone can send requests, so they must not fill the table.
const KEPT = 200;
const KEPT_FOR = `interval '24 hours'`;

// The deletion does not see the row inserted by the same statement, so it keeps one less.
const INSERT = `
  WITH arrived AS (
    INSERT INTO inspected_requests (id, environment_id, inspector_id, method, path, headers, body, bytes, answer_status, answer_delay_ms,
      signature_status, signature_reason, message_id, subscription_id, arrived_at, expires_at)
    SELECT $1, i.environment_id, i.id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::timestamptz, $14::timestamptz + ${KEPT_FOR}
    FROM inspectors i WHERE i.id = $2)
  DELETE FROM inspected_requests WHERE inspector_id = $2 AND id <= (
    SELECT id FROM inspected_requests WHERE inspector_id = $2 ORDER BY id DESC OFFSET ${KEPT - 1} LIMIT 1)`;

export type Arrived = {
  id: string;
  inspectorId: string;
  method: string;
  path: string;
  headers: readonly (readonly [string, string])[];
  body: Buffer;
  bytes: number;
  answer: { status: number; delayMs: number };
  signature: Signature;
  arrivedAt: Date;
};

/** Stores a request and keeps only the newest 200 of its inspector. */
export async function insertRequest(pool: Pool, request: Arrived): Promise<void> {
  const { id, inspectorId, method, path, headers, body, bytes, answer, signature, arrivedAt } = request;
  const { status, reason = null, messageId = null, subscriptionId = null } = signature;
  const values = [id, inspectorId, method, path, JSON.stringify(headers), body, bytes, answer.status, answer.delayMs];
  await pool.query({
    name: 'insert-inspected-request',
    text: INSERT,
    values: [...values, status, reason, messageId, subscriptionId, arrivedAt],
  });
}
