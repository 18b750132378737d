import type { Pool } from 'pg';
import { LIVE_SECRETS, policyOf } from '../db/delivery-sql.ts';
import { deliveryExhausted, publishEvents } from '../db/service-events.ts';
import type { DeliveryToAttempt, SubscriptionToAttempt } from '../shared/delivery-to-attempt.ts';
import type { DeadLetterReason, SubscriptionStatus } from '../shared/statuses.ts';
import type { TraceContext } from '../shared/trace-context.ts';

/** SQL: how long the circuit of the subscription `s` takes no try, in ms; null when it is closed. No clock but PostgreSQL's. */
export const PROBE_IN_MS = '(extract(epoch FROM s.circuit_probe_at - now()) * 1000)::float8';

const LOAD = `
  SELECT d.id AS "deliveryId", d.round, d.status, d.attempts, d.policy_attempts AS "policyAttempts",
    ${policyOf('d')} AS policy,
    greatest(d.policy_started_at, s.resumed_at) AS "policyStartedAt",
    d.due_at AS "dueAt", d.failure_reason AS "failureReason",
    coalesce(d.last_chance_until > now() AND d.policy_attempts = 0, false) AS "isLastChance",
    CASE WHEN d.attempts > 0 THEN (SELECT a.error_message FROM attempts a
      WHERE a.delivery_id = d.id AND a.number = d.attempts) END AS "lastErrorMessage",
    m.id AS "messageId", m.channel_id AS "channelId", m.event_type AS "eventType", m.payload,
    m.metadata::text AS metadata, m.published_at AS "publishedAt", m.traceparent, m.tracestate,
    coalesce(m.hops, 0) AS hops,
    s.id AS "subscriptionId", s.status AS "subscriptionStatus", s.deleted_at IS NOT NULL AS "isDeleted",
    s.webhook_url AS "webhookUrl", s.headers, s.timeout_ms AS "timeoutMs",
    s.max_concurrency AS "maxConcurrency", s.rate_limit AS "rateLimit", ${PROBE_IN_MS} AS "circuitProbeInMs",
    s.circuit_breaker AS "hasCircuitBreaker",
    s.secret_unreadable_since IS NOT NULL AS "isSecretUnreadable",
    ${LIVE_SECRETS} AS secrets
  FROM deliveries d
  JOIN messages m ON m.id = d.message_id
  JOIN subscriptions s ON s.id = d.subscription_id
  WHERE d.id = ANY ($1::text[])`;

type LoadedRow = Omit<DeliveryToAttempt, 'message' | 'subscription'> &
  Omit<DeliveryToAttempt['message'], 'id' | 'trace'> &
  TraceContext &
  Omit<SubscriptionToAttempt, 'id' | 'status' | 'readAt'> & {
    messageId: string;
    subscriptionId: string;
    subscriptionStatus: SubscriptionStatus;
  };

/** These deliveries with their message, subscription and live signing secrets, in no order; those that are gone are left out. */
export async function loadForAttempts(pool: Pool, deliveryIds: readonly string[]): Promise<DeliveryToAttempt[]> {
  const readAt = Date.now();
  const { rows } = await pool.query<LoadedRow>({ name: 'load_for_attempts', text: LOAD, values: [deliveryIds] });
  return rows.map((row) => toDeliveryToAttempt(row, readAt));
}

function toDeliveryToAttempt(row: LoadedRow, readAt: number): DeliveryToAttempt {
  return {
    deliveryId: row.deliveryId,
    round: row.round,
    status: row.status,
    attempts: row.attempts,
    policyAttempts: row.policyAttempts,
    policy: row.policy,
    policyStartedAt: row.policyStartedAt,
    dueAt: row.dueAt,
    failureReason: row.failureReason,
    isLastChance: row.isLastChance,
    lastErrorMessage: row.lastErrorMessage,
    message: {
      id: row.messageId,
      channelId: row.channelId,
      eventType: row.eventType,
      payload: row.payload,
      metadata: row.metadata,
      publishedAt: row.publishedAt,
      trace: { traceparent: row.traceparent, tracestate: row.tracestate },
      hops: row.hops,
    },
    subscription: {
      id: row.subscriptionId,
      status: row.subscriptionStatus,
      isDeleted: row.isDeleted,
      webhookUrl: row.webhookUrl,
      headers: row.headers,
      timeoutMs: row.timeoutMs,
      maxConcurrency: row.maxConcurrency,
      rateLimit: row.rateLimit,
      hasCircuitBreaker: row.hasCircuitBreaker,
      circuitProbeInMs: row.circuitProbeInMs,
      isSecretUnreadable: row.isSecretUnreadable,
      readAt,
      secrets: row.secrets,
    },
  };
}

