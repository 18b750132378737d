import type { Pool } from 'pg';
import { IS_ACTIVE, policyOf, PROBE_IN_MS } from '../../../platform/db/sql/fragments.ts';
import type { DeliveryToStart } from '../../../kernel/contract/delivery-workflow.ts';
import { SUSPECT_AFTER_TAKEOVERS } from '../../../kernel/words/outcomes.ts';

/** Deliveries that wait for their first try under a policy, or for a later one. */
export type Lane = 'first' | 'retry';

/** SQL: whether the delivery can be claimed now or later; `prefix` is its alias with a dot, or nothing. */
const claimable = (prefix: '' | 'd.' = ''): string =>
  `${prefix}due_at IS NOT NULL AND ${prefix}holder IS NULL AND ${prefix}carrier IS NULL`;

/** SQL: each lane has its own partial index (deliveries_first_tries, deliveries_retries), so neither is searched among the other. */
export const inLane = (lane: Lane, prefix: '' | 'd.' = ''): string =>
  `${claimable(prefix)} AND ${prefix}policy_attempts ${lane === 'first' ? '= 0' : '> 0'}`;

/** A retry is claimed a little before its time and started at it: nextRetryAt is exact however seldom workers poll. */
export const LEAD_SECONDS: Record<Lane, number> = { first: 0, retry: 0.7 };

/** A subscription that has something to claim, as far as is known: nothing of it was due before `since`, PostgreSQL's time. */
export type Turn = { readonly id: string; readonly since: Date };

/** Result of a claim for these turns: deliveries claimed, the last of each subscription's, and the subscriptions to ask again. */
export type ClaimResult = {
  /** Number claimed of each subscription, and the due time of the last of them. */
  claimed: ReadonlyMap<string, { count: number; last: Date; isProbe: boolean }>;
  /**
   * Subscriptions that take nothing now, and for how many ms: until the probe of their circuit. Null: until a notification (paused,
   * disabled, deleted).
   */
  waits: ReadonlyMap<string, number | null>;
};

/** A delivery that this process now holds, with the input of its Temporal workflow. */
export type ClaimedDelivery = DeliveryToStart & {
  /** Milliseconds until it is due, 0 when it is. */
  dueInMs: number;
  /** A worker has died while it held it: its Temporal workflow may have begun. */
  isTakenOver: boolean;
  /** Several workers have died while they held it: it may be the cause. */
  isSuspect: boolean;
  /** Null while the subscription's circuit is closed; otherwise this is its probe, or waits for it. */
  circuitProbeInMs: number | null;
  /** Trace of the message: of its own spans, or its publisher's. Null without one. */
  traceparent: string | null;
  /** A retry whose subscription has as many open Temporal workflows for retries as it may have. */
  isBeyondOpen?: boolean;
  /** When the circuit was read, ms of performance.now(). */
  readAt: number;
};

export type ClaimedRow = Omit<ClaimedDelivery, 'readAt'>;

type DueRow = ClaimedRow & { dueAt: Date };

// Temporal workflows that may be open for the retries of one subscription. A dead endpoint must not flood Temporal: its further retries
// are drained. Waiting for one to end would make them late by whole pauses of the policy (decision 4).
const OPEN_RETRIES = 50;
const HAS_OPEN = `(SELECT count(*) FROM (SELECT FROM deliveries o WHERE o.subscription_id = s.id AND o.carrier IS NOT NULL
  AND o.due_at IS NOT NULL LIMIT ${OPEN_RETRIES}) AS open_now) >= ${OPEN_RETRIES}`;

// Whether the subscription takes tries: it is active, and its circuit is closed or lets one probe through.
const TAKES_TRIES = `${IS_ACTIVE} AND s.deleted_at IS NULL AND (s.circuit_probe_at IS NULL OR s.circuit_probe_at <= now())`;

export const DETAILS = `c.id, c.round, c.attempts, c.policy_attempts AS "policyAttempts",
    ${policyOf('c')} AS policy,
    c.environment_id AS "environmentId", c.channel_id AS "channelId", c.message_id AS "messageId",
    c.subscription_id AS "subscriptionId", m.event_type AS "eventType", m.traceparent,
    s.webhook_url AS "webhookUrl", s.timeout_ms AS "timeoutMs",
    greatest(0, extract(epoch FROM c.due_at - now()) * 1000)::int AS "dueInMs", c.takeovers > 0 AS "isTakenOver",
    c.takeovers >= ${SUSPECT_AFTER_TAKEOVERS} AS "isSuspect",
    ${PROBE_IN_MS} AS "circuitProbeInMs"`;

