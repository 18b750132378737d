import type { Pool } from 'pg';

/**
 * Concurrency of one subscription in this process: limit, requests in flight, and mean latency of recent successful
 * responses in ms.
 */
export type ConcurrencyGauge = {
  subscriptionId: string;
  limit: number;
  inFlight: number;
  latencyMs: number | undefined;
};

/** Replaces a worker's report on subscriptions, each named once, in one statement. Latency in whole ms. */
export async function reportConcurrency(
  pool: Pool,
  incarnationId: string,
  gauges: readonly ConcurrencyGauge[],
): Promise<void> {
  await pool.query({
    name: 'report_concurrency',
    text: `INSERT INTO subscription_concurrency (subscription_id, incarnation_id, "limit", in_flight, latency_ms, seen_at)
      SELECT id, $1, "limit", in_flight, latency_ms, now()
      FROM unnest($2::text[], $3::int[], $4::int[], $5::int[]) AS g (id, "limit", in_flight, latency_ms)
      ON CONFLICT (subscription_id, incarnation_id) DO UPDATE
      SET "limit" = excluded."limit", in_flight = excluded.in_flight, latency_ms = excluded.latency_ms, seen_at = excluded.seen_at`,
    values: [
      incarnationId,
      gauges.map(({ subscriptionId }) => subscriptionId),
      gauges.map(({ limit }) => limit),
      gauges.map(({ inFlight }) => inFlight),
      gauges.map(({ latencyMs }) => latencyMs ?? null),
    ],
  });
}

/** Removes a worker's report on these subscriptions. */
export async function forgetConcurrency(
  pool: Pool,
  incarnationId: string,
  subscriptionIds: readonly string[],
): Promise<void> {
  await pool.query('DELETE FROM subscription_concurrency WHERE incarnation_id = $1 AND subscription_id = ANY ($2)', [
    incarnationId,
    subscriptionIds,
  ]);
}

/** Removes all reports of these workers. */
export async function forgetConcurrencyOf(pool: Pool, incarnationIds: readonly string[]): Promise<void> {
  await pool.query('DELETE FROM subscription_concurrency WHERE incarnation_id = ANY ($1)', [incarnationIds]);
}
