import type { Pool } from 'pg';
import { countTries } from './count-tries.ts';
import { type AttemptRecord, countedAs } from './record.ts';

// The message is locked before its delivery, as erasing does: nothing personal stays behind, whichever comes first.
const RECORD_LATE = `
  WITH message AS (
    SELECT m.erased_at IS NOT NULL AS is_erased FROM deliveries d JOIN messages m ON m.id = d.message_id
    WHERE d.id = $1 FOR SHARE OF m
  ), late AS (
    UPDATE deliveries SET attempts = $3, last_attempt_at = $5, response_status = $7,
      response_body = CASE WHEN NOT m.is_erased THEN $8 END, response_latency_ms = $9,
      status = CASE WHEN $14 = 'delivered' AND failure_reason = 'subscription_deleted' THEN 'delivered' ELSE status END,
      failure_reason = CASE WHEN $14 = 'delivered' AND failure_reason = 'subscription_deleted' THEN NULL ELSE failure_reason END
    FROM message m
    WHERE id = $1 AND round = $2 AND attempts = $3 - 1 AND due_at IS NULL
    RETURNING id, attempts, m.is_erased, environment_id, channel_id, subscription_id
  ), counted AS (${countTries({ from: 'late', outcome: '$16::int' })}
  )
  INSERT INTO attempts (id, delivery_id, number, carrier, started_at, duration_ms, response_status, response_body,
    response_latency_ms, response_headers, error_class, error_message, outcome, request_version)
  SELECT $13, id, attempts, $4, $5, $6, $7, CASE WHEN NOT is_erased THEN $8 END, $9,
    CASE WHEN NOT is_erased THEN $10::json END, $11, $12, $14, $15 FROM late`;

/**
 * Records a try whose delivery was ended while the request was out: its subscription deleted, its Temporal workflow cancelled, or its
 * message erased (then without the receiver's answer). The delivery keeps its end, except that a 2xx makes it delivered, even if its
 * subscription is deleted. Does nothing when the try is on record, or the delivery goes on in another round.
 */
export async function recordLate(pool: Pool, record: AttemptRecord): Promise<void> {
  const { response, error } = record;
  await pool.query(RECORD_LATE, [
    record.deliveryId,
    record.round,
    record.number,
    record.carrier,
    record.startedAt,
    record.durationMs,
    response?.status ?? null,
    response?.body ?? null,
    response?.latencyMs ?? null,
    response === null ? null : JSON.stringify(response.headers),
    error?.class ?? null,
    error?.message ?? null,
    record.attemptId,
    record.status === 'delivered' ? 'delivered' : 'failed',
    record.requestVersion,
    countedAs(record),
  ]);
}