// SKIP LOCKED lets several workers claim at once. Each turn is one step into its subscription's own part of the lane's index, behind
// the rows that are known to be finished. The limits keep PostgreSQL to the order of the turns.
const claim = (lane: Lane): string => `
  WITH turn AS MATERIALIZED (
    SELECT t.since, s.* FROM unnest($2::text[], $3::timestamptz[]) AS t (id, since)
    CROSS JOIN LATERAL (
      SELECT s.id, s.circuit_probe_at, ${IS_ACTIVE} AND s.deleted_at IS NULL AS is_open,
        CASE WHEN s.circuit_probe_at > now() THEN ${PROBE_IN_MS} END AS wait_ms, ${lane === 'retry' ? HAS_OPEN : 'false'} AS has_open
      FROM subscriptions s WHERE s.id = t.id LIMIT 1
    ) AS s
  ), picked AS (
    SELECT due.id FROM turn
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d
      WHERE d.subscription_id = turn.id AND ${inLane(lane, 'd.')}
        AND d.due_at >= turn.since AND d.due_at <= now() + make_interval(secs => ${LEAD_SECONDS[lane]})
      ORDER BY d.due_at, d.id LIMIT CASE WHEN turn.circuit_probe_at IS NULL THEN $5::int ELSE 1 END FOR UPDATE OF d SKIP LOCKED
    ) AS due
    WHERE turn.is_open AND turn.wait_ms IS NULL
    LIMIT $4
  ), claimed AS (
    UPDATE deliveries SET holder = $1 WHERE id IN (SELECT id FROM picked) RETURNING *
  ), waiting AS (
    SELECT json_object_agg(id, CASE WHEN is_open THEN wait_ms END) AS waits FROM turn WHERE NOT is_open OR wait_ms IS NOT NULL
  )
  SELECT waiting.waits, claimed.*
  FROM waiting LEFT JOIN (
    SELECT ${DETAILS}, c.due_at AS "dueAt"${lane === 'retry' ? `, (SELECT has_open FROM turn WHERE turn.id = c.subscription_id) AS "isBeyondOpen"` : ''}
    FROM claimed c JOIN messages m ON m.id = c.message_id JOIN subscriptions s ON s.id = c.subscription_id
  ) AS claimed ON true
  ORDER BY claimed."subscriptionId", claimed."dueAt", claimed.id`;
const CLAIM: Record<Lane, string> = { first: claim('first'), retry: claim('retry') };

type Waits = { waits: Record<string, number | null> | null };

/**
 * Claims up to `count` due deliveries, and retries that soon will be, at most `perSubscription` of each turn, in the order of the
 * turns. Also returns the result for each turn.
 */
export async function claimDueDeliveries(
  pool: Pool,
  lane: Lane,
  wanted: { incarnationId: string; turns: readonly Turn[]; count: number; perSubscription: number },
): Promise<{ claimed: ClaimedDelivery[]; served: ClaimResult }> {
  const readAt = performance.now();
  const { rows } = await pool.query<Waits & (DueRow | { id: null })>({
    name: `claim_${lane}`,
    text: CLAIM[lane],
    values: [
      wanted.incarnationId,
      wanted.turns.map(({ id }) => id),
      wanted.turns.map(({ since }) => since),
      wanted.count,
      wanted.perSubscription,
    ],
  });
  const claimed: ClaimedDelivery[] = [];
  const counts = new Map<string, { count: number; last: Date; isProbe: boolean }>();
  for (const row of rows) {
    if (row.id === null) continue;
    const { waits: _, dueAt, ...details } = row;
    claimed.push({ ...details, readAt });
    const count = (counts.get(details.subscriptionId)?.count ?? 0) + 1;
    counts.set(details.subscriptionId, { count, last: dueAt, isProbe: details.circuitProbeInMs !== null });
  }
  return { claimed, served: { claimed: counts, waits: new Map(Object.entries(rows[0]?.waits ?? {})) } };
}

/** The inputs for the Temporal workflows of these held deliveries, without those that are held no more. */
export async function describeHeld(
  pool: Pool,
  ids: readonly string[],
  incarnationId: string,
): Promise<ClaimedDelivery[]> {
  if (ids.length === 0) return [];
  const readAt = performance.now();
  const { rows } = await pool.query<ClaimedRow>({
    name: 'describe_held',
    text: `SELECT ${DETAILS} FROM deliveries c JOIN messages m ON m.id = c.message_id
           JOIN subscriptions s ON s.id = c.subscription_id WHERE c.id = ANY ($1::text[]) AND c.holder = $2`,
    values: [ids, incarnationId],
  });
  return rows.map((row) => ({ ...row, readAt }));
}

const BACKLOG = `
  SELECT t.id AS "subscriptionId", due.count FROM unnest($1::text[], $2::timestamptz[]) AS t (id, since)
  CROSS JOIN LATERAL (SELECT FROM subscriptions s WHERE s.id = t.id AND ${TAKES_TRIES} LIMIT 1) AS s
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS count FROM (
      SELECT FROM deliveries d
      WHERE d.subscription_id = t.id AND ${inLane('first', 'd.')} AND d.due_at >= t.since AND d.due_at <= now() LIMIT $3
    ) AS counted
  ) AS due`;

/** Unclaimed first tries of each of these subscriptions, counted up to `limit`. */
export async function countWaiting(pool: Pool, turns: readonly Turn[], limit: number): Promise<Map<string, number>> {
  if (turns.length === 0) return new Map();
  const { rows } = await pool.query<{ subscriptionId: string; count: number }>({
    name: 'count_waiting',
    text: BACKLOG,
    values: [turns.map(({ id }) => id), turns.map(({ since }) => since), limit],
  });
  return new Map(rows.map(({ subscriptionId, count }) => [subscriptionId, count]));
}

/** Marks a delivery as started: its Temporal workflow carries it from here. A delivery that has already moved on is left alone. */
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

/** Whether this process still has the claim of this round: nobody has taken it over, and no try is on record. */
export async function isStillClaimed(
  pool: Pool,
  { id, round, incarnationId }: { id: string; round: number; incarnationId: string },
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'is_still_claimed',
    text: 'SELECT FROM deliveries WHERE id = $1 AND round = $2 AND holder = $3',
    values: [id, round, incarnationId],
  });
  return rowCount === 1;
}
