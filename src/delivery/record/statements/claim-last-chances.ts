import type { Pool } from 'pg';
import { inTransaction } from '../../../platform/db/transaction.ts';
import { HAS_FAILED_PROBE } from '../../../platform/db/sql/fragments.ts';
import { LAST_CHANCES } from '../../../kernel/rules/circuit.ts';
import { type ClaimedDelivery, type ClaimedRow, DETAILS } from './claim.ts';

// The fifth place is the probe's, which is claimed like any other delivery.
const PLACES = LAST_CHANCES.atATime - 1;
const INTERVAL_MS = 1_000 / LAST_CHANCES.perSecond;
// A late claim takes the missed one as well: the rate holds with a claim each 200 ms, and no second has more than two beyond it.
const CATCH_UP_MS = INTERVAL_MS;
// Time from the claim to the request. A row that is given back, or whose worker dies, loses its claim by then and is claimed anew.
const GRANTED_SECONDS = 60;

const marked = (alias: 'd' | 'o'): string =>
  `${alias}.subscription_id = s.id AND ${alias}.last_chance_until IS NOT NULL AND ${alias}.due_at IS NOT NULL AND ${alias}.policy_attempts = 0`;
// Not `IS NULL`: with calm statistics PostgreSQL would look through all held deliveries by the index of first tries.
const WAITING = `${marked('d')} AND num_nulls(d.holder, d.carrier) = 2 AND d.due_at <= now()
  AND d.last_chance_until > coalesce(s.resumed_at, '-infinity')`;

const IS_ANY_WAITING = `
  SELECT EXISTS (SELECT FROM subscriptions s WHERE ${HAS_FAILED_PROBE} AND EXISTS (SELECT FROM deliveries d WHERE ${WAITING})) AS "isAny"`;

// The row is locked first, and the next statement counts. In one statement the count would be as old as the statement and miss later
// claims of another worker. The second worker leaves the subscription to the first one.
const LOCK = `
  SELECT s.id FROM subscriptions s
  WHERE ${HAS_FAILED_PROBE} AND (s.next_last_chance_at IS NULL OR s.next_last_chance_at <= now())
    AND EXISTS (SELECT FROM deliveries d WHERE ${WAITING})
  ORDER BY s.next_last_chance_at NULLS FIRST LIMIT $1 FOR NO KEY UPDATE OF s SKIP LOCKED`;

const CLAIM = `
  WITH room AS (
    SELECT s.id, s.resumed_at, turn.at AS turn_at, least(
      ${PLACES} - (SELECT count(*) FROM deliveries o WHERE ${marked('o')} AND (o.holder IS NOT NULL OR o.carrier IS NOT NULL)),
      1 + floor(extract(epoch FROM now() - turn.at) * 1000 / ${INTERVAL_MS}))::int AS count
    FROM subscriptions s
    CROSS JOIN LATERAL (SELECT greatest(s.next_last_chance_at, now() - interval '${CATCH_UP_MS} ms') AS at) AS turn
    WHERE s.id = ANY ($2::text[])
  ), picked AS (
    SELECT due.id, s.id AS subscription_id FROM room s
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d WHERE ${WAITING}
      ORDER BY d.last_chance_until, d.id LIMIT greatest(0, s.count) FOR UPDATE OF d SKIP LOCKED
    ) AS due
    LIMIT $3
  ), paced AS (
    UPDATE subscriptions s SET next_last_chance_at = room.turn_at + taken.count * interval '${INTERVAL_MS} ms'
    FROM room JOIN (SELECT subscription_id, count(*) AS count FROM picked GROUP BY 1) AS taken ON taken.subscription_id = room.id
    WHERE s.id = room.id
  ), claimed AS (
    UPDATE deliveries SET holder = $1, last_chance_until = now() + interval '${GRANTED_SECONDS} s'
    WHERE id IN (SELECT id FROM picked) RETURNING *
  )
  SELECT ${DETAILS}
  FROM claimed c JOIN messages m ON m.id = c.message_id JOIN subscriptions s ON s.id = c.subscription_id`;

/**
 * Claims up to `count` deliveries for their last chance: ten a second of each subscription, and at most five under way with its probe,
 * over all workers. `isMore`: others wait for their turn, so look again soon.
 */
export async function claimLastChances(
  pool: Pool,
  { incarnationId, count }: { incarnationId: string; count: number },
): Promise<{ claimed: ClaimedDelivery[]; isMore: boolean }> {
  const { rows: found } = await pool.query<{ isAny: boolean }>({ name: 'last_chances_waiting', text: IS_ANY_WAITING });
  if (found[0]?.isAny !== true) return { claimed: [], isMore: false };
  const readAt = performance.now();
  const claimed = await inTransaction(pool, async (connection) => {
    const locked = await connection.query<{ id: string }>({ name: 'lock_last_chances', text: LOCK, values: [count] });
    if (locked.rows.length === 0) return [];
    const ids = locked.rows.map(({ id }) => id);
    const { rows } = await connection.query<ClaimedRow>({
      name: 'claim_last_chances',
      text: CLAIM,
      values: [incarnationId, ids, count],
    });
    return rows.map((row) => ({ ...row, readAt }));
  });
  return { claimed, isMore: true };
}
