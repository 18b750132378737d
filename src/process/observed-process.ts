import { findFreePort } from '../../local/ports.ts';
import type { Config } from '../platform/config/config.ts';
import type { ServiceLog } from '../platform/log.ts';
import { createDatabaseFigures, type DatabaseFigures } from '../platform/observe/database-figures.ts';
import { createMeters, type Meters } from '../platform/observe/meters.ts';
import { type Readied, metricValuesOf, type ProcessPage } from '../platform/observe/metrics-server.ts';
import type { OwnAddresses } from '../platform/outbound/guard/own-addresses.ts';
import type { Readiness } from '../platform/readiness/readiness.ts';

// The SDK's page comes from this process itself. If it takes longer, it is left out of the scrape.
const TEMPORAL_WITHIN_MS = 2_000;

/** One service process, as its metrics and its probes see it. */
export type ObservedProcess = {
  meters: Meters;
  /** Where Temporal's SDK serves its metrics, on loopback. */
  temporalMetricsAddress: string;
  /** Reads the database metrics only `withDatabase`, since all processes would read the same. */
  page(withDatabase: boolean): Promise<ProcessPage>;
  /** Called once the command has started; from then on `readiness` says whether it accepts work. */
  show(readiness: Readiness): void;
  ready(): Promise<Readied>;
  close(): Promise<void>;
};

/** Returns undefined if METRICS_PORT is not set: nothing is counted then. */
export async function observeProcess({
  config,
  log,
  own,
}: {
  config: Config;
  log: ServiceLog;
  own: OwnAddresses;
}): Promise<ObservedProcess | undefined> {
  if (config.metricsPort === undefined) return undefined;
  const port = await findFreePort();
  own.add({ host: 'localhost', port });
  const address = `127.0.0.1:${port}`;
  const meters = createMeters();
  meters.readServers(log.outages.states);
  let database: DatabaseFigures | undefined;
  let readiness: Readiness | undefined;
  const tellFailure = (failure: unknown): void =>
    log.warn(
      { err: failure },
      'could not read the database metrics from PostgreSQL; the metrics page keeps their last values and will try again',
    );
  return {
    meters,
    temporalMetricsAddress: address,
    async page(withDatabase) {
      const { databaseUrl } = config;
      if (withDatabase && databaseUrl !== undefined) database ??= createDatabaseFigures(databaseUrl, tellFailure);
      const [ownFigures, temporal, ofDatabase] = await Promise.all([
        metricValuesOf(meters.registry),
        readTemporal(address),
        withDatabase ? database?.read() : undefined,
      ]);
      return { own: ownFigures, temporal, database: ofDatabase };
    },
    show(shown) {
      readiness = shown;
    },
    async ready() {
      if (readiness === undefined) return { isReady: false, reasons: { process: 'The process is starting' } };
      const { isReady, parts, reasons } = await readiness.look();
      return { isReady, parts, reasons };
    },
    close: async () => database?.close(),
  };
}

/** Empty in a command without Temporal, and before its SDK is loaded. */
async function readTemporal(address: string): Promise<string> {
  try {
    const answer = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(TEMPORAL_WITHIN_MS) });
    return await answer.text();
  } catch {
    return '';
  }
}
