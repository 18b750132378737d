import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '../../platform/db/transaction.ts';
import { type RemovedRows, removeMessages } from '../record/statements/remove.ts';

/** A channel with messages below `limit`, the lowest id that it keeps. */
export type ExpiredChannel = { id: string; limit: string };

/**
 * The channels of a page that a pass has still to process: the first one after the id `after`, and all others from
 * their start.
 */
export type Removal = { readonly channels: readonly ExpiredChannel[]; readonly after: string };

/** Result of a batch. `left` is what remains for the next one, undefined if nothing does. */
export type RemovedBatch = RemovedRows & { left: Removal | undefined; kept: number };

// Per transaction: 500 messages with a few deliveries each take about 30 ms. A broadcast to thousands of subscriptions
// counts by its deliveries.
const MESSAGES_AT_ONCE = 500;
const DELIVERIES_AT_ONCE = 2_000;
// A pass every half hour finds a few expired messages in most channels. A transaction per channel cost 0.088 + 0.084 ms
// (PostgreSQL, service) per removed message; a batch over the channels of a page costs 0.027 + 0.011 ms.
const CHANNELS_AT_ONCE = 100;
const DELETED_AT_ONCE = 500;

// foreign_key_violation, and restrict_violation, which PostgreSQL 18 uses for ON DELETE RESTRICT.
const STILL_REFERENCED = ['23503', '23001'];

// One index lookup in messages per channel: if its oldest message has not expired, none has. $2[d] is the limit for d
// days.
const EXPIRED_CHANNELS = `
  SELECT c.id, ($2::text[])[c.retention_days] AS "limit" FROM channels c
  CROSS JOIN LATERAL (
    SELECT FROM messages m WHERE m.channel_id = c.id AND m.id < ($2::text[])[c.retention_days] LIMIT 1
  ) AS expired
  WHERE c.id > $1 ORDER BY c.id LIMIT ${CHANNELS_AT_ONCE}`;

/**
 * Returns the next channels after the id `after` that have expired messages, by id; fewer than 100 if they are the last
 * ones.
 */
export async function expiredChannels(
  pool: Pool,
  { after, limits }: { after: string; limits: readonly string[] },
): Promise<{ channels: ExpiredChannel[]; isLast: boolean }> {
  const { rows } = await pool.query<ExpiredChannel>({
    name: 'expired_channels',
    text: EXPIRED_CHANNELS,
    values: [after, limits],
  });
  return { channels: rows, isLast: rows.length < CHANNELS_AT_ONCE };
}

// A retry, a replay, an erasure and a late record lock the message before anything else of it; locked messages are left
// to the next pass. So others wait for at most one batch of retention, and retention waits for nobody. Most channels
// have only a few expired messages, and a transaction for each channel would cost more than removing them. The limits
// make PostgreSQL keep the order of the channels.
const LOCK_EXPIRED = `
  SELECT m.id, c.place::int, (SELECT count(*)::int FROM deliveries d WHERE d.message_id = m.id) AS deliveries
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS c (id, kept_from, place)
  CROSS JOIN LATERAL (
    SELECT m.id FROM messages m
    WHERE m.channel_id = c.id AND m.id > CASE c.place WHEN 1 THEN $3 ELSE '' END AND m.id < c.kept_from
    ORDER BY m.id LIMIT ${MESSAGES_AT_ONCE} FOR UPDATE SKIP LOCKED
  ) AS m
  LIMIT ${MESSAGES_AT_ONCE}`;

/**
 * Removes the next expired messages of these channels with all their rows, up to 500 messages or about 2,000
 * deliveries, in one transaction. Keeps messages with an unfinished delivery or an open dead letter that can be
 * replayed.
 */
export async function removeBatch(pool: Pool, { channels, after }: Removal): Promise<RemovedBatch> {
  return inTransaction(pool, async (connection) => {
    const locked = await connection.query<{ id: string; place: number; deliveries: number }>({
      name: 'lock_expired',
      text: LOCK_EXPIRED,
      values: [channels.map(({ id }) => id), channels.map(({ limit }) => limit), after],
    });
    let deliveries = 0;
    const taken = locked.rows.filter((row, index) => {
      deliveries += row.deliveries;
      return index === 0 || deliveries <= DELIVERIES_AT_ONCE;
    });
    const ids = taken.map(({ id }) => id);
    const counts = await removeMessages(connection, ids);
    const last = taken.at(-1);
    const isAll = last === undefined || (taken.length === locked.rows.length && taken.length < MESSAGES_AT_ONCE);
    const left = isAll ? undefined : { channels: channels.slice(last.place - 1), after: last.id };
    return { ...counts, kept: ids.length - counts.messages, left };
  });
}

