import type { DatabaseReader } from '../../platform/db/client.ts';
import { ADAPTIVE_CONCURRENCY } from '../../kernel/rules/resource-bounds.ts';
import type { Concurrency, Subscription } from './schema.ts';

type Sums = { limit: number | null; inFlight: number | null; latencyMs: number | null };

/**
 * Reports of the living workers on a subscription (dispatch/admission/concurrency-store.ts), summed up. A worker that has not sent to it
 * lately counts with the part that it would begin with. With maxConcurrency the limit is that, however it is shared out.
 */
export async function findConcurrency(
  db: Pick<DatabaseReader, '$queryRaw'>,
  { id, maxConcurrency }: Pick<Subscription, 'id' | 'maxConcurrency'>,
): Promise<Concurrency> {
  const { start } = ADAPTIVE_CONCURRENCY;
  const [sums] = await db.$queryRaw<Sums[]>`
    SELECT round(sum(coalesce(c."limit", ${start}::float8 / living.workers)))::int AS limit,
      sum(c.in_flight)::int AS "inFlight", round(avg(c.latency_ms))::int AS "latencyMs"
    FROM (SELECT id, count(*) OVER () AS workers FROM incarnations WHERE expires_at > now()) AS living
    LEFT JOIN subscription_concurrency c ON c.subscription_id = ${id} AND c.incarnation_id = living.id`;
  const latencyMs = sums?.latencyMs ?? undefined;
  return {
    limit: maxConcurrency ?? sums?.limit ?? start,
    inFlight: sums?.inFlight ?? 0,
    ...(latencyMs !== undefined && { latencyMs }),
  };
}
