import type { Pool } from 'pg';
import { textArray } from '../../../platform/db/sql/text-array.ts';
import { FAILING_FROM } from '../../../kernel/rules/failing.ts';
import { FAILING_DAYS } from '../../../kernel/words/service-events.ts';
import { outcomeOf } from '../../../kernel/words/outcomes.ts';
import type { DeadLetterReason, DeliveryStatus, ErrorClass } from '../../../kernel/words/statuses.ts';
import { insertDeadLetters } from './dead-letters.ts';
import { deliveryExhausted, isoTime, publishEvents, serviceEvent } from './service-events.ts';

/**
 * SQL, an INSERT: the recorded tries of `from` are counted for figures of traffic, in one row for each subscription (docs/decisions.md,
 * Figures). `outcome` is an expression for how one ended, as src/kernel/words/outcomes.ts numbers them.
 */
const countTries = ({ from, outcome }: { from: string; outcome: string | number }): string => `
    INSERT INTO stat_parts (environment_id, channel_id, subscription_id, outcomes)
    SELECT environment_id, channel_id, subscription_id, array_agg(${outcome}) FROM ${from}
    GROUP BY environment_id, channel_id, subscription_id`;

/** The result of a try, as it is recorded. Times in ms; `dueAt` is the next retry, null when the delivery is finished. */
export type AttemptRecord = {
  attemptId: string;
  deliveryId: string;
  round: number;
  number: number;
  /** The Temporal workflow that made the try. */
  carrier: string;
  /** Whether that workflow goes on with the delivery if it is retried; otherwise the delivery waits for a claim. */
  keepsCarrier: boolean;
  startedAt: Date;
  durationMs: number;
  /** The form of its request, as its subscription counts them. */
  requestVersion: number;
  status: DeliveryStatus;
  dueAt: Date | null;
  deadLetterReason: DeadLetterReason | null;
  error: { class: ErrorClass; message: string } | null;
  response: { status: number; headers: Record<string, string>; body: string; latencyMs: number } | null;
};

/** How it ended, for figures of traffic. */
const countedAs = ({ error, response }: Pick<AttemptRecord, 'error' | 'response'>): number =>
  outcomeOf({ errorClass: error?.class, response });

// One statement is one transaction: for every try of a group the delivery's new state, the attempt and, with the last failure, the
// dead letter. The guard (round, number, unfinished) makes a second call change nothing, so the activity may be repeated. `changed`
// returns all that the later parts need: a join with `input` has no index, so its cost grows with the square of the group.
const TRIES = `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::text[], $5::timestamptz[], $6::text[], $7::bool[],
      $8::timestamptz[], $9::int[], $10::int[], $11::text[], $12::text[], $13::int[], $14::text[], $15::text[], $16::text[],
      $17::text[], $18::int[], $19::int[])
      AS i (delivery_id, round, number, status, due_at, carrier, keeps_carrier, started_at, duration_ms, response_status,
        response_headers, response_body, response_latency_ms, error_class, error_message, reason, attempt_id, request_version, outcome)
  ), changed AS (
    UPDATE deliveries d SET attempts = i.number, policy_attempts = d.policy_attempts + 1, status = i.status,
      due_at = i.due_at, next_retry_at = i.due_at, holder = NULL,
      carrier = CASE WHEN i.keeps_carrier OR i.due_at IS NULL THEN i.carrier END,
      last_attempt_at = i.started_at, response_status = i.response_status, response_body = i.response_body,
      response_latency_ms = i.response_latency_ms, failure_reason = i.reason,
      held_reason = NULL, held_since = NULL, held_sent = NULL, takeovers = 0
    FROM input i
    WHERE d.id = i.delivery_id AND d.round = i.round AND d.attempts = i.number - 1 AND d.due_at IS NOT NULL
    RETURNING d.id, d.environment_id, d.channel_id, d.message_id, d.subscription_id, d.round, d.attempts, d.status, d.failure_reason,
      i.attempt_id, i.started_at, i.duration_ms, i.error_class, i.error_message, i.response_status, i.response_headers, i.response_body,
      i.response_latency_ms, i.carrier AS carried_by, i.request_version, i.outcome
  ), attempt AS (
    INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, error_class, error_message,
      response_status, response_headers, response_body, response_latency_ms, carrier, request_version)
    SELECT attempt_id, id, attempts, started_at, duration_ms, CASE WHEN status = 'delivered' THEN 'delivered' ELSE 'failed' END,
      error_class, error_message, response_status, response_headers::json, response_body, response_latency_ms, carried_by, request_version
    FROM changed
  ), counted AS (${countTries({ from: 'changed', outcome: 'outcome' })}
  ), tally AS (
    SELECT c.subscription_id, bool_or(c.status = 'delivered') AS has_success,
      coalesce(bool_or(c.failure_reason = 'gone'), false) AS is_gone, count(*)::int AS attempts
    FROM changed c GROUP BY c.subscription_id
  )`;

