import type { Pool, PoolClient } from 'pg';
import { wakeWorkers } from '../../../platform/db/waking.ts';
import { closeDeadLetters } from './dead-letters.ts';
import { insertDeliveries } from './insert.ts';

// SQL, a SET list: the delivery `d` is due in its next round, under the policy that its subscription `s` has now.
const NEXT_ROUND = `status = 'pending', round = d.round + 1, policy_attempts = 0, policy_started_at = now(), due_at = now(),
      holder = NULL, carrier = NULL, next_retry_at = NULL, last_chance_until = NULL, failure_reason = NULL, held_reason = NULL, held_since = NULL,
      held_sent = NULL, takeovers = 0, max_retries = s.max_retries, initial_delay = s.initial_delay, max_delay = s.max_delay, backoff_multiplier = s.backoff_multiplier`;

// The message is locked before its delivery, as erasure and retention do: neither takes the message away until this is committed.
const SHARE_MESSAGE = `
  SELECT m.id FROM deliveries AS d JOIN messages AS m ON m.id = d.message_id
  WHERE d.id = $1 AND m.erased_at IS NULL FOR SHARE OF m`;

/** SQL: a person may retry the delivery `d`, because it does not wait for its first try, or because a fault of ours holds it. */
export const IS_RETRYABLE = `(d.status <> 'pending' OR d.held_reason IN ('secret_unreadable', 'internal'))`;

const RETRY = `
  UPDATE deliveries AS d SET ${NEXT_ROUND} FROM subscriptions AS s
  WHERE d.id = $1 AND s.id = d.subscription_id AND s.deleted_at IS NULL AND ${IS_RETRYABLE}`;

// A statement of its own, because it sees a dead letter that was committed while the one before waited for its row.
const CLOSE = closeDeadLetters({
  from: 'unnest($1::text[]) AS d (id)',
  condition: 'l.delivery_id = d.id',
  requestedBy: '$2',
});

/**
 * Makes one delivery due again, closes its open dead letter and wakes workers, within a transaction. False when the delivery waits for
 * its first try and no fault of ours holds it, when its subscription is deleted, or its message erased.
 */
export async function retryDelivery(
  connection: PoolClient,
  { deliveryId, requestedBy }: { deliveryId: string; requestedBy: string },
): Promise<boolean> {
  const shared = await connection.query(SHARE_MESSAGE, [deliveryId]);
  if (shared.rowCount === 0) return false;
  const changed = await connection.query(RETRY, [deliveryId]);
  if (changed.rowCount === 0) return false;
  await connection.query(CLOSE, [[deliveryId], requestedBy]);
  await wakeWorkers(connection);
  return true;
}

// The same for many. Each statement takes its rows by their ids, so that two of them never wait for each other in turn.
const SHARE_MESSAGES = `
  SELECT m.id FROM messages m
  WHERE m.erased_at IS NULL AND m.id IN (SELECT d.message_id FROM deliveries d WHERE d.id = ANY ($1::text[]))
  ORDER BY m.id FOR SHARE`;

// The status is asked again: one that was delivered since the ids were found is not sent a second time.
const RETRY_MANY = `
  WITH taken AS (
    SELECT d.id FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id AND s.deleted_at IS NULL
    WHERE d.id = ANY ($1::text[]) AND d.environment_id = $2 AND d.status = ANY ($3::text[]) AND d.message_id = ANY ($4::text[])
      AND ${IS_RETRYABLE}
    ORDER BY d.id FOR UPDATE OF d
  )
  UPDATE deliveries AS d SET ${NEXT_ROUND}, replay_id = $5 FROM taken t, subscriptions s
  WHERE d.id = t.id AND s.id = d.subscription_id RETURNING d.id`;

const NOT_RETRIED = `
  SELECT count(*)::int AS count FROM deliveries d
  WHERE d.id = ANY ($1::text[]) AND d.environment_id = $2 AND d.status = ANY ($3::text[]) AND ${IS_RETRYABLE}`;

/**
 * Makes those of the deliveries due again that have one of the statuses, each as a single retry does, within a transaction, and has them
 * name the bulk retry. `failed` could not be: their subscription is deleted, or their message erased. Others that are left have moved on
 * by themselves.
 */
export async function retryDeliveries(
  connection: PoolClient,
  retry: { ids: string[]; environmentId: string; statuses: readonly string[]; requestedBy: string; replayId: string },
): Promise<{ retried: number; failed: number }> {
  const { ids, environmentId, statuses, requestedBy, replayId } = retry;
  const messages = await connection.query<{ id: string }>(SHARE_MESSAGES, [ids]);
  const sendable = messages.rows.map(({ id }) => id);
  const { rows } = await connection.query<{ id: string }>(RETRY_MANY, [
    ids,
    environmentId,
    statuses,
    sendable,
    replayId,
  ]);
  const retried = rows.length;
  if (retried > 0) {
    await connection.query(CLOSE, [rows.map(({ id }) => id), requestedBy]);
    await wakeWorkers(connection);
  }
  if (retried === ids.length) return { retried, failed: 0 };
  const left = await connection.query<{ count: number }>(NOT_RETRIED, [ids, environmentId, statuses]);
  return { retried, failed: left.rows[0]?.count ?? 0 };
}

