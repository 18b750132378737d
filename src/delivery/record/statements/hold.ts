import type { Pool } from 'pg';
import { insertDeadLetters } from './dead-letters.ts';
import { deliveryExhausted, isoTime, publishEvents, serviceEvent } from './service-events.ts';
import { inTransaction, type Executor, execute } from '../../../platform/db/transaction.ts';
import {
  type Fault,
  FAULT_ENDS_AFTER_DAYS,
  FAULT_MESSAGES,
  LONGEST_FAULT_PAUSE_SECONDS,
} from '../../../kernel/words/outcomes.ts';

/**
 * Puts a delivery back whose subscription takes nothing now. The round grows, so that the delivery can be started again as soon as it
 * is due; nothing of the policy is used up. `until` is that time. With `keepsDue` a circuit holds the delivery: its due time stays, so
 * that the longest waiting one still comes first, and its nextRetryAt follows from the circuit when it is read. With neither the
 * delivery stays due, and pending: no retry is coming. `isForLimit` shows the limit as the reason, unless a fault of ours holds the
 * delivery anyway.
 */
export async function holdDelivery(
  pool: Pool,
  held: { deliveryId: string; round: number; until?: Date; keepsDue?: boolean; isForLimit?: boolean },
): Promise<void> {
  await pool.query(
    `UPDATE deliveries SET round = round + 1, holder = NULL, carrier = NULL,
       next_retry_at = CASE WHEN $4 THEN next_retry_at ELSE $3::timestamptz END,
       status = CASE WHEN $4 OR $3 IS NOT NULL THEN status ELSE 'pending' END, due_at = coalesce($3, due_at),
       held_since = CASE WHEN held_reason IS NULL AND $5 THEN now() ELSE held_since END,
       held_reason = CASE WHEN held_reason IS NULL AND $5 THEN 'rate_limit' ELSE held_reason END
     WHERE id = $1 AND round = $2 AND due_at IS NOT NULL`,
    [held.deliveryId, held.round, held.until ?? null, held.keepsDue === true, held.isForLimit === true],
  );
}

/** A try that broke off by a fault of ours, as it is stored. */
export type BrokenTry = {
  deliveryId: string;
  round: number;
  /** The delivery is held only while this is its next try; null when nobody knows which one it would have been. */
  number: number | null;
  reason: Fault;
  /** Whether a request may have gone out that is not on record. */
  mayHaveBeenSent: boolean;
  /** Shortest time until the next try. */
  pauseSeconds: number;
  /** Subscription of an unreadable secret, and the secrets that were tried. */
  subscriptionId: string | null;
  triedSecretIds: readonly string[];
};

/** `nextTryAt` is null when it has ended as a dead letter with this message. */
export type HeldByFault = { id: string; nextTryAt: Date | null; message: string };

// SQL: whether a fault of ours holds the delivery `d` already.
const IS_HELD = `coalesce(d.held_reason IN ('secret_unreadable', 'internal'), false)`;
const SINCE = `(CASE WHEN ${IS_HELD} THEN d.held_since ELSE now() END)`;
const IS_OVER = `(NOT j.is_mended AND ${SINCE} <= now() - interval '${FAULT_ENDS_AFTER_DAYS} days')`;
const MAYBE_SENT = `(j.maybe_sent OR (${IS_HELD} AND coalesce(d.held_sent, false)))`;
// As long as the delivery has waited in all, so that each pause is about twice the one before.
const NEXT_TRY_AT = `(CASE WHEN ${IS_OVER} THEN NULL WHEN j.is_mended THEN now() ELSE
  greatest(d.due_at, now() + make_interval(secs =>
    least(${LONGEST_FAULT_PAUSE_SECONDS}, greatest(j.pause_seconds, extract(epoch FROM now() - ${SINCE}))))) END)`;
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const MESSAGE = `CASE WHEN c.held_sent THEN ${quoted(FAULT_MESSAGES.mayHaveBeenSent)}
    WHEN c.held_reason = 'secret_unreadable' THEN ${quoted(FAULT_MESSAGES.secretUnreadable)}
    ELSE ${quoted(FAULT_MESSAGES.notSent)} END`;

