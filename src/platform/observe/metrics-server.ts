import { createServer, type ServerResponse } from 'node:http';
import { CONTENT_TYPE } from './page.ts';

/** Whether the role takes work, as /readyz tells it. */
export type Readied = { isReady: boolean; parts?: Record<string, string>; reasons: Record<string, string> };

export type MetricsServer = { port: number; stop(): Promise<void> };

/**
 * Serves /metrics, /healthz and /readyz at a port of their own, for Prometheus and for probes: without keys, so the port is for the
 * inner network only. Rejects when the port is taken.
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
      if (!response.headersSent) write(response, 500, 'The metrics could not be read; the log says why\n');
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
