import type { Pool } from 'pg';
import type { Logger } from 'pino';
import {
  type ConcurrencyGauge,
  forgetConcurrency,
  forgetConcurrencyOf,
  reportConcurrency,
} from './concurrency-store.ts';

// Whoever reads a subscription wants its current state. One row per second for each busy subscription is little
// compared with its deliveries.
const EVERY_MS = 1_000;
// While a snapshot is open in PostgreSQL (a dump), every change leaves a dead row behind, and each report costs more
// than the one before. Reports take at most a twentieth of the time, but are written at least this often.
const REST_AFTER = 20;
const LONGEST_REST_MS = 30_000;
// Rows per statement, which then takes a few ms and few locks.
const AT_ONCE = 1_000;

export type ConcurrencyReports = {
  /** Stops reporting and removes the rows. */
  stop(): Promise<void>;
};

/**
 * Once a second, stores this worker's limit and requests in flight for each subscription whose values have changed.
 * `gauges` returns the subscriptions to report; rows of all others are removed. A failed write is repeated the next
 * time.
 */
export function startReportingConcurrency({
  pool,
  incarnationId,
  log,
  gauges,
}: {
  pool: Pool;
  incarnationId: string;
  log: Logger;
  gauges: () => readonly ConcurrencyGauge[];
}): ConcurrencyReports {
  /** Stored values; undefined for a row whose last write may have failed. */
  const told = new Map<string, ConcurrencyGauge | undefined>();

  const report = async (): Promise<void> => {
    const present = new Map(gauges().map((gauge) => [gauge.subscriptionId, inWholeMs(gauge)]));
    const changed = [...present.values()].filter((gauge) => !isSame(told.get(gauge.subscriptionId), gauge));
    for (const some of inParts(changed)) {
      for (const { subscriptionId } of some) told.set(subscriptionId, undefined);
      await reportConcurrency(pool, incarnationId, some);
      for (const gauge of some) told.set(gauge.subscriptionId, gauge);
    }
    for (const some of inParts([...told.keys()].filter((id) => !present.has(id)))) {
      await forgetConcurrency(pool, incarnationId, some);
      for (const id of some) told.delete(id);
    }
  };

  let isStopped = false;
  let hasFailed = false;
  let timer: NodeJS.Timeout;
  let turn = Promise.resolve();

  const takeTurn = async (): Promise<void> => {
    const startedAt = performance.now();
    let restMs = EVERY_MS;
    try {
      await report();
      hasFailed = false;
      restMs = Math.min(LONGEST_REST_MS, Math.max(EVERY_MS, (performance.now() - startedAt) * REST_AFTER));
    } catch (error) {
      // Log once per outage.
      log[hasFailed ? 'debug' : 'warn']({ err: error }, 'could not store the concurrency of subscriptions; retrying');
      hasFailed = true;
    }
    if (!isStopped) rest(restMs);
  };
  const rest = (forMs: number): void => {
    timer = setTimeout(() => {
      turn = takeTurn();
    }, forMs);
  };
  rest(EVERY_MS);

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await turn;
      if (told.size === 0) return;
      await forgetConcurrencyOf(pool, [incarnationId]).catch((error: unknown) => {
        log.debug(
          { err: error },
          'could not remove the concurrency rows of this worker; they are removed when its lease expires',
        );
      });
    },
  };
}

const inWholeMs = (gauge: ConcurrencyGauge): ConcurrencyGauge => ({
  ...gauge,
  latencyMs: gauge.latencyMs === undefined ? undefined : Math.round(gauge.latencyMs),
});

const isSame = (told: ConcurrencyGauge | undefined, { limit, inFlight, latencyMs }: ConcurrencyGauge): boolean =>
  told !== undefined && told.limit === limit && told.inFlight === inFlight && told.latencyMs === latencyMs;

function inParts<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, n) => all.slice(n * AT_ONCE, (n + 1) * AT_ONCE));
}