const LOCK_SUBSCRIPTIONS = `SELECT id FROM subscriptions WHERE id = ANY ($1::text[]) ORDER BY id FOR NO KEY UPDATE`;

// A secret newer than the tried ones has mended the fault already: the delivery is due at once.
const HOLD = `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::text[], $5::bool[], $6::int[], $7::text[], $8::text[])
      AS i (delivery_id, round, number, reason, maybe_sent, pause_seconds, subscription_id, tried)
  ), judged AS (
    SELECT i.*, i.reason = 'secret_unreadable' AND EXISTS (
      SELECT FROM subscription_secrets k WHERE k.subscription_id = i.subscription_id
        AND (k.expires_at IS NULL OR k.expires_at > now()) AND k.id <> ALL (string_to_array(i.tried, ','))
    ) AS is_mended FROM input i
  ), changed AS (
    UPDATE deliveries d SET due_at = ${NEXT_TRY_AT}, next_retry_at = CASE WHEN j.is_mended THEN NULL ELSE ${NEXT_TRY_AT} END,
      round = CASE WHEN ${IS_OVER} THEN d.round ELSE d.round + 1 END,
      holder = NULL, carrier = CASE WHEN ${IS_OVER} THEN d.carrier END,
      status = CASE WHEN ${IS_OVER} THEN 'failed' ELSE d.status END,
      failure_reason = CASE WHEN ${IS_OVER} THEN 'internal' ELSE d.failure_reason END,
      held_reason = CASE WHEN NOT j.is_mended THEN j.reason END,
      held_since = CASE WHEN NOT j.is_mended THEN ${SINCE} END,
      held_sent = CASE WHEN NOT j.is_mended THEN ${MAYBE_SENT} END
    FROM judged j
    WHERE d.id = j.delivery_id AND d.round = j.round AND d.due_at IS NOT NULL
      AND (j.number IS NULL OR d.attempts = j.number - 1)
    RETURNING d.*
  ), unreadable AS (
    UPDATE subscriptions s SET secret_unreadable_since = now()
    WHERE s.id IN (SELECT j.subscription_id FROM judged j WHERE j.reason = 'secret_unreadable' AND NOT j.is_mended)
      AND s.secret_unreadable_since IS NULL AND s.deleted_at IS NULL
    RETURNING s.id, s.environment_id, s.channel_id, s.secret_unreadable_since
  ), letter AS (${insertDeadLetters({
    from: 'changed c JOIN messages m ON m.id = c.message_id AND c.due_at IS NULL',
    reason: `'internal'`,
    errorClass: `'internal'`,
    errorMessage: MESSAGE,
    errorStatus: 'NULL',
  })}
  ), ${publishEvents(`
    ${deliveryExhausted('letter')}
    UNION ALL
    ${serviceEvent('subscription.secret_unreadable', {
      from: 'unreadable',
      payload: { subscriptionId: 'e.id', channelId: 'e.channel_id', since: isoTime('e.secret_unreadable_since') },
    })}`)}
  SELECT c.id, c.due_at AS "nextTryAt", ${MESSAGE} AS message FROM changed c`;

/**
 * Puts deliveries back whose try broke off. Nothing of their policies is used up. Deliveries that have waited for seven days end as
 * dead letters. Deliveries that have moved on are left alone, and out of the result.
 */
export async function holdBroken(pool: Pool, broken: readonly BrokenTry[]): Promise<HeldByFault[]> {
  const column = <T>(of: (each: BrokenTry) => T): T[] => broken.map(of);
  return inTransaction(pool, async (connection) => {
    // A rotation locks its subscription: either it is committed, and its secret is seen below, or it comes after this.
    const subscriptionIds = column(({ subscriptionId }) => subscriptionId).filter((id) => id !== null);
    if (subscriptionIds.length > 0) await connection.query(LOCK_SUBSCRIPTIONS, [subscriptionIds]);
    const { rows } = await connection.query<HeldByFault>(HOLD, [
      column((each) => each.deliveryId),
      column((each) => each.round),
      column((each) => each.number),
      column((each) => each.reason),
      column((each) => each.mayHaveBeenSent),
      column((each) => each.pauseSeconds),
      column((each) => each.subscriptionId),
      column((each) => each.triedSecretIds.join(',')),
    ]);
    return rows;
  });
}

