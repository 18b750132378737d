import type { Pool } from 'pg';

type Place = { environmentId: string; channelId: string };

/**
 * Inserts messages of one type, scheduled ones among them, and for each a delivery and a dead letter: a tenth to the second
 * subscription.
 */
export async function insertListed(
  pool: Pool,
  { environmentId, channelId }: Place,
  rows: { eventType: string; status: string; count: number; to: readonly [string, string] },
): Promise<void> {
  const { eventType, status, count, to } = rows;
  await pool.query(
    `WITH message AS (
       INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, $3, '{}', now() FROM generate_series(1, $6)
       RETURNING id
     ), numbered AS (
       SELECT id, row_number() OVER (ORDER BY id) AS n FROM message
     ), scheduled AS (
       INSERT INTO scheduled_messages (id, environment_id, channel_id, event_type, payload, deliver_at, cancelled_at)
       SELECT id, $1, $2, $3, '{}', now(), CASE WHEN $4 = 'delivered' AND n % 2 = 0 THEN now() END FROM numbered
     ), delivery AS (
       INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, max_retries,
         initial_delay, max_delay, backoff_multiplier)
       SELECT posthorn_id('dlv'), $1, $2, id, CASE WHEN n % 10 = 0 THEN $7 ELSE $5 END, $3, $4, 0, 0, 0, 1 FROM numbered
       RETURNING id, message_id, subscription_id
     )
     INSERT INTO dead_letters (id, environment_id, channel_id, message_id, subscription_id, delivery_id, round, event_type,
       status, reason, attempts, failed_at)
     SELECT posthorn_id('dlq'), $1, $2, message_id, subscription_id, id, 1, $3,
       CASE WHEN $4 = 'failed' THEN 'open' ELSE 'replayed' END, CASE WHEN $4 = 'failed' THEN 'gone' ELSE 'exhausted' END, 1, now()
     FROM delivery`,
    [environmentId, channelId, eventType, status, to[0], count, to[1]],
  );
}

/** Failed deliveries of a subscription, each with its attempt, the oldest first. The first one is slow, and of another class. */
export async function insertFailed(pool: Pool, place: Place, subscriptionId: string, count: number): Promise<string[]> {
  const to = [subscriptionId, subscriptionId] as const;
  await insertListed(pool, place, { eventType: 'new.failed', status: 'failed', count, to });
  const { rows } = await pool.query<{ id: string }>(
    `WITH one AS (
       SELECT id, row_number() OVER (ORDER BY id) AS n FROM deliveries WHERE subscription_id = $1
     ), answered AS (
       UPDATE deliveries d SET attempts = 1, response_status = 503, response_latency_ms = CASE WHEN n = 1 THEN 29000 ELSE 20 END
       FROM one WHERE one.id = d.id
     ), tried AS (
       INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, error_class, carrier)
       SELECT posthorn_id('att'), id, 1, now(), 20, 'failed', CASE WHEN n = 1 THEN 'tls' ELSE 'status' END, 'a' FROM one
     )
     SELECT id FROM one ORDER BY n LIMIT 1`,
    [subscriptionId],
  );
  // Otherwise the old index entries from before the update would count as read.
  await pool.query('VACUUM deliveries');
  return rows.map(({ id }) => id);
}