// One statement: the dead letter is closed exactly when its delivery is due again.
const REPLAY_DEAD_LETTERS = `
  WITH eligible AS (
    SELECT l.id, l.delivery_id FROM dead_letters l
    JOIN deliveries d ON d.id = l.delivery_id AND d.status = 'failed'
    JOIN subscriptions s ON s.id = d.subscription_id AND s.deleted_at IS NULL
    JOIN messages m ON m.id = d.message_id
    WHERE l.id = ANY ($1::text[]) AND l.environment_id = $2 AND l.status = 'open'
    ORDER BY l.id
    FOR SHARE OF m FOR UPDATE OF l, d
  ), closed AS (${closeDeadLetters({ from: 'eligible e', condition: 'l.id = e.id', requestedBy: '$3' })}
  )
  UPDATE deliveries d
  SET ${NEXT_ROUND}, replay_id = coalesce($4, d.replay_id)
  FROM eligible e, subscriptions s
  WHERE d.id = e.delivery_id AND s.id = d.subscription_id`;

/**
 * Makes the deliveries of these open dead letters due again, and wakes workers. They name the bulk replay that asks, if it is one. Returns
 * their number. The rest are not open or cannot be replayed.
 */
export async function replayDeadLetters(
  db: Pool | PoolClient,
  replay: { ids: string[]; environmentId: string; requestedBy: string; replayId?: string },
): Promise<number> {
  const { ids, environmentId, requestedBy, replayId = null } = replay;
  const { rowCount } = await db.query(REPLAY_DEAD_LETTERS, [ids, environmentId, requestedBy, replayId]);
  const replayed = rowCount ?? 0;
  if (replayed > 0) await wakeWorkers(db);
  return replayed;
}

/**
 * SQL, three CTEs about the messages in `wanted` for the subscription `subscriptionId`: `made` are deliveries that were missing,
 * `again` finished ones that are due in their next round (none with `onlyMissing`). Deliveries under way are left alone. With `replayId`
 * all that are due name this replay.
 */
export const replayMessages = (names: {
  wanted: string;
  subscriptionId: string;
  onlyMissing: string;
  requestedBy: string;
  replayId?: string;
}): string => `
  made AS (${insertDeliveries({
    from: `${names.wanted} m JOIN subscriptions s ON s.id = ${names.subscriptionId}`,
    ...(names.replayId !== undefined && { replayId: names.replayId }),
  })}
    ORDER BY m.id
    ON CONFLICT (message_id, subscription_id) DO NOTHING
    RETURNING id
  ), again AS (
    UPDATE deliveries d
    SET ${NEXT_ROUND}, replay_id = ${names.replayId ?? 'd.replay_id'}
    FROM ${names.wanted} m, subscriptions s
    WHERE NOT ${names.onlyMissing} AND s.id = ${names.subscriptionId} AND d.message_id = m.id AND d.subscription_id = s.id
      AND d.due_at IS NULL
    RETURNING d.id
  ), letters AS (${closeDeadLetters({ from: 'again a', condition: 'l.delivery_id = a.id', requestedBy: names.requestedBy })}
  )`;

// One that was never made is made, and a finished one goes into its next round. The filter is not asked: a person names the two.
const REPLAY_MESSAGE = `
  WITH wanted AS (
    SELECT m.id, m.environment_id, m.channel_id, m.event_type FROM messages m
    JOIN subscriptions s ON s.id = $2 AND s.channel_id = m.channel_id AND s.deleted_at IS NULL
    WHERE m.id = $1 AND m.erased_at IS NULL AND coalesce(m.only_subscription_id, s.id) = s.id
    FOR SHARE OF m
  ), ${replayMessages({ wanted: 'wanted', subscriptionId: '$2', onlyMissing: 'false', requestedBy: '$3' })}
  SELECT id FROM made UNION ALL SELECT id FROM again`;

/**
 * Makes one message due for one subscription of its channel, and wakes workers, within a transaction. Returns the id of the delivery.
 * Undefined when that is under way, when the message is erased or a test message of another subscription, and when its channel has no
 * such subscription.
 */
export async function replayMessage(
  connection: PoolClient,
  { messageId, subscriptionId, requestedBy }: { messageId: string; subscriptionId: string; requestedBy: string },
): Promise<string | undefined> {
  const { rows } = await connection.query<{ id: string }>(REPLAY_MESSAGE, [messageId, subscriptionId, requestedBy]);
  if (rows.length > 0) await wakeWorkers(connection);
  return rows[0]?.id;
}