/**
 * A secret of the subscription was opened: the other deliveries that wait for it are due, and the next failure causes an event again.
 */
export async function markReadable(pool: Pool, subscriptionId: string): Promise<void> {
  await pool.query(
    'UPDATE subscriptions SET secret_unreadable_since = NULL WHERE id = $1 AND secret_unreadable_since IS NOT NULL',
    [subscriptionId],
  );
}

// Deliveries released in one statement; the next one goes on.
const RELEASED_AT_ONCE = 1_000;
const WAITS = `d.due_at > now() AND d.holder IS NULL AND d.carrier IS NULL`;
const DUE_NOW = 'due_at = now(), next_retry_at = now()';

/** Makes every delivery due that a fault of ours holds: a new process brings mended code, or the right keys. */
export async function releaseAllHeld(pool: Pool): Promise<number> {
  let released = 0;
  for (;;) {
    const { rowCount } = await pool.query(
      `UPDATE deliveries SET ${DUE_NOW} WHERE id IN (
         SELECT d.id FROM deliveries d WHERE d.held_reason IN ('secret_unreadable', 'internal') AND ${WAITS}
         LIMIT ${RELEASED_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
    );
    released += rowCount ?? 0;
    if ((rowCount ?? 0) < RELEASED_AT_ONCE) return released;
  }
}

// A loose walk over the subscriptions that have held deliveries: one index step for each.
const HELD = `held_reason = 'secret_unreadable' AND due_at IS NOT NULL`;
const RELEASE_MENDED = `
  WITH RECURSIVE held AS (
    (SELECT subscription_id FROM deliveries WHERE ${HELD} ORDER BY subscription_id LIMIT 1)
    UNION ALL
    SELECT (SELECT d.subscription_id FROM deliveries d WHERE ${HELD} AND d.subscription_id > h.subscription_id
            ORDER BY d.subscription_id LIMIT 1)
    FROM held h WHERE h.subscription_id IS NOT NULL
  ), mended AS (
    SELECT due.id FROM held h JOIN subscriptions s ON s.id = h.subscription_id AND s.secret_unreadable_since IS NULL
    CROSS JOIN LATERAL (
      SELECT d.id FROM deliveries d
      WHERE d.held_reason = 'secret_unreadable' AND d.subscription_id = s.id AND ${WAITS} LIMIT ${RELEASED_AT_ONCE} FOR UPDATE SKIP LOCKED
    ) AS due
    LIMIT ${RELEASED_AT_ONCE}
  )
  UPDATE deliveries SET ${DUE_NOW} WHERE id IN (SELECT id FROM mended)`;

/** Makes up to 1,000 deliveries due that waited for a secret that can be opened by now. Returns their number. */
export async function releaseMended(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query({ name: 'release_mended', text: RELEASE_MENDED });
  return rowCount ?? 0;
}

/**
 * Makes a subscription's deliveries due that a limit or a fault of ours has held: a resume is meant for them too. Runs in the
 * transaction that resumes it.
 */
export async function releaseHeldOf(db: Executor, subscriptionId: string): Promise<void> {
  await execute(
    db,
    `UPDATE deliveries SET due_at = now(), next_retry_at = NULL, held_reason = NULL, held_since = NULL, held_sent = NULL
     WHERE held_reason IN ('rate_limit', 'secret_unreadable', 'internal') AND subscription_id = $1 AND due_at IS NOT NULL
       AND holder IS NULL AND carrier IS NULL`,
    [subscriptionId],
  );
}
