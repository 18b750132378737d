import type { Pool } from 'pg';
import { LIVE_SECRETS, policyOf, PROBE_IN_MS } from '../../platform/db/sql/fragments.ts';
import type { DeliveryToAttempt, SubscriptionToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import type { SubscriptionStatus } from '../../kernel/words/statuses.ts';
import type { TraceContext } from '../../kernel/values/trace-context.ts';

const LOAD = `
  SELECT d.id AS "deliveryId", d.environment_id AS "environmentId", d.round, d.status, d.attempts, d.policy_attempts AS "policyAttempts",
    ${policyOf('d')} AS policy,
    greatest(d.policy_started_at, s.resumed_at) AS "policyStartedAt",
    d.due_at AS "dueAt", d.failure_reason AS "failureReason", d.holder, d.takeovers,
    coalesce(d.last_chance_until > now() AND d.policy_attempts = 0, false) AS "isLastChance",
    CASE WHEN d.attempts > 0 THEN (SELECT a.error_message FROM attempts a
      WHERE a.delivery_id = d.id AND a.number = d.attempts) END AS "lastErrorMessage",
    m.id AS "messageId", m.channel_id AS "channelId", m.event_type AS "eventType", m.payload,
    m.metadata::text AS metadata, m.published_at AS "publishedAt", m.traceparent, m.tracestate,
    coalesce(m.hops, 0) AS hops,
    s.id AS "subscriptionId", s.status AS "subscriptionStatus", s.app_suspended_at IS NOT NULL AS "isAppSuspended", s.deleted_at IS NOT NULL AS "isDeleted",
    s.webhook_url AS "webhookUrl", s.headers, s.request_version AS "requestVersion", s.timeout_ms AS "timeoutMs",
    s.max_retry_after AS "maxRetryAfter",
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
    /** The worker process that has claimed it, until a Temporal workflow carries it. */
    holder: string | null;
  };

/** These deliveries with their message, subscription and live signing secrets, in no order, without those that are gone. */
export async function loadForAttempts(pool: Pool, deliveryIds: readonly string[]): Promise<DeliveryToAttempt[]> {
  const { rows, readAt } = await load(pool, deliveryIds);
  return rows.map((row) => toDeliveryToAttempt(row, readAt));
}

/**
 * The same, without those that this process no longer holds: its lease ran out while PostgreSQL was away, and another process has taken
 * them over, or will.
 */
export async function loadHeld(
  pool: Pool,
  deliveryIds: readonly string[],
  incarnationId: string,
): Promise<DeliveryToAttempt[]> {
  const { rows, readAt } = await load(pool, deliveryIds);
  return rows.filter(({ holder }) => holder === incarnationId).map((row) => toDeliveryToAttempt(row, readAt));
}

// One statement for both: with a condition on the holder PostgreSQL might read all that a process holds.
async function load(pool: Pool, deliveryIds: readonly string[]): Promise<{ rows: LoadedRow[]; readAt: number }> {
  const readAt = performance.now();
  const { rows } = await pool.query<LoadedRow>({ name: 'load_for_attempts', text: LOAD, values: [deliveryIds] });
  return { rows, readAt };
}

function toDeliveryToAttempt(row: LoadedRow, readAt: number): DeliveryToAttempt {
  return {
    deliveryId: row.deliveryId,
    environmentId: row.environmentId,
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
    takeovers: row.takeovers,
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
      isAppSuspended: row.isAppSuspended,
      isDeleted: row.isDeleted,
      webhookUrl: row.webhookUrl,
      headers: row.headers,
      requestVersion: row.requestVersion,
      timeoutMs: row.timeoutMs,
      maxRetryAfter: row.maxRetryAfter,
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
