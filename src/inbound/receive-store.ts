import type { Pool } from 'pg';
import { INBOUND_CODES } from '../kernel/words/outcomes.ts';
import type { RefusalReason, Webhook, WebhookSettings } from './schema.ts';
import type { SealedWebhookSecret } from './secrets.ts';

/** The webhook's data needed to receive a request. `secrets` are the valid ones, newest first. */
export type ReceivingWebhook = {
  id: string;
  environmentId: string;
  channelId: string;
  scheme: Webhook['scheme'];
  provider: Webhook['provider'] | null;
  status: Webhook['status'];
  settings: WebhookSettings;
  isAppSuspended: boolean;
  isChannelDeleted: boolean;
  secrets: SealedWebhookSecret[];
};

const LOAD = `
  SELECT w.id, w.environment_id AS "environmentId", w.channel_id AS "channelId", w.scheme, w.provider, w.status, w.settings,
    c.app_suspended_at IS NOT NULL AS "isAppSuspended", c.deleted_at IS NOT NULL AS "isChannelDeleted",
    (SELECT coalesce(json_agg(json_build_object('id', s.id, 'ciphertext', s.ciphertext) ORDER BY s.id DESC), '[]'::json)
     FROM inbound_webhook_secrets s WHERE s.inbound_webhook_id = w.id AND (s.expires_at IS NULL OR s.expires_at > now())) AS secrets
  FROM inbound_webhooks w JOIN channels c ON c.id = w.channel_id WHERE w.id = $1`;

/** Finds the webhook by id in any environment. The caller is not authenticated; knowing the id is enough. */
export async function loadWebhook(pool: Pool, id: string): Promise<ReceivingWebhook | undefined> {
  const { rows } = await pool.query<ReceivingWebhook>({ name: 'load-inbound-webhook', text: LOAD, values: [id] });
  return rows[0];
}

// Anyone can send requests that are refused, so they must not fill the table: up to this many per webhook are stored
// within 60 s. The rest appears only in the metrics.
const AT_MOST_A_MINUTE = 100;
const KEPT_FOR = `interval '7 days'`;

// Only authenticated senders get this far, but a mapping that fails for days must not fill the disk either.
const KEPT_BODIES = 1_000;
const KEPT_BYTES = 64 * 1_048_576;

// Rows with a body are limited only by the space for bodies, so unauthenticated senders cannot crowd them out.
const REFUSE = `
  WITH noted AS (
  INSERT INTO inbound_refusals (id, environment_id, inbound_webhook_id, reason, detail, address, user_agent, event_id, bytes, refused_at, expires_at,
    body, head, kept_bytes)
  SELECT $1, w.environment_id, w.id, $3, $4, $5, $6, $7, $8, now(), now() + ${KEPT_FOR},
    CASE WHEN room.is_there THEN $10::bytea END, CASE WHEN room.is_there THEN $11 END, CASE WHEN room.is_there THEN $8 END
  FROM inbound_webhooks w
  CROSS JOIN LATERAL (
    SELECT $11::text IS NOT NULL AND count(*) < ${KEPT_BODIES} AND coalesce(sum(kept.kept_bytes), 0) + $8 <= ${KEPT_BYTES} AS is_there
    FROM (SELECT k.kept_bytes FROM inbound_refusals k
      WHERE k.inbound_webhook_id = w.id AND k.kept_bytes IS NOT NULL AND $11::text IS NOT NULL LIMIT ${KEPT_BODIES}) AS kept) AS room
  WHERE w.id = $2 AND (room.is_there OR (
    SELECT count(*) FROM (
      SELECT FROM inbound_refusals r WHERE r.inbound_webhook_id = $2 AND r.refused_at > now() - interval '60 seconds'
        AND r.id > $9 LIMIT ${AT_MOST_A_MINUTE}) AS recent) < ${AT_MOST_A_MINUTE})
  RETURNING environment_id, inbound_webhook_id
  )
  INSERT INTO inbound_stat_parts (environment_id, inbound_webhook_id, code)
  SELECT environment_id, inbound_webhook_id, ${INBOUND_CODES.refused} FROM noted`;

export type RefusedRequest = {
  id: string;
  webhookId: string;
  reason: RefusalReason;
  detail: string;
  address: string;
  userAgent: string | undefined;
  eventId: string | undefined;
  bytes: number;
  /** The lowest id of the last minute, so that the index finds the recent rows. */
  recentFrom: string;
  /** Set if the signature was valid. Stored while the webhook has space: 1,000 bodies and 64 MiB in total. */
  kept?: { head: string; body: Buffer };
};

export async function insertRefusal(pool: Pool, refused: RefusedRequest): Promise<void> {
  const { id, webhookId, reason, detail, address, userAgent, eventId, bytes, recentFrom, kept } = refused;
  const values = [id, webhookId, reason, detail, address, userAgent ?? null, eventId ?? null, bytes, recentFrom];
  await pool.query({
    name: 'insert-inbound-refusal',
    text: REFUSE,
    values: [...values, kept?.body ?? null, kept?.head ?? null],
  });
}
