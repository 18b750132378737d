import type { Logger } from 'pino';
import { ConfigError } from '../../platform/config/config.ts';
import {
  type MetricsServer,
  type Readied,
  startMetricsServer,
  metricValuesOf,
  mergePages,
} from '../../platform/observe/metrics-server.ts';
import type { ObservedProcess } from '../observed-process.ts';
import { createProcessFigures } from './observe.ts';

type Source = { page: () => Promise<string>; ready: () => Promise<Readied> };

/** Listens on METRICS_PORT. Throws ConfigError if that port is in use. */
export async function serveMetrics(
  { port, host }: { port: number; host: string | undefined },
  log: Logger,
  source: Source,
): Promise<MetricsServer> {
  try {
    return await startMetricsServer({
      ...source,
      port,
      host,
      onFailure: (failure) => log.warn({ err: failure }, 'could not read the metrics; the next scrape will try again'),
    });
  } catch (failure) {
    throw new ConfigError(`METRICS_PORT: cannot listen on ${port}; set another port`, { cause: failure });
  }
}

/** The metrics page of a command with one process. */
export function metricsPageOf(observed: ObservedProcess): Source {
  let isReady = false;
  const { registry } = createProcessFigures(() => [{ state: isReady ? 'running' : 'starting' }]);
  const ready = async (): Promise<Readied> => {
    const found = await observed.ready();
    isReady ||= found.isReady;
    return found;
  };
  return {
    ready,
    async page() {
      if (!isReady) await ready();
      const { own, database = [], temporal } = await observed.page(true);
      return mergePages([own, database, await metricValuesOf(registry)], [temporal]);
    },
  };
}
