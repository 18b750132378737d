import type { Pool } from 'pg';
import { deliveryExhausted, isoTime, publishEvents, serviceEvent } from '../db/service-events.ts';
import { policyEndsAt, type RetryPolicy } from '../shared/retry-policy.ts';
import { BACKLOG_HIGH } from '../shared/service-events.ts';

// Ended in one statement; the next one goes on.
const ENDED_AT_ONCE = 500;
// Longest that an ended policy's delivery is looked back for per pass; a pass comes every 30 s.
const ROUNDS_PER_PASS = 100;

type HeldPolicy = { subscriptionId: string; timeoutMs: number; policy: RetryPolicy };

// Of what waits for a circuit there are many deliveries, but few policies: those are asked for how long they last.
const HELD_POLICIES = `
  SELECT DISTINCT s.id AS "subscriptionId", s.timeout_ms AS "timeoutMs",
    jsonb_build_object('maxRetries', d.max_retries, 'initialDelay', d.initial_delay,
                       'maxDelay', d.max_delay, 'backoffMultiplier', d.backoff_multiplier) AS policy
  FROM subscriptions s JOIN deliveries d ON d.subscription_id = s.id
    AND d.due_at IS NOT NULL AND d.holder IS NULL AND d.carrier IS NULL
  WHERE s.circuit_opened_at IS NOT NULL AND s.status = 'active' AND s.deleted_at IS NULL`;

const END_HELD = `
  WITH ended AS (
    SELECT id FROM deliveries
    WHERE subscription_id = $1 AND due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL
      AND max_retries = $2 AND initial_delay = $3 AND max_delay = $4 AND backoff_multiplier = $5
      AND greatest(policy_started_at, (SELECT resumed_at FROM subscriptions WHERE id = $1)) <= now() - make_interval(secs => $6 / 1000.0)
    LIMIT ${ENDED_AT_ONCE} FOR UPDATE SKIP LOCKED
  ), changed AS (
    UPDATE deliveries SET status = 'failed', due_at = NULL, next_retry_at = NULL, failure_reason = 'circuit'
    WHERE id IN (SELECT id FROM ended)
    RETURNING *
  ), letter AS (
    INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round,
      event_type, reason, error_class, error_message, error_status, attempts, failed_at)
    SELECT posthorn_id('dlq'), c.environment_id, c.channel_id, c.message_id, c.subscription_id, c.id, c.round, m.event_type,
      'circuit', a.error_class, coalesce(a.error_message, 'the circuit of its subscription did not close before its policy ended'),
      a.response_status, c.attempts, now()
    FROM changed c JOIN messages m ON m.id = c.message_id
    LEFT JOIN attempts a ON a.delivery_id = c.id AND a.number = c.attempts
    ON CONFLICT (delivery_id, round) DO NOTHING
    RETURNING *
  ), ${publishEvents(deliveryExhausted('letter'))}
  SELECT id FROM letter`;

/** Makes dead letters of what a circuit has held until its policy ended (DESIGN §3). Returns how many. */
export async function endHeldByCircuits(pool: Pool): Promise<number> {
  const { rows } = await pool.query<HeldPolicy>(HELD_POLICIES);
  let ended = 0;
  for (const { subscriptionId, timeoutMs, policy } of rows) {
    const lengthMs = policyEndsAt(policy, new Date(0), timeoutMs).getTime();
    const { maxRetries, initialDelay, maxDelay, backoffMultiplier } = policy;
    for (let round = 0; round < ROUNDS_PER_PASS; round += 1) {
      const { rowCount } = await pool.query({
        name: 'end_held',
        text: END_HELD,
        values: [subscriptionId, maxRetries, initialDelay, maxDelay, backoffMultiplier, lengthMs],
      });
      ended += rowCount ?? 0;
      if ((rowCount ?? 0) < ENDED_AT_ONCE) break;
    }
  }
  return ended;
}

// Of each active subscription what is due and unclaimed, counted no further than needed: at most 1,001 index entries of each.
const TELL_BACKLOGS = `
  WITH backlog AS (
    SELECT s.id, s.environment_id, s.channel_id, s.backlog_high_since, due.waiting, due.oldest
    FROM subscriptions s
    CROSS JOIN LATERAL (
      SELECT count(*) AS waiting, min(lane.due_at) AS oldest FROM (
        (SELECT d.due_at FROM deliveries d
         WHERE d.subscription_id = s.id AND d.due_at IS NOT NULL AND d.holder IS NULL AND d.carrier IS NULL
           AND d.policy_attempts = 0 AND d.due_at <= now() ORDER BY d.due_at LIMIT ${BACKLOG_HIGH.waiting + 1})
        UNION ALL
        (SELECT d.due_at FROM deliveries d
         WHERE d.subscription_id = s.id AND d.due_at IS NOT NULL AND d.holder IS NULL AND d.carrier IS NULL
           AND d.policy_attempts > 0 AND d.due_at <= now() ORDER BY d.due_at LIMIT ${BACKLOG_HIGH.waiting + 1})
      ) AS lane
    ) AS due
    WHERE s.status = 'active' AND s.deleted_at IS NULL
  ), judged AS (
    SELECT id, environment_id, channel_id, waiting, oldest,
      CASE WHEN backlog_high_since IS NULL THEN
        waiting > ${BACKLOG_HIGH.waiting} OR oldest < now() - interval '${BACKLOG_HIGH.ageSeconds} seconds'
      END AS is_new,
      CASE WHEN backlog_high_since IS NOT NULL THEN
        waiting < ${BACKLOG_HIGH.low.waiting} AND coalesce(oldest > now() - interval '${BACKLOG_HIGH.low.ageSeconds} seconds', true)
      END AS is_over
    FROM backlog
  ), changed AS (
    UPDATE subscriptions s SET backlog_high_since = CASE WHEN j.is_new THEN now() END
    FROM judged j WHERE s.id = j.id AND (j.is_new OR j.is_over)
      AND (s.backlog_high_since IS NULL) = coalesce(j.is_new, false)
    RETURNING s.id, s.environment_id, s.channel_id, j.is_new, least(j.waiting, ${BACKLOG_HIGH.waiting + 1}) AS waiting, j.oldest
  ), told AS (
    SELECT * FROM changed WHERE is_new
  ), ${publishEvents(
    serviceEvent('backlog.high', {
      from: 'told',
      payload: {
        subscriptionId: 'e.id',
        channelId: 'e.channel_id',
        waiting: 'e.waiting',
        oldestDueAt: isoTime('e.oldest'),
      },
    }),
  )}
  SELECT id FROM told`;

/** Tells of each backlog once when it has become high, and again only after it was low (BACKLOG_HIGH). Returns how many. */
export async function tellHighBacklogs(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query({ name: 'tell_backlogs', text: TELL_BACKLOGS });
  return rowCount ?? 0;
}
