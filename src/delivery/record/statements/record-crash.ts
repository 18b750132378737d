import type { Pool } from 'pg';
import { outcomeOf } from '../../../kernel/words/outcomes.ts';
import { countTries } from './count-tries.ts';

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
