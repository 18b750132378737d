import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { type Config, readConfig } from '../../../src/platform/config/config.ts';
import { createCostlyTurns } from '../../../src/platform/slices.ts';
import { createHttpApp } from '../../../src/process/assembly/app.ts';
import {
  createConfigs,
  createGuard,
  type ProcessDependencies,
} from '../../../src/process/assembly/create-dependencies.ts';
import { createServices, type Services } from '../../../src/process/assembly/create-services.ts';
import { createCrashGuard } from '../../../src/platform/crashes/crash-guard.ts';
import { createKeyRing } from '../../../src/platform/credentials/key-ring.ts';
import { createFilters } from '../../../src/messaging/filters/filters.ts';
import { startHttpServer } from '../../../src/api/http/server.ts';
import { apiKeyScheme } from '../../../src/identity/credentials/api-keys/service.ts';
import { sessionScheme } from '../../../src/identity/people/sessions/service.ts';
import { dpopScheme } from '../../../src/identity/credentials/tokens/service.ts';
import { ownOriginsOf } from '../../../src/kernel/values/http.ts';
import { createLimiter } from '../../../src/platform/rate-limits/limiter.ts';
import { createLog, type ServiceLog } from '../../../src/platform/log.ts';
import { createNewId } from '../../../src/platform/new-id.ts';
import { createAddressGuard } from '../../../src/platform/outbound/guard/address-guard.ts';
import type { ResolveHost } from '../../../src/platform/outbound/guard/resolve-host.ts';
import { createOwnAddresses } from '../../../src/platform/outbound/guard/own-addresses.ts';
import { listeningApi, ownEndpoints } from '../../../src/process/assembly/own-endpoints.ts';
import { routes } from '../../../src/process/routes.ts';
import { createHandOver } from '../../../src/messaging/publishing/hand-over.ts';
import type { Scheme } from '../../../src/api/caller.ts';
import { answerProblems, type Seen } from '../check/answer-check.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { insertOrganisation } from '../make/organisation.ts';
import { createTestTemporal } from './temporal.ts';
import { TEST_THRESHOLD } from './threshold.ts';
import type { WorkerSide } from './worker-side.ts';

export type Answer<T> = { status: number; headers: Headers; body: T };

/** A whole Posthorn in this process, with its own database and task queue. */
export type TestPosthorn = {
  url: string;
  database: TestDatabase;
  /** Throws before the first worker has started. */
  readonly temporal: Client;
  taskQueue: string;
  deps: ProcessDependencies;
  services: Services;
  /** API keys of the two environments, with every scope and no limit that a test would reach. */
  keys: { live: string; test: string };
  /** Calls the API, with the live key unless told otherwise; `key: null` sends none. `body` may be a text, which is sent unchanged. */
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<Answer<T>>;
  worker: {
    start(): Promise<void>;
    stop(): Promise<void>;
  };
  stop(): Promise<void>;
};

type RequestOptions = { key?: string | null; headers?: Record<string, string> };

/**
 * Starts it; without a worker when the test is about the API alone. `variables` are settings as in the environment. Receivers may show
 * certificates of `trustedCertificates` (PEM). `log` takes what is silent otherwise. `schemes` are asked before API keys. Without `port` it
 * takes a free one. `temporalAddress`: a server of the test's own. `resolve` gives the addresses of receivers' names.
 */
