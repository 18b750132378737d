import type { Pool } from 'pg';
import { createChannel } from '../make/factories.ts';
import type { TestPosthorn } from '../service/posthorn.ts';

/** Finished deliveries of each lane, and paused subscriptions with a waiting delivery in both. */
export const FINISHED = 20_000;
export const PAUSED = 5_000;

const SUBSCRIPTIONS = `
  INSERT INTO subscriptions (id, environment_id, channel_id, name, webhook_url, status, event_types, max_retries, initial_delay, max_delay,
    backoff_multiplier, updated_at)
  SELECT posthorn_id('sub'), c.environment_id, c.id, 'made by a test', 'http://127.0.0.1:4000/', $2, '{}', 3, 1000, 1000, 1, now()
  FROM channels c CROSS JOIN generate_series(1, $3::int) WHERE c.id = $1
  RETURNING id`;

const DELIVERIES = `
  INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, policy_attempts, due_at, max_retries,
    initial_delay, max_delay, backoff_multiplier)
  SELECT posthorn_id('dlv'), s.environment_id, s.channel_id, posthorn_id('msg'), s.id, lane, now() - interval '1 minute', 3, 1000, 1000, 1
  FROM subscriptions s CROSS JOIN generate_series(0, 1) AS lane CROSS JOIN generate_series(1, $2::int)
  WHERE s.id = ANY ($1::text[])`;

/**
 * Opens a transaction with a snapshot, as a dump has one, and then creates what came after it: 20,000 deliveries that were due, claimed
 * by a worker and finished, half of them retries, and 5,000 subscriptions that were paused with a delivery of each lane waiting. Call
 * the returned function to end the transaction.
 */
export async function openLongSnapshot(posthorn: TestPosthorn): Promise<() => Promise<void>> {
  const { pool } = posthorn.deps;
  // As before PostgreSQL has analysed the tables for the first time: statistics of another moment would change the plans.
  for (const table of ['deliveries', 'subscriptions'])
    await pool.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  const reader = await pool.connect();
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await reader.query('SELECT count(*) FROM deliveries');
  const { id: channelId } = await createChannel(posthorn);
  const subscriptions = async (status: string, count: number): Promise<string[]> =>
    (await pool.query<{ id: string }>(SUBSCRIPTIONS, [channelId, status, count])).rows.map(({ id }) => id);
  const active = await subscriptions('active', 20);
  await pool.query(DELIVERIES, [active, FINISHED / 2 / active.length]);
  await pool.query(`UPDATE deliveries SET holder = 'inc_gone'`);
  await pool.query(`UPDATE deliveries SET holder = NULL, status = 'delivered', due_at = NULL`);
  await pool.query(DELIVERIES, [await subscriptions('paused', PAUSED), 1]);
  return async () => {
    await reader.query('COMMIT');
    reader.release();
  };
}

/** Returns the pages that all sessions have read of deliveries, subscriptions, messages and their indexes, as far as reported. */
export async function pagesRead(pool: Pool): Promise<number> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ pages: number }>(
    `SELECT sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int AS pages
     FROM pg_statio_user_tables WHERE relname IN ('deliveries', 'subscriptions', 'messages')`,
  );
  return rows[0]?.pages ?? Number.NaN;
}
