import type { Client } from '@temporalio/client';
import { createPool } from '../platform/db/connection.ts';
import type { Dependencies } from '../platform/dependencies.ts';
import { messageOf, NotReady } from '../kernel/errors.ts';
import type { Outages, Watched } from '../platform/outages.ts';
import type { Limiter } from '../platform/rate-limits/limiter.ts';
import type { Tracing } from './otlp.ts';
import { redisTrouble } from '../platform/rate-limits/redis-counters.ts';
import { databaseTrouble } from '../platform/readiness/database-trouble.ts';
import { databaseCheck } from '../platform/readiness/start-checks.ts';
import type { TemporalSettings } from '../platform/temporal/connection.ts';
import { askNamespace } from '../platform/temporal/furnish.ts';
import { temporalTrouble } from '../platform/temporal/trouble.ts';

// A connection that takes longer counts as failed, and the check is repeated.
const CONNECT_WITHIN_MS = 2_000;
// ioredis's messages about a connection that worked before.
const LOST_REDIS = /isn't writeable|Connection is closed|timed out/;

type Watching = { outages: Pick<Outages, 'watch'> };

/** Watches PostgreSQL. `meanwhile` is what its absence means for this process. Returns a function that stops watching. */
export function watchPostgres(
  { outages }: Watching,
  { pool, config }: Pick<Dependencies, 'pool' | 'config'>,
  meanwhile: string,
): () => void {
  const { databaseUrl = '' } = config;
  // A pool whose connections are all in use or dead does not reply, so the check opens a new connection.
  const askAnew = async (): Promise<void> => {
    const single = createPool(databaseUrl, { max: 1, connectWithinMs: CONNECT_WITHIN_MS });
    try {
      await databaseCheck({ pool: single, config }).run();
    } finally {
      await single.end();
    }
  };
  return outages.watch('PostgreSQL', {
    ask: async (isAway) => {
      if (isAway) return askAnew();
      return databaseCheck({ pool, config }).run().catch(askAnew);
    },
    explain: (failure) =>
      (failure instanceof NotReady ? failure : databaseTrouble(failure, config))?.advice ?? messageOf(failure),
    meanwhile,
  });
}

/** Watches Temporal, whose namespace may be missing. */
export function watchTemporal({ outages }: Watching, client: Client, settings: TemporalSettings): () => void {
  const watched: Watched = {
    ask: () => client.withDeadline(Date.now() + CONNECT_WITHIN_MS, () => askNamespace(client, settings.namespace)),
    explain: (failure) => temporalTrouble(failure, settings).advice,
    meanwhile: 'deliveries wait in PostgreSQL and publishing continues',
  };
  return outages.watch('Temporal', watched);
}

/** Watches Redis, if rate limits are counted there. */
export function watchRedis({ outages }: Watching, { ask }: Limiter, redisUrl: string): () => void {
  return outages.watch('Redis', {
    ask: async () => ask?.(),
    explain: (failure) =>
      LOST_REDIS.test(messageOf(failure))
        ? `REDIS_URL: Redis at ${new URL(redisUrl).host} has closed the connection or does not respond; is it running?`
        : redisTrouble(redisUrl, failure),
    meanwhile: 'rate limits are counted by this process or its supervisor',
  });
}

/** Watches the trace collector. Nothing else in the service needs it. */
export function watchCollector({ outages }: Watching, { ask }: Pick<Tracing, 'ask'>, endpoint: string): () => void {
  return outages.watch('collector', {
    ask,
    explain: (failure) =>
      `OTEL_EXPORTER_OTLP_ENDPOINT: ${new URL(endpoint).host} does not accept spans (${messageOf(failure)}); is a collector running there, and may this service write to it?`,
    meanwhile: 'spans beyond the last 2,048 are dropped, and everything else continues',
  });
}
