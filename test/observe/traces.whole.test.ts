import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import { tableRowsOf } from '../docs/code-blocks.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import {
  type ApiProcess,
  endAllProcesses,
  type PosthornProcess,
  prepareService,
  startApiProcess,
  startService,
  startWorkerProcess,
} from '../support/service/processes.ts';
import { createTestTemporal } from '../support/service/temporal.ts';
import { type Collector, type SeenSpan, startCollector } from '../support/world/collector.ts';
import { makesAt } from '../support/world/process-calls.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

describe('traces', () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'posthorn-traces-'));
  const PAYLOAD = 'payload-nobody-may-read';
  const PATH_TOKEN = 'token-in-the-path';
  const PUBLISHER = 'b7ad6b7169203331';
  let database: TestDatabase;
  let posthorn: ApiProcess;
  let receiver: Receiver;
  let collector: Collector;
  let key: string;
  let channelId: string;
  let fails = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    collector = await startCollector();
    const headersFile = join(dataFolder, 'collector-headers');
    writeFileSync(headersFile, 'x-collector-token=token-of-the%2Dcollector\n');
    const prepared = await prepareService(database.url, createTestTemporal().address);
    ({ key } = prepared);
    posthorn = await startService({
      ...prepared.settings,
      TEMPORAL_NAMESPACE: 'traces',
      DATA_FOLDER: dataFolder,
      LOG_LEVEL: 'debug',
      PROCESSES: '1',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS_FILE: headersFile,
      // A collector that is away is told of within the time of a test.
      OTEL_EXPORTER_OTLP_TIMEOUT: '10000',
      OTEL_BSP_SCHEDULE_DELAY: '50',
      // Without it, traces beyond the first ten of a second are left out.
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    receiver = await startReceiver({
      answer: () => {
        fails -= 1;
        return fails >= 0 ? 503 : 200;
      },
    });
    channelId = (await call('/v1/channels', { name: 'orders' })).id;
    await call('/v1/subscriptions', {
      channelId,
      webhookUrl: `${receiver.url}/${PATH_TOKEN}`,
      retryPolicy: { maxRetries: 3, initialDelay: 1_000, maxDelay: 1_000 },
    });
  }, 200_000);
  afterAll(async () => {
    await endAllProcesses();
    await receiver.close();
    await collector.stop();
    await database.drop();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  const call = makesAt(() => ({ url: posthorn.url, key }));

  const publish = (traceparent?: string): Promise<{ id: string }> =>
    call(
      `/v1/channels/${channelId}/messages`,
      { eventType: 'order.paid', payload: { text: PAYLOAD } },
      traceparent === undefined ? {} : { traceparent },
    );

  const traceOf = (traceId: string): SeenSpan[] => collector.spans.filter((span) => span.traceId === traceId);
  /** The only one of that name. */
  function only(spans: readonly SeenSpan[], name: string): SeenSpan {
    const [span, another] = spans.filter((each) => each.name === name);
    if (span === undefined || another !== undefined)
      throw new Error(`${spans.map((each) => each.name).join()}: ${name}`);
    return span;
  }
  /** The trace of a message, once its delivery has ended. */
  const wholeTrace = async (messageId: string): Promise<SeenSpan[]> => {
    const ended = await waitFor('the span of the delivery', () =>
      collector.spans.find(
        ({ name, attributes }) => name === 'deliver' && attributes['messaging.message.id'] === messageId,
      ),
    );
    return traceOf(ended.traceId);
  };
  const lines = (): Record<string, unknown>[] =>
    posthorn
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      // `as`: a line of the log.
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  /** Parts of W3C Trace Context that the receiver was sent. */
  const sentTo = (messageId: string): { traceId: string; parentId: string; flags: string }[] =>
    receiver.requests
      .filter(({ headers }) => headers['webhook-id'] === messageId)
      .map(({ headers }) => {
        const [, traceId = '', parentId = '', flags = ''] = String(headers['traceparent']).split('-');
        return { traceId, parentId, flags };
      });

  test('a trace goes from its publisher through request, commit, delivery and attempt to the request of the receiver', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { id } = await publish(`00-${traceId}-${PUBLISHER}-01`);
    const spans = await wholeTrace(id);
    const parentOf = ({ parentId }: SeenSpan): string =>
      spans.find(({ spanId }) => spanId === parentId)?.name ?? parentId;
    const request = 'POST /v1/channels/:channelId/messages';
    expect(spans).toHaveLength(6);
    expect(Object.fromEntries(spans.map((span) => [span.name, [span.kind, parentOf(span)]]))).toEqual({
      [request]: ['server', PUBLISHER],
      publish: ['producer', request],
      'commit publishes': ['client', 'publish'],
      deliver: ['internal', 'publish'],
      attempt: ['internal', 'deliver'],
      POST: ['client', 'attempt'],
    });
    expect(sentTo(id)).toEqual([{ traceId, parentId: only(spans, 'POST').spanId, flags: '01' }]);
    expect(spans.every(({ startedAt, endedAt, isError }) => startedAt <= endedAt && !isError)).toBe(true);
  });

  test('spans have the attributes of the conventions and our ids, and nothing of payloads, secrets or URLs', async () => {
    const { id } = await publish();
    const spans = await wholeTrace(id);
    const ofDelivery = {
      'messaging.system': 'posthorn',
      'messaging.destination.name': channelId,
      'messaging.message.id': id,
      'posthorn.delivery.id': expect.stringMatching(/^dlv_/),
      'posthorn.delivery.round': 1,
      'posthorn.subscription.id': expect.stringMatching(/^sub_/),
      'posthorn.delivery.status': 'delivered',
      temporalWorkflowID: expect.stringMatching(/^(delivery|drain)/),
    };
    const { port } = new URL(receiver.url);
    const byName = Object.fromEntries(spans.map(({ name, attributes }) => [name, attributes]));
    expect(byName).toEqual({
      'POST /v1/channels/:channelId/messages': {
        'http.request.method': 'POST',
        'http.route': '/v1/channels/:channelId/messages',
        'http.response.status_code': 202,
        'posthorn.request.id': expect.stringMatching(/^req_/),
      },
      publish: {
        'messaging.system': 'posthorn',
        'messaging.operation.name': 'publish',
        'messaging.operation.type': 'send',
        'messaging.destination.name': channelId,
        'messaging.message.id': id,
      },
      'commit publishes': { 'db.system.name': 'postgresql' },
      deliver: ofDelivery,
      attempt: { ...ofDelivery, 'posthorn.attempt.number': 1 },
      POST: {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'server.address': '127.0.0.1',
        'server.port': Number(port),
      },
    });
    expect(spans[0]?.resource).toMatchObject({
      'service.name': 'posthorn',
      'posthorn.role': 'start',
      'deployment.environment.name': 'test',
    });
    const sent = collector.text();
    expect(sent).toContain(id);
    for (const secret of [PAYLOAD, PATH_TOKEN, key, 'whsec_', 'token-of-the-collector'])
      expect(sent).not.toContain(secret);
    expect(collector.headers[0]?.['x-collector-token']).toBe('token-of-the-collector');
  });

  test('each try is an attempt of the same delivery, with its error and its number', async () => {
    fails = 1;
    const { id } = await publish();
    const spans = await wholeTrace(id);
    const deliver = only(spans, 'deliver');
    const attempts = spans.filter(({ name }) => name === 'attempt').toSorted((a, b) => a.startedAt - b.startedAt);
    expect(attempts.map(({ parentId, isError, attributes }) => [parentId, isError, attributes['error.type']])).toEqual([
      [deliver.spanId, true, 'status'],
      [deliver.spanId, false, undefined],
    ]);
    const requests = attempts.map(({ spanId }) => spans.find(({ parentId }) => parentId === spanId));
    expect(
      requests.map((span) => [
        span?.attributes['http.response.status_code'],
        span?.attributes['http.request.resend_count'],
        span?.attributes['error.type'],
      ]),
    ).toEqual([
      [503, undefined, '503'],
      [200, 1, undefined],
    ]);
    expect(sentTo(id).map(({ parentId }) => parentId)).toEqual(requests.map((span) => span?.spanId));
    expect(deliver.endedAt - deliver.startedAt).toBeGreaterThanOrEqual(1_000);
  });

  test('requests that are committed together are linked with their group commit', async () => {
    const commit = await waitFor('a group of several', async () => {
      const ids = (await Promise.all(Array.from({ length: 12 }, async () => publish()))).map(({ id }) => id);
      for (const id of ids) await wholeTrace(id);
      return collector.spans.find(({ name, links }) => name === 'commit publishes' && links.length > 0);
    });
    expect(commit.attributes['db.operation.batch.size']).toBe(commit.links.length + 1);
    for (const { traceId, spanId } of commit.links) {
      const publishing = only(traceOf(traceId), 'publish');
      expect(publishing).toMatchObject({ spanId, links: [{ traceId: commit.traceId, spanId: commit.spanId }] });
    }
    expect(only(traceOf(commit.traceId), 'publish').spanId).toBe(commit.parentId);
  });

  test('a publisher that does not record its trace has none recorded here, and the receiver is told so', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const { id } = await publish(`00-${traceId}-${PUBLISHER}-00`);
    await wholeTrace((await publish()).id);
    await waitFor('its request', () => sentTo(id).length > 0);
    expect(sentTo(id)).toMatchObject([{ traceId, flags: '00' }]);
    expect(traceOf(traceId)).toEqual([]);
  });

  test('the lines of the log about a request and a delivery have the trace id, as its spans have', async () => {
    const { id } = await publish();
    const spans = await wholeTrace(id);
    const { traceId } = only(spans, 'deliver');
    const requestId = spans.find(({ kind }) => kind === 'server')?.attributes['posthorn.request.id'];
    const made = await waitFor('the line of the attempt', () => lines().find(({ messageId }) => messageId === id));
    expect(made).toMatchObject({ traceId, deliveryId: only(spans, 'deliver').attributes['posthorn.delivery.id'] });
    expect(lines().find((line) => line['requestId'] === requestId)).toMatchObject({ traceId, status: 202 });
  });

  test('probes make no spans, and no webhook may go to the collector', async () => {
    for (const path of ['/healthz', '/readyz']) await fetch(posthorn.url + path);
    await expect(call('/v1/subscriptions', { channelId, webhookUrl: `${collector.url}/v1/traces` })).rejects.toThrow(
      'INVALID_REQUEST',
    );
    await waitFor('the span of the refusal', () =>
      collector.spans.some(({ attributes }) => attributes['http.response.status_code'] === 400),
    );
    expect(collector.spans.filter(({ name }) => name.endsWith('z'))).toEqual([]);
  });

  test('a collector that is away costs one line when it goes and one when it is back, and nothing else', async () => {
    const told = (): string[] => lines().flatMap(({ server, msg }) => (server === 'collector' ? [String(msg)] : []));
    await collector.stop();
    for (let number = 0; number < 5; number += 1) await publish();
    await waitFor('the line about the outage', () => told().length === 1, 120_000);
    expect(told()[0]).toMatch(
      /^collector is unavailable: OTEL_EXPORTER_OTLP_ENDPOINT: 127\.0\.0\.1:\d+ does not accept spans/,
    );
    const { id } = await publish();
    await waitFor('a delivery meanwhile', () => sentTo(id).length > 0);
    await collector.start();
    await waitFor('the line about its end', () => told().length > 1, 120_000);
    expect(told()).toHaveLength(2);
    expect(told()[1]).toMatch(/^collector is available again after /);
    await wholeTrace((await publish()).id);
  });

  test('a stop hands out the spans that wait, and does not wait for a collector that hangs', async () => {
    const { id } = await publish();
    await waitFor('its request', () => sentTo(id).length > 0);
    collector.hangs = true;
    const { exitCode, afterMs } = await posthorn.end('SIGTERM');
    expect(exitCode).toBe(0);
    // Three seconds for the collector, and the rest for a busy machine; a request to it may last for ten.
    expect(afterMs).toBeLessThan(30_000);
    expect(only(await wholeTrace(id), 'deliver').isError).toBe(false);
  });
});

