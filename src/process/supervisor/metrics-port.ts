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

/** Listens at METRICS_PORT. Throws ConfigError when that port is taken. */
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
      onFailure: (failure) => log.warn({ err: failure }, 'the metrics could not be read; the next scrape tries again'),
    });
  } catch (failure) {
    throw new ConfigError(`METRICS_PORT: ${port} cannot be listened on; set another one`, { cause: failure });
  }
}

/** The page of a command with one process. */
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
