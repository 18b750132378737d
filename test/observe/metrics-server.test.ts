import { afterEach, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { type MetricsServer, type Readied, startMetricsServer } from '../../src/observe/metrics-server.ts';

let server: MetricsServer | undefined;
afterEach(() => server?.stop());

const READY: Readied = { isReady: true, reasons: {} };
async function serve(given: { page?: () => Promise<string>; ready?: () => Promise<Readied> }): Promise<{
  ask: (path: string, method?: string) => Promise<Response>;
  failures: unknown[];
}> {
  const failures: unknown[] = [];
  server = await startMetricsServer({
    port: await findFreePort(),
    page: async () => 'one 1\n',
    ready: async () => READY,
    onFailure: (failure) => failures.push(failure),
    ...given,
  });
  const { port } = server;
  return { ask: (path, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method }), failures };
}

test('the page has the type that Prometheus asks for, and is kept by nobody', async () => {
  const { ask } = await serve({});
  const answer = await ask('/metrics?format=prometheus');
  expect([answer.status, await answer.text()]).toEqual([200, 'one 1\n']);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('a process that lives answers its probe, and tells by the other one whether it takes work', async () => {
  const { ask } = await serve({ ready: async () => ({ isReady: false, reasons: { database: 'away' } }) });
  expect(await (await ask('/healthz')).json()).toEqual({ status: 'ok' });
  const answer = await ask('/readyz');
  expect([answer.status, await answer.json()]).toEqual([503, { status: 'unavailable', reasons: { database: 'away' } }]);
});

test('other paths and methods are refused', async () => {
  const { ask } = await serve({});
  expect((await ask('/')).status).toBe(404);
  const answer = await ask('/metrics', 'POST');
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect(await (await ask('/metrics', 'HEAD')).text()).toBe('');
});

test('a page that cannot be read is a 500 without its reason, which the log has', async () => {
  const failure = new Error('secret of the inner network');
  const { ask, failures } = await serve({ page: () => Promise.reject(failure) });
  const answer = await ask('/metrics');
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain('secret');
  expect(failures).toEqual([failure]);
});

test('a taken port is a failure of the start', async () => {
  await serve({});
  const port = server?.port ?? 0;
  const again = startMetricsServer({ port, page: async () => '', ready: async () => READY, onFailure: () => {} });
  await expect(again).rejects.toThrow('EADDRINUSE');
});