/**
 * Puts a delivery back whose subscription takes nothing now. The round grows, so that it can be started again as soon as
 * it is due; nothing of the policy is used up. `until`: when that is. With `keepsDue` a circuit holds it: it stays due at its
 * own time, so that what has waited longest still comes first, and its nextRetryAt follows from the circuit when it is read.
 * With neither it stays due, and pending: no retry is coming. `isForLimit` has its resource say so, unless it waits because of a
 * fault of ours anyway.
 */
export async function holdDelivery(
  pool: Pool,
  held: { deliveryId: string; round: number; until?: Date; keepsDue?: boolean; isForLimit?: boolean },
): Promise<void> {
  await pool.query(
    `UPDATE deliveries SET round = round + 1, holder = NULL, carrier = NULL,
       next_retry_at = CASE WHEN $4 THEN next_retry_at ELSE $3::timestamptz END,
       status = CASE WHEN $4 OR $3 IS NOT NULL THEN status ELSE 'pending' END, due_at = coalesce($3, due_at),
       held_since = CASE WHEN held_reason IS NULL AND $5 THEN now() ELSE held_since END,
       held_reason = CASE WHEN held_reason IS NULL AND $5 THEN 'rate_limit' ELSE held_reason END
     WHERE id = $1 AND round = $2 AND due_at IS NOT NULL`,
    [held.deliveryId, held.round, held.until ?? null, held.keepsDue === true, held.isForLimit === true],
  );
}

// A delivery that a fault of ours ended has that fault as its last error, whatever its receiver answered before.
const END_AS_DEAD_LETTER = `
  WITH changed AS (
    UPDATE deliveries SET status = 'failed', due_at = NULL, next_retry_at = NULL, holder = NULL, failure_reason = $3
    WHERE id = $1 AND round = $2 AND due_at IS NOT NULL
    RETURNING *
  ), letter AS (
    INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round,
      event_type, reason, error_class, error_message, error_status, attempts, failed_at)
    SELECT $4, c.environment_id, c.channel_id, c.message_id, c.subscription_id, c.id, c.round, m.event_type, $3,
      CASE WHEN o.is_last THEN 'internal' ELSE a.error_class END,
      CASE WHEN o.is_last THEN $5 ELSE coalesce(a.error_message, $5) END,
      CASE WHEN NOT o.is_last THEN a.response_status END, c.attempts, now()
    FROM changed c JOIN messages m ON m.id = c.message_id
    LEFT JOIN attempts a ON a.delivery_id = c.id AND a.number = c.attempts
    CROSS JOIN LATERAL (SELECT $3 = 'internal' AND a.error_class IS DISTINCT FROM 'crashed' AS is_last) AS o
    ON CONFLICT (delivery_id, round) DO NOTHING
    RETURNING *
  ), ${publishEvents(deliveryExhausted('letter'))}
  SELECT id FROM letter`;

/** Ends an unfinished delivery of that round as a dead letter with its last error; does nothing to any other. True when it did. */
export async function endAsDeadLetter(
  pool: Pool,
  letter: { id: string; deliveryId: string; round: number; reason: DeadLetterReason; message: string },
): Promise<boolean> {
  const { rowCount } = await pool.query(END_AS_DEAD_LETTER, [
    letter.deliveryId,
    letter.round,
    letter.reason,
    letter.id,
    letter.message,
  ]);
  return rowCount === 1;
}

const RECORD_CRASH = `
  WITH changed AS (
    UPDATE deliveries SET attempts = $3, status = 'retrying', due_at = now(), next_retry_at = now(),
      last_attempt_at = now(), carrier = $4
    WHERE id = $1 AND round = $2 AND attempts = $3 - 1 AND due_at IS NOT NULL
    RETURNING id, attempts
  )
  INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, error_class, error_message, carrier)
  SELECT $5, id, attempts, now(), 0, 'failed', 'crashed', 'the worker stopped during this try; its request may have been sent', $4 FROM changed`;

// Under the policy in force: a replay begins anew.
const COUNT_DEATHS = `
  SELECT count(*)::int AS deaths FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
  WHERE d.id = $1 AND d.round = $2 AND d.due_at IS NOT NULL AND a.error_class = 'crashed' AND a.started_at >= d.policy_started_at`;

/**
 * Records a try whose worker died, without using up the policy. Nothing is recorded when that try was recorded after all. Returns
 * how many workers have died in tries of this delivery under its policy; 0 when it is not in that round any more.
 */
export async function recordCrash(
  pool: Pool,
  crash: { attemptId: string; deliveryId: string; round: number; number: number; carrier: string },
): Promise<number> {
  await pool.query(RECORD_CRASH, [crash.deliveryId, crash.round, crash.number, crash.carrier, crash.attemptId]);
  const { rows } = await pool.query<{ deaths: number }>(COUNT_DEATHS, [crash.deliveryId, crash.round]);
  return rows[0]?.deaths ?? 0;
}
