import type { Pool } from 'pg';
import { IS_ACTIVE } from '../../../platform/db/sql/fragments.ts';
import { LAST_CHANCES } from '../../../kernel/rules/circuit.ts';
import type { RetryPolicy } from '../../../kernel/contract/retry-policy.ts';
import { insertDeadLetters } from './dead-letters.ts';
import { inLane, type Lane } from './claim.ts';
import { deliveryExhausted, publishEvents } from './service-events.ts';

// Deliveries ended in one statement; the next one goes on.
const ENDED_AT_ONCE = 500;
// The most deliveries of one policy that one failed probe ends; the next probe, 30 s later, goes on.
const ROUNDS = 100;
// Failed probes of a circuit are at most 60 s apart: 30 s open, and a timeout of 30 s. This many keep the last chances busy until
// then.
const WAITING_AT_MOST = LAST_CHANCES.perSecond * 60;

/** A policy that deliveries held by a circuit are under, and the lane that they wait in. */
export type HeldPolicy = RetryPolicy & { lane: Lane };

/** Deliveries of a subscription under one policy, which lasts `lengthMs`. */
export type HeldPart = { subscriptionId: string; policy: RetryPolicy; lengthMs: number };

// Many deliveries behind a circuit have few policies, so the policies are asked for their length.
const policiesOf = (lane: Lane): string => `
  SELECT DISTINCT '${lane}' AS lane, d.max_retries AS "maxRetries", d.initial_delay AS "initialDelay", d.max_delay AS "maxDelay",
    d.backoff_multiplier AS "backoffMultiplier"
  FROM subscriptions s JOIN deliveries d ON d.subscription_id = s.id
  WHERE s.id = $1 AND ${inLane(lane, 'd.')} AND d.due_at <= s.circuit_probe_failed_at`;
const POLICIES = `${policiesOf('first')} UNION ALL ${policiesOf('retry')}`;

/** The policies of deliveries that a subscription's circuit has held until its last failed probe. */
export async function heldPolicies(pool: Pool, subscriptionId: string): Promise<HeldPolicy[]> {
  const { rows } = await pool.query<HeldPolicy>({ name: 'held_policies', text: POLICIES, values: [subscriptionId] });
  return rows;
}

// `circuitStandingOf` (src/kernel/rules/circuit.ts) in SQL: a probe has failed after the policy's end, $6 ms behind its beginning,
// and after the delivery's own time. Each statement asks anew, because the circuit may be closed by now.
const overOf = (lane: Lane): string => `
  FROM subscriptions s JOIN deliveries d ON d.subscription_id = s.id
  WHERE s.id = $1 AND ${IS_ACTIVE} AND ${inLane(lane, 'd.')} AND d.due_at <= s.circuit_probe_failed_at
    AND d.max_retries = $2 AND d.initial_delay = $3 AND d.max_delay = $4 AND d.backoff_multiplier = $5
    AND greatest(d.policy_started_at, s.resumed_at) <= s.circuit_probe_failed_at - make_interval(secs => $6 / 1000.0)`;

const valuesOf = ({ subscriptionId, policy, lengthMs }: HeldPart): unknown[] => [
  subscriptionId,
  policy.maxRetries,
  policy.initialDelay,
  policy.maxDelay,
  policy.backoffMultiplier,
  lengthMs,
];

// A mark from before the last resume does not count: the policy has begun anew since.
const GRANT_LAST_CHANCES = `
  UPDATE deliveries SET last_chance_until = now()
  WHERE id IN (
    SELECT d.id ${overOf('first')} AND (d.last_chance_until IS NULL OR d.last_chance_until <= s.resumed_at)
    ORDER BY d.due_at, d.id
    LIMIT greatest(0, ${WAITING_AT_MOST} - (
      SELECT count(*) FROM deliveries o
      WHERE o.subscription_id = $1 AND o.last_chance_until IS NOT NULL AND o.due_at IS NOT NULL AND o.policy_attempts = 0))
    FOR UPDATE OF d SKIP LOCKED)`;

/** Puts deliveries whose policy is over and that have no attempt yet in line for their last chance. Returns their number. */
export async function grantLastChances(pool: Pool, part: HeldPart): Promise<number> {
  const { rowCount } = await pool.query({
    name: 'grant_last_chances',
    text: GRANT_LAST_CHANCES,
    values: valuesOf(part),
  });
  return rowCount ?? 0;
}

const END_HELD = `
  WITH ended AS (
    SELECT d.id ${overOf('retry')} LIMIT ${ENDED_AT_ONCE} FOR UPDATE OF d SKIP LOCKED
  ), changed AS (
    UPDATE deliveries SET status = 'failed', due_at = NULL, next_retry_at = NULL, failure_reason = 'circuit'
    WHERE id IN (SELECT id FROM ended)
    RETURNING *
  ), letter AS (${insertDeadLetters({
    from: `changed c JOIN messages m ON m.id = c.message_id
    LEFT JOIN attempts a ON a.delivery_id = c.id AND a.number = c.attempts`,
    reason: `'circuit'`,
    errorClass: 'a.error_class',
    errorMessage: 'a.error_message',
    errorStatus: 'a.response_status',
  })}
  ), ${publishEvents(deliveryExhausted('letter'))}
  SELECT id FROM letter`;

/** Makes dead letters of deliveries whose policy is over and that have an attempt, up to 50,000 of them. Returns their number. */
export async function endHeld(pool: Pool, part: HeldPart): Promise<number> {
  let ended = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { rowCount } = await pool.query({ name: 'end_held', text: END_HELD, values: valuesOf(part) });
    ended += rowCount ?? 0;
    if ((rowCount ?? 0) < ENDED_AT_ONCE) break;
  }
  return ended;
}