export async function startPosthorn(
  options: {
    withWorker?: boolean;
    variables?: Record<string, string>;
    trustedCertificates?: readonly string[];
    schemes?: readonly Scheme[];
    addressRequestsPerMinute?: number;
    strangerRequestsPerMinute?: number;
    port?: number;
    log?: ServiceLog;
    temporalAddress?: string;
    resolve?: ResolveHost;
  } = {},
): Promise<TestPosthorn> {
  const database = await createTestDatabase();
  const shared = createTestTemporal();
  const testTemporal = { ...shared, address: options.temporalAddress ?? shared.address };
  const { taskQueue } = testTemporal;
  const config: Config = readConfig({
    ALLOW_HTTP_WEBHOOKS: 'true',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    PROCESSES: '1',
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    DELIVERY_BURST_THRESHOLD: TEST_THRESHOLD,
    ...options.variables,
  });
  const own = createOwnAddresses(ownEndpoints(config));
  const deps: ProcessDependencies = {
    config,
    log: options.log ?? createLog(process.env['LOG_LEVEL'] === undefined ? 'silent' : config.logLevel),
    clock: () => new Date(),
    newId: createNewId(Date.now),
    db: database.db,
    pool: database.pool,
    tenants: database.tenants,
    keyRing: createKeyRing(config.encryptionKeys),
    filters: createFilters(),
    costly: createCostlyTurns(),
    own,
    guard:
      options.trustedCertificates === undefined && options.resolve === undefined
        ? createGuard(config, own)
        : createAddressGuard({
            allowCidrs: config.webhookAllowCidrs,
            allowHttp: config.allowHttpWebhooks,
            own,
            ...(options.trustedCertificates && { trustedCertificates: options.trustedCertificates }),
            ...(options.resolve && { resolve: options.resolve }),
          }),
    crashes: createCrashGuard({ pool: database.pool, log: options.log ?? createLog('silent') }),
    publishingConfigs: createConfigs(database.pool),
  };
  deps.crashes.ready();
  await insertOrganisation(deps);
  const handOver = createHandOver();
  const services = createServices(deps, handOver);
  const makeKey = async (environment: 'live' | 'test'): Promise<string> => {
    const made = await services.apiKeys.operator.create({
      environment,
      name: `${environment} key`,
      tier: 'enterprise',
      limits: { batchPerMinute: 100_000 },
    });
    return made.key;
  };
  const keys = { live: await makeKey('live'), test: await makeKey('test') };
  const limiter = createLimiter({
    log: deps.log,
    strangerRequestsPerMinute: options.strangerRequestsPerMinute ?? 100_000,
    addressRequestsPerMinute: options.addressRequestsPerMinute ?? 100_000,
  });
  const server = await startHttpServer(
    createHttpApp({
      deps,
      services,
      routes,
      schemes: [
        ...(options.schemes ?? []),
        apiKeyScheme(services.apiKeys),
        dpopScheme(services.tokens),
        sessionScheme(services.sessions, ownOriginsOf(config)),
      ],
      limiter,
    }),
    { port: options.port ?? 0, host: '127.0.0.1' },
  );
  own.add(listeningApi(server.port));
  const url = `http://127.0.0.1:${server.port}`;

  let side: WorkerSide | undefined;
  const worker = {
    async start() {
      // Loaded here, because the SDK takes 0.4 s of processor time in each test file, and most need only the API.
      const { joinTemporal } = await import('./worker-side.ts');
      side ??= await joinTemporal(deps, testTemporal, handOver);
      await side.start();
    },
    stop: async () => side?.stop(),
  };
  if (options.withWorker !== false) await worker.start();

  return {
    url,
    database,
    get temporal() {
      if (side === undefined) throw new Error('Temporal is joined with the first worker');
      return side.client;
    },
    taskQueue,
    deps,
    services,
    keys,
    worker,
    async request<T>(method: string, path: string, body?: unknown, { key, headers }: RequestOptions = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(key !== null && { authorization: `Bearer ${key ?? keys.live}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const { status } = response;
      if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
        // A stream would never end here: test/support/world/stream-reader.ts reads streams.
        await response.body?.cancel();
        refuseMisfit({ method, path, status, body: undefined });
        return { status, headers: response.headers, body: undefined as T };
      }
      const text = await response.text();
      // A table is not JSON.
      if (response.headers.get('content-type')?.startsWith('text/csv') === true)
        return { status, headers: response.headers, body: text as T };
      const isOfLines = response.headers.get('content-type')?.startsWith('application/x-ndjson') === true;
      const json = isOfLines ? `[${text.trimEnd().replaceAll('\n', ',')}]` : text;
      const seen: unknown = json === '' ? undefined : JSON.parse(json);
      refuseMisfit({ method, path, status, body: seen });
      // `as`: the caller declares the response of this endpoint.
      return { status, headers: response.headers, body: seen as T };
    },
    async stop() {
      await server.drain();
      await side?.end();
      await limiter.close();
      await database.drop();
    },
  };
}

/** Compares every response that a test receives here with the route table. */
function refuseMisfit(seen: Seen): void {
  const problems = answerProblems(seen);
  if (problems.length > 0)
    throw new Error(
      `${seen.method} ${seen.path} answers ${seen.status} with what its row does not say: ${problems.join('; ')}`,
    );
}
