import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
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
  startWorkerProcess,
} from '../support/service/processes.ts';
import { createTestTemporal } from '../support/service/temporal.ts';
import { type Collector, type SeenSpan, startCollector } from '../support/world/collector.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { makesAt } from '../support/world/process-calls.ts';

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
  '%s has every family of the table in docs/operations.md at its metrics port',
  async (role) => {
    const named = tableRowsOf('docs/operations.md', 'Metrics').map(([name = '']) => name.replaceAll('`', ''));
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
