import type { Pool } from 'pg';
import { HAS_FAILED_PROBE } from '../../../platform/db/sql/fragments.ts';
import { endHeld, grantLastChances, heldPolicies } from '../../record/statements/settle-circuit.ts';
import { policyEndsAt } from '../../../kernel/contract/retry-policy.ts';

// Subscriptions taken at a time. Another worker takes the next ones meanwhile.
const SETTLED_AT_ONCE = 20;

const UNSETTLED = `${HAS_FAILED_PROBE} AND s.circuit_settled_at IS DISTINCT FROM s.circuit_probe_failed_at`;

// A worker that dies in the middle leaves the rest to the next failed probe.
const TAKE = `
  UPDATE subscriptions SET circuit_settled_at = circuit_probe_failed_at
  WHERE id = ANY (ARRAY(SELECT s.id FROM subscriptions s WHERE ${UNSETTLED} LIMIT ${SETTLED_AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED))
  RETURNING id, timeout_ms AS "timeoutMs"`;

/**
 * Settles failed probes, each once, in the worker that comes first. Deliveries that the circuit has held beyond the end of their
 * policy become dead letters with the reason circuit if they have an attempt, and get in line for their last chance if they have
 * none. Returns the number of each.
 */
export async function settleHeld(pool: Pool): Promise<{ ended: number; lastChances: number }> {
  const done = { ended: 0, lastChances: 0 };
  const { rows } = await pool.query<{ id: string; timeoutMs: number }>({ name: 'take_settling', text: TAKE });
  for (const { id: subscriptionId, timeoutMs } of rows) {
    for (const { lane, ...policy } of await heldPolicies(pool, subscriptionId)) {
      const lengthMs = policyEndsAt(policy, new Date(0), timeoutMs).getTime();
      const part = { subscriptionId, policy, lengthMs };
      if (lane === 'retry') done.ended += await endHeld(pool, part);
      else done.lastChances += await grantLastChances(pool, part);
    }
  }
  return done;
}
