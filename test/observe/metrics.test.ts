import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { type MetricsServer, type Readied, startMetricsServer } from '../../src/platform/observe/metrics-server.ts';
import { ROOT, tableRowsOf } from '../docs/code-blocks.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { github, SECRET } from '../support/make/inbound-calls.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { type ApiProcess, endAllProcesses, prepareService, startService } from '../support/service/processes.ts';
import { createTestTemporal } from '../support/service/temporal.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { describeWithPrometheus, promtool, startPrometheus } from './prometheus.ts';

describe('metrics', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'posthorn-metrics-'));
  const MESSAGES = 6;
  let database: TestDatabase;
  let posthorn: ApiProcess;
  let receiver: Receiver;
  let metricsPort: number;
  let key: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { address } = createTestTemporal();
    const prepared = await prepareService(database.url, address);
    ({ key } = prepared);
    metricsPort = await findFreePort();
    posthorn = await startService({
      ...prepared.settings,
      TEMPORAL_NAMESPACE: 'metrics',
      DATA_FOLDER: dataFolder,
      PROCESSES: '2',
      METRICS_PORT: String(metricsPort),
    });
    receiver = await startReceiver({ answer: ({ path }) => (path.endsWith('/broken') ? 500 : 200) });
    const channel = await call('/v1/channels', { name: 'orders' });
    for (const path of ['/taken', '/broken'])
      await call('/v1/subscriptions', {
        channelId: channel.id,
        webhookUrl: `${receiver.url}${path}`,
        // Each message is one try, whatever became of those before.
        retryPolicy: { maxRetries: 0 },
        circuitBreaker: false,
      });
    for (let number = 0; number < MESSAGES; number += 1)
      await call(`/v1/channels/${channel.id}/messages`, { eventType: 'order.paid', payload: { number } });
    await runOnce();
    await askFromOutside(channel.id);
    await waitFor('every attempt and every end of a delivery to be counted', async () => {
      const { all, value } = await figures();
      return (
        sumOf(all, 'posthorn_delivery_attempts_total') === 2 * MESSAGES &&
        sumOf(all, 'posthorn_dead_letters_total') === MESSAGES &&
        value('posthorn_delivery_latency_seconds_count') === MESSAGES &&
        value('posthorn_run_duration_seconds_count') === 1
      );
    });
  }, 200_000);
  afterAll(async () => {
    await endAllProcesses();
    await receiver.close();
    await database.drop();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  /** A run of two steps, the second of which fails it. */
  async function runOnce(): Promise<void> {
    const { id } = await call('/v1/workflows', {
      name: 'two steps',
      trigger: { type: 'manual' },
      steps: [
        { id: 'first', type: 'action' },
        { id: 'last', type: 'end', config: { status: 'failed' } },
      ],
    });
    await call(`/v1/workflows/${id}/activate`, {});
    await call(`/v1/workflows/${id}/runs`, {});
  }

  /** A ping of GitHub's to an inbound webhook, which makes no message, and one that is signed with another secret. */
  async function askFromOutside(channelId: string): Promise<void> {
    const body = '{"zen":"Speak like a human."}';
    const { id } = await call('/v1/webhooks', { name: 'in', channelId, provider: 'github', secrets: [SECRET] });
    for (const secret of [SECRET, 'known to nobody here'])
      await fetch(`${posthorn.url}/v1/webhooks/${id}`, {
        method: 'POST',
        headers: { ...github(body, 'd-1', secret), 'x-github-event': 'ping' },
        body,
      });
  }

  async function call(path: string, body: unknown): Promise<{ id: string }> {
    const answer = await fetch(posthorn.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    // `as`: the resource that was made.
    return (await answer.json()) as { id: string };
  }

  type Samples = ReadonlyMap<string, number>;
  const atMetricsPort = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${metricsPort}${path}`);
  const readPage = async (): Promise<string> => (await atMetricsPort('/metrics')).text();

  async function figures(): Promise<{ all: Samples; value: (series: string) => number | undefined }> {
    const lines = (await readPage()).split('\n').filter((line) => /^[a-z]/.test(line));
    const all = new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
    );
    return { all, value: (series) => all.get(series) };
  }
  const sumOf = (all: Samples, name: string): number =>
    [...all].reduce((sum, [series, value]) => sum + (series.startsWith(`${name}{`) || series === name ? value : 0), 0);

  test('one page has the sums of all processes: requests, publishes, attempts, latencies and dead letters', async () => {
    // A process that does not answer within four seconds is left out of a page.
    const { all, value } = await waitFor('a page of both processes', async () => {
      const page = await figures();
      const isWhole = sumOf(page.all, 'posthorn_delivery_attempts_total') === 2 * MESSAGES;
      return isWhole && page.value('posthorn_database_up') === 1 && page;
    });
    const route = '/v1/channels/:channelId/messages';
    expect(value(`posthorn_http_requests_total{method="POST",route="${route}",status="202"}`)).toBe(MESSAGES);
    expect(value('posthorn_messages_published_total')).toBe(MESSAGES);
    expect(value('posthorn_publish_commit_duration_seconds_count')).toBe(MESSAGES);
    expect(value('posthorn_delivery_attempts_total{outcome="delivered",error_class="none"}')).toBe(MESSAGES);
    expect(sumOf(all, 'posthorn_delivery_attempts_total')).toBe(2 * MESSAGES);
    expect(value('posthorn_delivery_first_attempt_delay_seconds_count')).toBe(2 * MESSAGES);
    expect(value('posthorn_delivery_latency_seconds_count')).toBe(MESSAGES);
    expect(value('posthorn_dead_letters_total{reason="exhausted"}')).toBe(MESSAGES);
    expect(value('posthorn_runs_started_total{trigger="manual"}')).toBe(1);
    expect(value('posthorn_runs_finished_total{status="failed"}')).toBe(1);
    expect(value('posthorn_run_steps_total{type="action",outcome="completed"}')).toBe(1);
    expect(value('posthorn_run_steps_total{type="end",outcome="completed"}')).toBe(1);
    expect(value('posthorn_inbound_requests_total{sender="github",outcome="handshake"}')).toBe(1);
    expect(value('posthorn_inbound_requests_total{sender="github",outcome="signature_wrong"}')).toBe(1);
    expect(value('posthorn_processes{state="running"}')).toBe(2);
    expect(value('posthorn_process_restarts_total')).toBe(0);
    expect(value('posthorn_database_up')).toBe(1);
    expect(value('posthorn_dependency_up{dependency="PostgreSQL"}')).toBe(1);
    expect(value('posthorn_dependency_up{dependency="Temporal"}')).toBe(1);
    expect(value('posthorn_table_size_bytes{table="deliveries"}')).toBeGreaterThan(0);
    expect(value('posthorn_retention_overdue_seconds{kind="messages"}')).toBe(0);
    expect(sumOf(all, 'posthorn_database_sessions')).toBeGreaterThan(0);
    expect(sumOf(all, 'temporal_request_total')).toBeGreaterThan(0);
  });

  // The two processes read PostgreSQL by turns, and each keeps what it has read for ten seconds.
  test('a run that has ended is no longer under way, and a delivery without retries waits for none', () =>
    waitFor('both gauges to be 0', async () => {
      const { value } = await figures();
      return value('posthorn_runs{state="running"}') === 0 && value('posthorn_due_deliveries{state="retry"}') === 0;
    }));

  test('no label holds an id or a raw path', async () => {
    await fetch(`${posthorn.url}/v1/channels/no-such-channel-of-mine`, { headers: { Authorization: `Bearer ${key}` } });
    const page = await readPage();
    expect(page).not.toMatch(/"[^"]*\b(?:ch|chn|sub|msg|del|dlv|inc|env|org|app|key)_[0-9A-Za-z]{10,}/);
    expect(page).not.toContain('no-such-channel-of-mine');
  });

  test('probes are answered at the metrics port, and nothing else', async () => {
    const answers = await Promise.all(['/healthz', '/readyz', '/v1/channels'].map(atMetricsPort));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(await answers[1]?.json()).toMatchObject({ status: 'ready', parts: { database: 'up', temporal: 'up' } });
  });

  test('docs/reference/metrics.md lists every metric of ours, and no other', async () => {
    const exported = [...(await readPage()).matchAll(/^# TYPE (posthorn_\w+) (\w+)$/gm)];
    const named = tableRowsOf('docs/reference/metrics.md').map(([name = '', type = '']) => [
      name.replaceAll('`', ''),
      type,
    ]);
    const ours = named.filter(([name = '']) => name.startsWith('posthorn_')).map(([name, type]) => `${name} ${type}`);
    expect(ours.sort()).toEqual(exported.map(([, name, type]) => `${name} ${type}`).sort());
  });

  describeWithPrometheus('a real Prometheus', () => {
    test('every alert rule fires on the series that it is for, and is silent before', () => {
      for (const args of [
        ['check', 'rules', 'alerts.yml'],
        ['test', 'rules', 'alerts.test.yml'],
      ]) {
        const file = args.pop() ?? '';
        const { isGood, output } = promtool(...args, `${ROOT}deploy/observe/${file}`);
        expect({ output, isGood }).toMatchObject({ isGood: true });
      }
      const names = (file: string, pattern: RegExp): Set<string | undefined> =>
        new Set([...readFileSync(`${ROOT}deploy/observe/${file}`, 'utf8').matchAll(pattern)].map((match) => match[1]));
      expect(names('alerts.test.yml', /alertname: (\w+)/g)).toEqual(names('alerts.yml', /alert: (\w+)/g));
    });

    test('runs every expression of the dashboard and of the alert rules, over metrics that are exported', async () => {
      const prometheus = await startPrometheus(metricsPort);
      try {
        const exported = new Set(
          [...(await readPage()).matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
            type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
          ),
        );
        const expressions = expressionsOf();
        expect(expressions.length).toBeGreaterThan(30);
        for (const expression of expressions) {
          await prometheus.query(expression);
          for (const [name] of expression.matchAll(/\b(?:posthorn|temporal|nodejs|process)_\w+/g))
            expect([expression, name, exported.has(name)]).toEqual([expression, name, true]);
        }
        // An attempt is counted before its record is committed, and the backlog is read every few seconds: earlier scrapes may show a
        // claim.
        await waitFor('Prometheus to see that nothing is due', async () => {
          const [due] = await prometheus.query('max(posthorn_due_deliveries)');
          return due?.value[1] === '0';
        });
      } finally {
        await prometheus.stop();
      }
    });
  });

  function expressionsOf(): string[] {
    const rules = readFileSync(`${ROOT}deploy/observe/alerts.yml`, 'utf8');
    // `as`: Grafana's own format, of which the test needs the targets.
    const { panels } = JSON.parse(readFileSync(`${ROOT}deploy/observe/dashboard.json`, 'utf8')) as {
      panels: { targets: { expr: string }[] }[];
    };
    return [
      ...[...rules.matchAll(/^ +expr: (.+)$/gm)].map((match) => match[1] ?? ''),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
  }
});

describe('metrics server', () => {
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
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { status: 'unavailable', reasons: { database: 'away' } },
    ]);
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
});
