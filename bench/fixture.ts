import type { Pool } from 'pg';
import type { KeyRing } from '../src/platform/credentials/key-ring.ts';
import type { NewId } from '../src/platform/new-id.ts';
import type { RetryPolicy } from '../src/kernel/contract/retry-policy.ts';
import { sealSigningSecret } from '../src/platform/outbound/sign.ts';

/** One channel with a subscription for every URL, each with a signing secret of its own. */
export type Target = { channelId: string; subscriptionIds: string[] };

/** Spec §3's shape with the retry at 1 s that the comparison requires; a first attempt that succeeds never reads it. */
export const RETRY_POLICY: RetryPolicy = { maxRetries: 5, initialDelay: 1_000, maxDelay: 10_000, backoffMultiplier: 2 };

/** In SQL, because 5,000 subscriptions over HTTP would take longer than the measurement. */
export async function createTarget(
  { pool, keyRing, newId }: { pool: Pool; keyRing: KeyRing; newId: NewId },
  urls: readonly string[],
): Promise<Target> {
  const environmentId = await environmentOf(pool);
  const channelId = newId('channel');
  await pool.query(`INSERT INTO channels (id, environment_id, name, updated_at) VALUES ($1, $2, 'Benchmark', now())`, [
    channelId,
    environmentId,
  ]);
  const subscriptionIds = urls.map(() => newId('subscription'));
  const { maxRetries, initialDelay, maxDelay, backoffMultiplier } = RETRY_POLICY;
  await pool.query(
    `INSERT INTO subscriptions (id, environment_id, channel_id, name, webhook_url, event_types, max_retries, initial_delay,
       max_delay, backoff_multiplier, updated_at)
     SELECT s.id, $2, $3, 'Benchmark', s.url, '{}', $5, $6, $7, $8, now()
     FROM unnest($1::text[], $4::text[]) AS s (id, url)`,
    [subscriptionIds, environmentId, channelId, urls, maxRetries, initialDelay, maxDelay, backoffMultiplier],
  );
  const sealed = subscriptionIds.map(() => sealSigningSecret(keyRing, newId('secret')).sealed);
  await pool.query(
    `INSERT INTO subscription_secrets (id, subscription_id, ciphertext)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[])`,
    [sealed.map(({ id }) => id), subscriptionIds, sealed.map(({ ciphertext }) => ciphertext)],
  );
  // Thousands of new rows at once: the result must not depend on whether autovacuum runs within its minute.
  if (subscriptionIds.length > 100) await pool.query('ANALYZE channels, subscriptions, subscription_secrets');
  return { channelId, subscriptionIds };
}

/** Returns the live environment that `start` has created. */
export async function environmentOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM environments WHERE kind = 'live' LIMIT 1`);
  const id = rows[0]?.id;
  if (id === undefined) throw new Error('This database has no live environment');
  return id;
}

/** Returns the unfinished deliveries of a target, waiting or in progress. */
export async function countUnfinished(pool: Pool, { subscriptionIds }: Target): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries WHERE due_at IS NOT NULL AND subscription_id = ANY ($1::text[])`,
    [subscriptionIds],
  );
  return rows[0]?.count ?? 0;
}
