import type { Pool } from 'pg';
import { deliveryExhausted, publishEvents } from '../db/service-events.ts';
import { LAST_CHANCES } from '../shared/held-by-circuit.ts';
import { policyEndsAt, type RetryPolicy } from '../shared/retry-policy.ts';
import { HAS_FAILED_PROBE } from './circuit-store.ts';

// Subscriptions taken at a time. Another worker takes the next ones meanwhile.
const SETTLED_AT_ONCE = 20;
// Ended in one statement; the next one goes on.
const ENDED_AT_ONCE = 500;
// The most that one failed probe ends of one policy; the next one, 30 s later, goes on.
const ROUNDS = 100;
// A circuit's probes fail at most 60 s apart: 30 s open, and a timeout of 30 s. Until then these keep the last chances coming.
const WAITING_AT_MOST = LAST_CHANCES.perSecond * 60;

type Settling = { id: string; timeoutMs: number };
type Lane = 'untried' | 'tried';
type LastingPolicy = RetryPolicy & { lane: Lane };

const UNSETTLED = `${HAS_FAILED_PROBE} AND s.circuit_settled_at IS DISTINCT FROM s.circuit_probe_failed_at`;

// A worker that dies before it is done leaves the rest to the next failed probe.
const TAKE = `
  UPDATE subscriptions SET circuit_settled_at = circuit_probe_failed_at
  WHERE id IN (SELECT s.id FROM subscriptions s WHERE ${UNSETTLED} LIMIT ${SETTLED_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED)
  RETURNING id, timeout_ms AS "timeoutMs"`;

// The two lanes of claiming, by whose partial indexes they are found.
const LANES: Record<Lane, string> = {
  untried: 'd.due_at IS NOT NULL AND d.holder IS NULL AND d.carrier IS NULL AND d.policy_attempts = 0',
  tried: 'd.due_at IS NOT NULL AND d.holder IS NULL AND d.carrier IS NULL AND d.policy_attempts > 0',
};

// Policies are few where many deliveries wait for a circuit: the policies are asked for how long they last.
const policiesOf = (lane: Lane): string => `
  SELECT DISTINCT '${lane}' AS lane, d.max_retries AS "maxRetries", d.initial_delay AS "initialDelay", d.max_delay AS "maxDelay",
    d.backoff_multiplier AS "backoffMultiplier"
  FROM subscriptions s JOIN deliveries d ON d.subscription_id = s.id
  WHERE s.id = $1 AND ${LANES[lane]} AND d.due_at <= s.circuit_probe_failed_at`;
const POLICIES = `${policiesOf('untried')} UNION ALL ${policiesOf('tried')}`;

// `standingOf` (src/shared/held-by-circuit.ts) in SQL: a probe has failed after the policy's end, $6 ms behind its beginning,
// and after the delivery's own time. Asked anew by each statement: the circuit may be closed by now.
const overOf = (lane: Lane): string => `
  FROM subscriptions s JOIN deliveries d ON d.subscription_id = s.id
  WHERE s.id = $1 AND s.status = 'active' AND ${LANES[lane]} AND d.due_at <= s.circuit_probe_failed_at
    AND d.max_retries = $2 AND d.initial_delay = $3 AND d.max_delay = $4 AND d.backoff_multiplier = $5
    AND greatest(d.policy_started_at, s.resumed_at) <= s.circuit_probe_failed_at - make_interval(secs => $6 / 1000.0)`;

// Marked before the last resume is as good as not marked: the policy has begun anew since.
const GIVE_LAST_CHANCES = `
  UPDATE deliveries SET last_chance_until = now()
  WHERE id IN (
    SELECT d.id ${overOf('untried')} AND (d.last_chance_until IS NULL OR d.last_chance_until <= s.resumed_at)
    ORDER BY d.due_at, d.id
    LIMIT greatest(0, ${WAITING_AT_MOST} - (
      SELECT count(*) FROM deliveries o
      WHERE o.subscription_id = $1 AND o.last_chance_until IS NOT NULL AND o.due_at IS NOT NULL AND o.policy_attempts = 0))
    FOR UPDATE OF d SKIP LOCKED)`;

const END = `
  WITH ended AS (
    SELECT d.id ${overOf('tried')} LIMIT ${ENDED_AT_ONCE} FOR UPDATE OF d SKIP LOCKED
  ), changed AS (
    UPDATE deliveries SET status = 'failed', due_at = NULL, next_retry_at = NULL, failure_reason = 'circuit'
    WHERE id IN (SELECT id FROM ended)
    RETURNING *
  ), letter AS (
    INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round,
      event_type, reason, error_class, error_message, error_status, attempts, failed_at)
    SELECT posthorn_id('dlq'), c.environment_id, c.channel_id, c.message_id, c.subscription_id, c.id, c.round, m.event_type,
      'circuit', a.error_class, a.error_message, a.response_status, c.attempts, now()
    FROM changed c JOIN messages m ON m.id = c.message_id
    LEFT JOIN attempts a ON a.delivery_id = c.id AND a.number = c.attempts
    ON CONFLICT (delivery_id, round) DO NOTHING
    RETURNING *
  ), ${publishEvents(deliveryExhausted('letter'))}
  SELECT id FROM letter`;

/**
 * Draws the consequences of probes that have failed, each once, in whichever worker comes first: of what the circuits have held
 * beyond the end of its policy, deliveries with an attempt become dead letters with the reason circuit, and those without one
 * get in line for their last chance. Returns how many of each.
 */
export async function settleHeld(pool: Pool): Promise<{ ended: number; lastChances: number }> {
  const done = { ended: 0, lastChances: 0 };
  const { rows } = await pool.query<Settling>({ name: 'take_settling', text: TAKE });
  for (const { id, timeoutMs } of rows) {
    const { rows: policies } = await pool.query<LastingPolicy>({ name: 'held_policies', text: POLICIES, values: [id] });
    for (const { lane, ...policy } of policies) {
      const lengthMs = policyEndsAt(policy, new Date(0), timeoutMs).getTime();
      const { maxRetries, initialDelay, maxDelay, backoffMultiplier } = policy;
      const values = [id, maxRetries, initialDelay, maxDelay, backoffMultiplier, lengthMs];
      if (lane === 'tried') done.ended += await endAll(pool, values);
      else {
        const { rowCount } = await pool.query({ name: 'give_last_chances', text: GIVE_LAST_CHANCES, values });
        done.lastChances += rowCount ?? 0;
      }
    }
  }
  return done;
}

async function endAll(pool: Pool, values: readonly unknown[]): Promise<number> {
  let ended = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { rowCount } = await pool.query({ name: 'end_held', text: END, values: [...values] });
    ended += rowCount ?? 0;
    if ((rowCount ?? 0) < ENDED_AT_ONCE) break;
  }
  return ended;
}