describe('two roles', () => {
  /*
   * `api` and `worker` as an operator runs them: two commands, each with a metrics port of its own and both with one collector of traces.
   * The other files here try `start`, which has both roles in one process.
   */

  const dataFolder = mkdtempSync(join(tmpdir(), 'posthorn-two-roles-'));
  const PUBLISHER = 'b7ad6b7169203331';
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4737';
  type RoleName = 'api' | 'worker';

  let database: TestDatabase;
  let collector: Collector;
  let receiver: Receiver;
  let api: ApiProcess;
  let worker: PosthornProcess;
  let key: string;
  let channelId: string;
  let messageId: string;
  const ports: Record<RoleName, number> = { api: 0, worker: 0 };

  beforeAll(async () => {
    database = await createTestDatabase();
    collector = await startCollector();
    receiver = await startReceiver();
    const prepared = await prepareService(database.url, createTestTemporal().address);
    ({ key } = prepared);
    const settings = {
      ...prepared.settings,
      TEMPORAL_NAMESPACE: 'two-roles',
      DATA_FOLDER: dataFolder,
      PROCESSES: '1',
      LOG_LEVEL: 'debug',
      LISTEN_HOST: '127.0.0.1',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
    ports.api = await findFreePort();
    api = await startApiProcess({ ...settings, METRICS_PORT: String(ports.api) });
    ports.worker = await findFreePort();
    worker = await startWorkerProcess({ ...settings, METRICS_PORT: String(ports.worker) });
    channelId = (await call('/v1/channels', { name: 'orders' })).id;
    await call('/v1/subscriptions', { channelId, webhookUrl: receiver.url });
    const message = { eventType: 'order.paid', payload: { number: 1 } };
    ({ id: messageId } = await call(`/v1/channels/${channelId}/messages`, message, {
      traceparent: `00-${TRACE}-${PUBLISHER}-01`,
    }));
    await waitFor('the delivery to be traced', () => spans().some(({ name }) => name === 'deliver'));
  }, 400_000);
  afterAll(async () => {
    await endAllProcesses();
    await receiver.close();
    await collector.stop();
    await database.drop();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  const call = makesAt(() => ({ url: api.url, key }));

  const at = (role: RoleName, path: string): Promise<Response> => fetch(`http://127.0.0.1:${ports[role]}${path}`);
  const spans = (): SeenSpan[] => collector.spans.filter(({ traceId }) => traceId === TRACE);

  /** Families of a role's page that have a series, and series that are not 0. */
  async function pageOf(role: RoleName): Promise<{ families: string[]; counted: string[] }> {
    const page = await (await at(role, '/metrics')).text();
    const lines = page.split('\n').filter((line) => /^[a-z]/.test(line));
    const nameOf = (line: string): string => /^\w+/.exec(line)?.[0] ?? '';
    return {
      families: [...page.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name = '']) => name),
      counted: [...new Set(lines.filter((line) => !line.endsWith(' 0')).map(nameOf))],
    };
  }

  /** Counted where it happens: a request and a publish by the API, a try and its record by the worker. */
  const COUNTED_BY: Record<RoleName, string[]> = {
    api: [
      'posthorn_http_requests_total',
      'posthorn_http_request_duration_seconds_count',
      'posthorn_messages_published_total',
      'posthorn_publish_commit_duration_seconds_count',
      'posthorn_rate_limit_decisions_total',
    ],
    worker: [
      'posthorn_delivery_attempts_total',
      'posthorn_delivery_attempt_duration_seconds_count',
      'posthorn_delivery_first_attempt_delay_seconds_count',
      'posthorn_delivery_latency_seconds_count',
      'posthorn_claims_total',
      'posthorn_claimed_deliveries_total',
      'temporal_request',
    ],
  };

  /** Told by both: what it uses, and PostgreSQL as it sees it. */
  const OF_BOTH = [
    'posthorn_database_connections',
    'posthorn_database_connections_max',
    'posthorn_processes',
    'posthorn_database_up',
    'posthorn_table_size_bytes',
    'nodejs_eventloop_lag_max_seconds',
    'process_cpu_seconds_total',
  ];

  test.each(['api', 'worker'] as const)(
    '%s has every family of docs/reference/metrics.md at its metrics port',
    async (role) => {
      const named = tableRowsOf('docs/reference/metrics.md').map(([name = '']) => name.replaceAll('`', ''));
      const { families } = await pageOf(role);
      expect(named.filter((name) => name.startsWith('posthorn_') && !families.includes(name))).toEqual([]);
    },
  );

  test.each([
    ['api', 'worker'],
    ['worker', 'api'],
  ] as const)('%s counts what it does, and nothing of what %s does', async (role, other) => {
    const isIn = (counted: readonly string[]) => (name: string) => counted.some((each) => each.startsWith(name));
    await waitFor(`everything that ${role} counts`, async () => {
      const { counted } = await pageOf(role);
      return [...COUNTED_BY[role], ...OF_BOTH].every(isIn(counted));
    });
    const { counted } = await pageOf(role);
    // The API is a client of Temporal too.
    const elsewhere = COUNTED_BY[other].filter((name) => !name.startsWith('temporal_'));
    expect(elsewhere.filter(isIn(counted))).toEqual([]);
  });

  /** Servers without which a role takes no work: publishing goes on without Temporal. */
  const NEEDED_BY = { api: { database: 'up' }, worker: { database: 'up', temporal: 'up' } };

  test.each(['api', 'worker'] as const)('%s answers probes at its metrics port, and nothing else', async (role) => {
    const answers = await Promise.all(['/healthz', '/readyz', '/v1/channels'].map((path) => at(role, path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(await answers[0]?.json()).toEqual({ status: 'ok' });
    expect(await answers[1]?.json()).toMatchObject({ status: 'ready', parts: NEEDED_BY[role] });
  });

  test('one trace leads from the publisher through the API into the worker and on to the receiver', async () => {
    const whole = await waitFor('the spans of both processes', () => spans().length >= 6 && spans());
    const request = 'POST /v1/channels/:channelId/messages';
    const parentOf = ({ parentId }: SeenSpan): string =>
      whole.find(({ spanId }) => spanId === parentId)?.name ?? parentId;
    const roleOf = ({ resource }: SeenSpan): unknown => resource['posthorn.role'];
    expect(Object.fromEntries(whole.map((span) => [span.name, [roleOf(span), parentOf(span)]]))).toEqual({
      [request]: ['api', PUBLISHER],
      publish: ['api', request],
      'commit publishes': ['api', 'publish'],
      deliver: ['worker', 'publish'],
      attempt: ['worker', 'deliver'],
      POST: ['worker', 'attempt'],
    });
    expect(whole).toHaveLength(6);
    const sent = receiver.requests.find(({ headers }) => headers['webhook-id'] === messageId);
    const post = whole.find(({ name }) => name === 'POST');
    expect(sent?.headers['traceparent']).toBe(`00-${TRACE}-${post?.spanId}-01`);
  });

  test('the lines of both logs about the message have its trace id', async () => {
    const linesOf = ({ output }: PosthornProcess): Record<string, unknown>[] =>
      output()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        // `as`: a line of the log.
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const requested = await waitFor('the line of the request', () =>
      linesOf(api).find((line) => line['route'] === '/v1/channels/:channelId/messages'),
    );
    expect(requested).toMatchObject({ role: 'api', traceId: TRACE });
    const tried = await waitFor('the line of the attempt', () =>
      linesOf(worker).find((line) => line['messageId'] === messageId),
    );
    expect(tried).toMatchObject({ role: 'worker', traceId: TRACE });
  });
});