// A subscription's row changes with its health, not with every attempt: at the first failure after a success, at most four times more
// until the receiver counts as failing, and at the first success after that. Rows are locked in the order of ids, so that two groups never
// wait for each other. They are looked up one by one, because a join might be planned, once and for all, as a scan of every subscription.
const altered = (columns: string, condition: string): string => `
    SELECT s.* FROM (SELECT * FROM tally ORDER BY subscription_id) AS t
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM subscriptions s
      WHERE s.id = t.subscription_id AND s.deleted_at IS NULL AND (${condition}) FOR NO KEY UPDATE OF s
    ) AS s`;

const RECORD_DELIVERED = `${TRIES}, altered AS MATERIALIZED (
    ${altered('s.id', 's.failing_since IS NOT NULL')}
  ), healthy AS (
    UPDATE subscriptions s SET failing_since = NULL FROM altered a WHERE s.id = a.id
  )
  SELECT id FROM changed`;

// Failed attempts in a row, counted to the number from which the receiver may be failing (src/kernel/rules/failing.ts). A row without
// `failing_since` begins again, whatever its number is.
const FAILED_IN_A_ROW = `least(CASE WHEN s.failing_since IS NULL THEN 0 ELSE s.failing_attempts END + t.attempts,
        ${FAILING_FROM.attempts})`;
// A 410, or five days with nothing but failures, disables the subscription. That and each dead letter cause an event. Days before a resume
// do not count: a pause of a week would disable a subscription at the first failure after it.
const HAS_FAILED_LONG = `NOT t.has_success AND s.failing_since < now() - interval '${FAILING_DAYS} days'
        AND coalesce(s.resumed_at, '-infinity') < now() - interval '${FAILING_DAYS} days'`;
const RECORD_WITH_FAILURES = `${TRIES}, letter AS (${insertDeadLetters({
  from: `(SELECT * FROM changed WHERE failure_reason IS NOT NULL) AS c JOIN messages m ON m.id = c.message_id`,
  reason: 'c.failure_reason',
  errorClass: 'c.error_class',
  errorMessage: 'c.error_message',
  errorStatus: 'c.response_status',
})}
  ), altered AS MATERIALIZED (
    ${altered(
      `s.id, t.has_success, ${FAILED_IN_A_ROW} AS failing_attempts,
      CASE WHEN s.status = 'disabled' THEN NULL WHEN t.is_gone THEN 'gone' WHEN ${HAS_FAILED_LONG} THEN 'failing' END AS reason`,
      `t.has_success = (s.failing_since IS NOT NULL) OR t.is_gone OR ${HAS_FAILED_LONG}
        OR (NOT t.has_success AND s.failing_attempts < ${FAILED_IN_A_ROW})`,
    )}
  ), health AS (
    UPDATE subscriptions s SET failing_since = CASE WHEN NOT a.has_success THEN coalesce(s.failing_since, now()) END,
      failing_attempts = CASE WHEN a.has_success THEN 0 ELSE a.failing_attempts END,
      status = CASE WHEN a.reason IS NULL THEN s.status ELSE 'disabled' END,
      status_changed_at = CASE WHEN a.reason IS NULL THEN s.status_changed_at ELSE now() END,
      updated_at = CASE WHEN a.reason IS NULL THEN s.updated_at ELSE now() END
    FROM altered a WHERE s.id = a.id
    RETURNING s.id, s.environment_id, s.channel_id, a.reason, coalesce(s.failing_since, now()) AS failing_since
  ), disabled AS (
    SELECT * FROM health WHERE reason IS NOT NULL
  ), ${publishEvents(`
    ${deliveryExhausted('letter')}
    UNION ALL
    ${serviceEvent('subscription.disabled', {
      from: 'disabled',
      payload: {
        subscriptionId: 'e.id',
        channelId: 'e.channel_id',
        reason: 'e.reason',
        failingSince: isoTime('e.failing_since'),
      },
    })}`)}
  SELECT id FROM changed`;