const DELETED_SUBSCRIPTIONS = `
  SELECT s.id FROM subscriptions s
  CROSS JOIN LATERAL (
    SELECT FROM channels c
    WHERE c.id = s.channel_id AND s.deleted_at < $1::timestamptz - make_interval(days => c.retention_days) LIMIT 1
  ) AS expired
  WHERE s.deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM deliveries d WHERE d.subscription_id = s.id)
    AND NOT EXISTS (SELECT FROM dead_letters l WHERE l.subscription_id = s.id)
  LIMIT ${DELETED_AT_ONCE}`;

/**
 * Removes subscriptions, with their secrets, that were deleted longer ago than their retention and have no history
 * left.
 */
export async function removeDeletedSubscriptions(pool: Pool, now: Date): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(DELETED_SUBSCRIPTIONS, [now]);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  return inTransaction(pool, async (connection) => {
    await connection.query('DELETE FROM subscription_secrets WHERE subscription_id = ANY ($1::text[])', [ids]);
    const { rowCount } = await connection.query('DELETE FROM subscriptions WHERE id = ANY ($1::text[])', [ids]);
    return rowCount ?? 0;
  });
}

const CANCELLED = `
  DELETE FROM scheduled_messages WHERE id = ANY (ARRAY(
    SELECT s.id FROM channels c
    CROSS JOIN LATERAL (
      SELECT s.id FROM scheduled_messages s
      WHERE s.channel_id = c.id AND s.cancelled_at < $1::timestamptz - make_interval(days => c.retention_days)
      ORDER BY s.cancelled_at LIMIT ${MESSAGES_AT_ONCE}
    ) AS s
    LIMIT ${MESSAGES_AT_ONCE}))`;

/**
 * Removes the next scheduled messages that were cancelled longer ago than their retention. `isLast`: there are no more.
 */
export async function removeCancelled(pool: Pool, now: Date): Promise<{ messages: number; isLast: boolean }> {
  const { rowCount } = await pool.query({ name: 'remove_cancelled', text: CANCELLED, values: [now] });
  const messages = rowCount ?? 0;
  return { messages, isLast: messages < MESSAGES_AT_ONCE };
}

const DELETED_CHANNELS = `
  SELECT c.id FROM channels c
  WHERE c.deleted_at IS NOT NULL AND c.deleted_at < $1::timestamptz - make_interval(days => c.retention_days)
    AND NOT EXISTS (SELECT FROM messages m WHERE m.channel_id = c.id)
    AND NOT EXISTS (SELECT FROM scheduled_messages s WHERE s.channel_id = c.id AND s.cancelled_at IS NULL)
    AND NOT EXISTS (SELECT FROM scheduled_messages s WHERE s.channel_id = c.id AND s.cancelled_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM subscriptions s WHERE s.channel_id = c.id AND s.deleted_at IS NOT NULL)
  LIMIT ${DELETED_AT_ONCE}`;

/** Removes channels that were deleted longer ago than their retention and have nothing left. */
export async function removeDeletedChannels(pool: Pool, now: Date, log: Logger): Promise<number> {
  const { rows } = await pool.query<{ id: string }>(DELETED_CHANNELS, [now]);
  let removed = 0;
  for (const { id } of rows) {
    try {
      const { rowCount } = await pool.query('DELETE FROM channels WHERE id = $1', [id]);
      removed += rowCount ?? 0;
    } catch (error) {
      if (!isStillReferenced(error)) throw error;
      log.warn(
        { err: error, channelId: id },
        'could not remove a deleted channel yet, because rows still belong to it; the next pass will try again',
      );
    }
  }
  return removed;
}

const isStillReferenced = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && STILL_REFERENCED.includes(String(error.code));
