import { createServer, type ServerResponse } from 'node:http';
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';

/** Whether the command accepts work, as in /readyz. */
export type Readied = { isReady: boolean; parts?: Record<string, string>; reasons: Record<string, string> };

export type MetricsServer = { port: number; stop(): Promise<void> };

/**
 * Serves /metrics, /healthz and /readyz on a separate port, for Prometheus and probes. There is no authentication, so the port must
 * stay inside the network. Rejects if the port is in use.
 */
export function startMetricsServer({
  port,
  host,
  page,
  ready,
  onFailure,
}: {
  port: number;
  /** Default: every address of this machine. */
  host?: string | undefined;
  page: () => Promise<string>;
  ready: () => Promise<Readied>;
  onFailure: (failure: unknown) => void;
}): Promise<MetricsServer> {
  const answer = async (path: string, response: ServerResponse): Promise<void> => {
    if (path === '/metrics') return write(response, 200, await page(), CONTENT_TYPE);
    if (path === '/healthz') return writeJson(response, 200, { status: 'ok' });
    if (path !== '/readyz') return write(response, 404, 'Only /metrics, /healthz and /readyz are served here\n');
    const { isReady, ...found } = await ready();
    return writeJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'unavailable', ...found });
  };
  const server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return write(response, 405, 'Only GET and HEAD are allowed here\n');
    }
    answer((request.url ?? '').replace(/\?.*$/s, ''), response).catch((failure: unknown) => {
      onFailure(failure);
      if (!response.headersSent) write(response, 500, 'Could not read the metrics; see the log\n');
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', reject);
      resolve({
        port,
        stop: () =>
          new Promise((ended) => {
            server.close(() => ended());
            // A scraper keeps its connection open between two scrapes.
            server.closeAllConnections();
          }),
      });
    });
  });
}

function write(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text);
}

const writeJson = (response: ServerResponse, status: number, body: object): void =>
  write(response, status, `${JSON.stringify(body)}\n`, 'application/json');

/** Metrics of one registry, in the form in which they are sent to a supervisor. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Everything that a service process reports at a scrape. */
export type ProcessPage = {
  own: MetricValues;
  /** Database metrics, which are the same for all processes, so only one of a command is asked. */
  database: MetricValues | undefined;
  /** The page of Temporal's SDK. */
  temporal: string;
};

export const metricValuesOf = async (registry: Registry): Promise<MetricValues> =>
  // `as`: its declaration omits the values that its own aggregation reads.
  (await registry.getMetricsAsJSON()) as unknown as MetricValues;

/** Prometheus's text format, version 0.0.4. */
const CONTENT_TYPE = AggregatorRegistry.PROMETHEUS_CONTENT_TYPE;

/** Merges several pages into one: counters, histograms and most gauges are summed; a gauge's aggregator may say otherwise. */
export async function mergePages(figures: readonly MetricValues[], temporal: readonly string[]): Promise<string> {
  const merged = AggregatorRegistry.aggregate(figures.map((each) => each.map(copyOf)));
  return `${await merged.metrics()}\n${mergeTexts(temporal)}`;
}

// Aggregation modifies its input, and the values of a dead process are added again at each scrape.
const copyOf = (metric: MetricValues[number]): MetricValues[number] => ({
  ...metric,
  values: metric.values.map((value) => ({ ...value })),
});

/**
 * What a dead process has counted is kept: otherwise a sum over processes would fall, and Prometheus would take that for a restart of
 * all.
 */
export const countedOf = (figures: MetricValues): MetricValues =>
  figures.filter(({ type }) => String(type) === 'counter' || String(type) === 'histogram');

// The SDK puts the task queue into every series. The queue of one process contains the worker's id, so a restart would add series.
const OWN_QUEUE = /(task_queue="[^"]*?)inc_[^"]*"/g;

/** Sums pages in text format, series by series. Each family is described once. */
export function mergeTexts(texts: readonly string[]): string {
  const described = new Map<string, string[]>();
  const series = new Map<string, Map<string, number>>();
  for (const text of texts) {
    let family = '';
    for (const line of text.split('\n')) {
      if (line.startsWith('# ')) {
        family = line.split(' ')[2] ?? '';
        const lines = described.get(family) ?? [];
        if (!lines.includes(line)) described.set(family, [...lines, line]);
        continue;
      }
      const space = line.lastIndexOf(' ');
      if (space < 1) continue;
      const name = line.slice(0, space).replace(OWN_QUEUE, '$1process"');
      const values = series.get(family) ?? new Map<string, number>();
      series.set(family, values);
      values.set(name, (values.get(name) ?? 0) + Number(line.slice(space + 1)));
    }
  }
  return [...series]
    .map(([family, values]) =>
      [...(described.get(family) ?? []), ...[...values].map(([name, value]) => `${name} ${value}`), ''].join('\n'),
    )
    .join('');
}