/**
 * Records a group of tries of different deliveries in one transaction. Returns the ids of the recorded ones. The others have moved on
 * (another round, or finished otherwise), and nothing is written for them.
 */
export async function recordAttempts(pool: Pool, records: readonly AttemptRecord[]): Promise<Set<string>> {
  // A group without a failure, the usual one, runs none of the parts for failures.
  const hasFailure = records.some(({ status }) => status !== 'delivered');
  const column = <T>(of: (record: AttemptRecord) => T): T[] => records.map(of);
  const { rows } = await pool.query<{ id: string }>({
    name: hasFailure ? 'record_attempts' : 'record_delivered',
    text: hasFailure ? RECORD_WITH_FAILURES : RECORD_DELIVERED,
    values: [
      column((record) => record.deliveryId),
      column((record) => record.round),
      column((record) => record.number),
      column((record) => record.status),
      column((record) => record.dueAt),
      column((record) => record.carrier),
      column((record) => record.keepsCarrier),
      column((record) => record.startedAt),
      column((record) => record.durationMs),
      column((record) => record.response?.status ?? null),
      textArray(column(({ response }) => (response === null ? null : JSON.stringify(response.headers)))),
      textArray(column(({ response }) => response?.body ?? null)),
      column((record) => record.response?.latencyMs ?? null),
      column((record) => record.error?.class ?? null),
      column((record) => record.error?.message ?? null),
      column((record) => record.deadLetterReason),
      column((record) => record.attemptId),
      column((record) => record.requestVersion),
      column(countedAs),
    ],
  });
  return new Set(rows.map((row) => row.id));
}

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

/** Message of an attempt during which its worker stopped. */
export const CRASH_MESSAGE = 'the worker stopped during this try; its request may have been sent';

const RECORD_CRASH = `
  WITH changed AS (
    UPDATE deliveries SET attempts = $3, status = 'retrying', due_at = now(), next_retry_at = now(),
      last_attempt_at = now(), carrier = $4, takeovers = least(takeovers + 1, 1000)
    WHERE id = $1 AND round = $2 AND attempts = $3 - 1 AND due_at IS NOT NULL
    RETURNING id, attempts, environment_id, channel_id, subscription_id
  ), counted AS (${countTries({ from: 'changed', outcome: outcomeOf({ errorClass: 'crashed', response: null }) })}
  )
  INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, error_class, error_message, carrier)
  SELECT posthorn_id('att'), id, attempts, now(), 0, 'failed', 'crashed', '${CRASH_MESSAGE}', $4 FROM changed`;

// Deaths count under the present policy: a replay begins anew.
const COUNT_DEATHS = `
  SELECT count(*)::int AS deaths FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
  WHERE d.id = $1 AND d.round = $2 AND d.due_at IS NOT NULL AND a.error_class = 'crashed' AND a.started_at >= d.policy_started_at`;

/**
 * Records a try whose worker died, without using up the policy. Nothing is recorded when that try is on record after all. Returns how
 * many workers have died in tries of this delivery under its policy; 0 when it is no longer in that round.
 */
export async function recordCrash(
  pool: Pool,
  crash: { deliveryId: string; round: number; number: number; carrier: string },
): Promise<number> {
  await pool.query(RECORD_CRASH, [crash.deliveryId, crash.round, crash.number, crash.carrier]);
  const { rows } = await pool.query<{ deaths: number }>(COUNT_DEATHS, [crash.deliveryId, crash.round]);
  return rows[0]?.deaths ?? 0;
}
