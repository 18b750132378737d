import type { Pool } from 'pg';
import { PROBE_IN_MS } from '../deliveries/attempt-store.ts';
import type { DeliveryToStart } from '../shared/delivery-workflow.ts';

/** A delivery that this process now holds, with what its Temporal workflow is started with. */
export type ClaimedDelivery = DeliveryToStart & {
  /** Milliseconds until it is due, 0 when it is. */
  dueInMs: number;
  /** Null while the subscription's circuit is closed; else this is its probe, or is to wait for it. */
  circuitProbeInMs: number | null;
  /** When that was read, by this process's clock, ms since the epoch. */
  readAt: number;
};

export type ClaimedRow = Omit<ClaimedDelivery, 'readAt'>;

/** Deliveries that wait for their first try under a policy, or for a later one. */
export type Lane = 'first' | 'retry';

const CLAIMABLE = 'due_at IS NOT NULL AND holder IS NULL AND carrier IS NULL';
// Each lane has its partial index (deliveries_first_tries, deliveries_retries): neither is looked for among the other.
const LANES: Record<Lane, string> = {
  first: `${CLAIMABLE} AND policy_attempts = 0`,
  retry: `${CLAIMABLE} AND policy_attempts > 0`,
};
// A retry is claimed a little before its time and started at it: nextRetryAt is exact however seldom we poll (0.5 s).
const LEAD_SECONDS: Record<Lane, number> = { first: 0, retry: 0.7 };
// Temporal workflows that may be open for the retries of one subscription: a dead endpoint does not flood Temporal, its
// further retries wait in PostgreSQL (DESIGN §3 "Bursts").
const OPEN_RETRIES = 50;
const ADMITTED = `(SELECT count(*) FROM (SELECT FROM deliveries o WHERE o.subscription_id = s.id AND o.carrier IS NOT NULL
  AND o.due_at IS NOT NULL LIMIT ${OPEN_RETRIES}) AS open_now) < ${OPEN_RETRIES}`;

// A loose walk over the lane's partial index: one step per subscription that has anything to claim, begun behind the one
// served last, so every subscription gets its turn however much another has waiting.
const waiting = (lane: Lane, after: string): string => `
  waiting AS (
    (SELECT subscription_id FROM deliveries WHERE ${LANES[lane]} AND subscription_id > ${after}
     ORDER BY subscription_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.subscription_id FROM deliveries d WHERE ${LANES[lane]} AND d.subscription_id > w.subscription_id
            ORDER BY d.subscription_id LIMIT 1)
    FROM waiting w WHERE w.subscription_id IS NOT NULL
  )`;

// Takes tries: is active, and its circuit is closed or lets a probe through, of which one is claimed.
const TAKES_TRIES = `s.status = 'active' AND s.deleted_at IS NULL AND (s.circuit_probe_at IS NULL OR s.circuit_probe_at <= now())`;

export const DETAILS = `c.id, c.round, c.attempts, c.policy_attempts AS "policyAttempts",
    json_build_object('maxRetries', c.max_retries, 'initialDelay', c.initial_delay,
                      'maxDelay', c.max_delay, 'backoffMultiplier', c.backoff_multiplier) AS policy,
    c.environment_id AS "environmentId", c.channel_id AS "channelId", c.message_id AS "messageId",
    c.subscription_id AS "subscriptionId", m.event_type AS "eventType",
    s.webhook_url AS "webhookUrl", s.timeout_ms AS "timeoutMs",
    greatest(0, extract(epoch FROM c.due_at - now()) * 1000)::int AS "dueInMs",
    ${PROBE_IN_MS} AS "circuitProbeInMs"`;

