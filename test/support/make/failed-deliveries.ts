import type { DashboardScene } from './dashboard-scene.ts';

/**
 * Stores a given number of failed deliveries of one subscription, each with its dead letter, and nothing else. Returns their ids,
 * newest first.
 */
export async function storeFailedDeliveries(scene: DashboardScene, count: number): Promise<string[]> {
  const channelId = await scene.make('/v1/channels', { name: `orders ${Date.now()}` });
  const webhookUrl = 'https://example.com/hook';
  const subscriptionId = await scene.make('/v1/subscriptions', { channelId, webhookUrl, name: 'Till' });
  const { pool, db } = scene.posthorn.deps;
  await pool.query('TRUNCATE messages, deliveries, dead_letters CASCADE');
  const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
  const { rows } = await pool.query<{ id: string }>(
    `WITH message AS (
       INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, 'order.created', '{}', now() FROM generate_series(1, $4) RETURNING id
     ), delivery AS (
       INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, attempts, max_retries,
         initial_delay, max_delay, backoff_multiplier, last_attempt_at, response_status, response_latency_ms, failure_reason)
       SELECT posthorn_id('dlv'), $1, $2, id, $3, 'order.created', 'failed', 4, 3, 1000, 60000, 2, now(), 503, 80, 'exhausted' FROM message
       RETURNING id, message_id
     ), letter AS (
       INSERT INTO dead_letters (id, environment_id, kind, status, channel_id, message_id, subscription_id, delivery_id, round, event_type,
         reason, error_class, error_status, attempts, failed_at)
       SELECT posthorn_id('dlq'), $1, 'delivery', 'open', $2, message_id, $3, id, 1, 'order.created', 'exhausted', 'status', 503, 4, now()
       FROM delivery
     )
     SELECT id FROM delivery ORDER BY id DESC`,
    [environmentId, channelId, subscriptionId, count],
  );
  return rows.map(({ id }) => id);
}