// SKIP LOCKED lets several workers claim at once.
const claim = (lane: Lane): string => `
  WITH RECURSIVE ${waiting(lane, '$2')}, picked AS (
    SELECT due.id FROM waiting w
    JOIN subscriptions s ON s.id = w.subscription_id AND ${TAKES_TRIES}
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d
      WHERE d.subscription_id = s.id AND ${LANES[lane]} AND d.due_at <= now() + make_interval(secs => ${LEAD_SECONDS[lane]})
      ORDER BY d.due_at, d.id LIMIT CASE WHEN s.circuit_probe_at IS NULL THEN $4::int ELSE 1 END FOR UPDATE OF d SKIP LOCKED
    ) AS due
    WHERE s.id <> ALL ($5::text[])${lane === 'retry' ? ` AND ${ADMITTED}` : ''}
    LIMIT $3
  ), claimed AS (
    UPDATE deliveries SET holder = $1 WHERE id IN (SELECT id FROM picked) RETURNING *
  )
  SELECT ${DETAILS}
  FROM claimed c JOIN messages m ON m.id = c.message_id JOIN subscriptions s ON s.id = c.subscription_id
  ORDER BY c.subscription_id, c.due_at, c.id`;
const CLAIM: Record<Lane, string> = { first: claim('first'), retry: claim('retry') };

/** Claims up to `count` deliveries that are due, retries those too that soon will be, at most `perSubscription` of one, beginning behind the subscription `after`. */
export async function claimDue(
  pool: Pool,
  lane: Lane,
  wanted: { incarnationId: string; after: string; count: number; perSubscription: number; except: readonly string[] },
): Promise<ClaimedDelivery[]> {
  const readAt = Date.now();
  const { rows } = await pool.query<ClaimedRow>({
    name: `claim_${lane}`,
    text: CLAIM[lane],
    values: [wanted.incarnationId, wanted.after, wanted.count, wanted.perSubscription, wanted.except],
  });
  return rows.map((row) => ({ ...row, readAt }));
}

/** What the Temporal workflows of these held deliveries are started with. Those held no more are left out. */
export async function describeHeld(
  pool: Pool,
  ids: readonly string[],
  incarnationId: string,
): Promise<ClaimedDelivery[]> {
  if (ids.length === 0) return [];
  const readAt = Date.now();
  const { rows } = await pool.query<ClaimedRow>({
    name: 'describe_held',
    text: `SELECT ${DETAILS} FROM deliveries c JOIN messages m ON m.id = c.message_id
           JOIN subscriptions s ON s.id = c.subscription_id WHERE c.id = ANY ($1::text[]) AND c.holder = $2`,
    values: [ids, incarnationId],
  });
  return rows.map((row) => ({ ...row, readAt }));
}

const BACKLOG = `
  WITH RECURSIVE ${waiting('first', "''")}
  SELECT s.id AS "subscriptionId", due.count FROM waiting w
  JOIN subscriptions s ON s.id = w.subscription_id AND ${TAKES_TRIES}
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS count FROM (
      SELECT FROM deliveries d WHERE d.subscription_id = s.id AND ${LANES.first} AND d.due_at <= now() LIMIT $1
    ) AS counted
  ) AS due
  LIMIT $1`;

/** How many first tries wait unclaimed per subscription, each counted up to `limit`, over at most `limit` subscriptions. */
export async function countWaiting(pool: Pool, limit: number): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ subscriptionId: string; count: number }>({
    name: 'count_waiting',
    text: BACKLOG,
    values: [limit],
  });
  return new Map(rows.map(({ subscriptionId, count }) => [subscriptionId, count]));
}

/** A started delivery: its Temporal workflow carries it from here. Nothing happens to one that has already moved on. */
export async function setCarrier(
  pool: Pool,
  started: { id: string; round: number; incarnationId: string; carrier: string },
): Promise<void> {
  await pool.query({
    name: 'set_carrier',
    text: 'UPDATE deliveries SET carrier = $4, holder = NULL WHERE id = $1 AND round = $2 AND holder = $3',
    values: [started.id, started.round, started.incarnationId, started.carrier],
  });
}

/** Gives claimed deliveries back: due again, in the same round, at once or `afterSeconds` later. */
export async function releaseClaims(
  pool: Pool,
  { ids, incarnationId, afterSeconds = 0 }: { ids: readonly string[]; incarnationId: string; afterSeconds?: number },
): Promise<void> {
  if (ids.length === 0) return;
  await pool.query(
    `UPDATE deliveries SET holder = NULL, due_at = CASE WHEN $3 > 0 THEN now() + make_interval(secs => $3) ELSE due_at END
     WHERE id = ANY ($1::text[]) AND holder = $2 AND due_at IS NOT NULL`,
    [ids, incarnationId, afterSeconds],
  );
}
