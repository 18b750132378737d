import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { createCostlyTurns } from '../../../src/platform/slices.ts';
import { createKeyRing } from '../../../src/platform/credentials/key-ring.ts';
import { apiKeyRoutes } from '../../../src/identity/credentials/api-keys/routes.ts';
import { apiKeyScheme, type ApiKeys, type OperatorApiKey } from '../../../src/identity/credentials/api-keys/service.ts';
import { type HttpApp, createHttpApp } from '../../../src/process/assembly/app.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { errorEnvelope } from '../../../src/api/http/answers/error-envelope.ts';
import { STREAM_TIMINGS, type StreamTimings } from '../../../src/api/http/event-stream.ts';
import type { Route } from '../../../src/api/http/route/route.ts';
import { type HttpServer, startHttpServer } from '../../../src/api/http/server.ts';
import { createIdempotency } from '../../../src/api/idempotency/service.ts';
import type { Scheme } from '../../../src/api/caller.ts';
import { createLimiter } from '../../../src/platform/rate-limits/limiter.ts';
import { createNewId } from '../../../src/platform/new-id.ts';
import { createDatabase } from '../../../src/platform/db/client.ts';
import { createPool } from '../../../src/platform/db/connection.ts';
import { createTenants } from '../../../src/platform/db/tenants.ts';
import { ensureEnvironments } from '../../../src/process/seed.ts';
import { PROBES, problemsOf } from '../check/answer-check.ts';
import { hasFailedTest } from '../check/failures.ts';
import { createTestDatabase, type TestDatabase } from '../service/database.ts';
import { PATIENT } from '../service/patience.ts';
import { createProbes } from './edge-probes.ts';
import { startTcpProxy, type TcpProxy } from '../service/tcp-proxy.ts';
import { apiKeysOf } from '../make/credential-services.ts';

// pino's number for a warning.
const WARNING = 40;

export type EdgeAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // JSON of the response, whatever it is: the assertions check it.
  json: {
    error?: { code: string; message: string; details?: { field: string; reason: string }; retryAfter?: number };
  } & Record<string, unknown>;
};

export type Call = {
  method?: string;
  path?: string;
  key?: string | null;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer | object;
};

/** The HTTP edge alone, on a real server, database and API keys, in front of routes that only show the requests that reach them. */
export type Edge = {
  server: HttpServer;
  app: HttpApp;
  apiKeys: ApiKeys;
  database: TestDatabase;
  /** Between the service and PostgreSQL. */
  wire: TcpProxy;
  key: string;
  /** Everything that was logged. */
  lines: Record<string, unknown>[];
  /** How often a probe's handler ran. */
  handled: () => number;
  /** Lets the requests to /v1/slow go on. */
  openGate: () => void;
  advance: (milliseconds: number) => void;
  newKey: (options?: Partial<OperatorApiKey>) => Promise<string>;
  call: (call: Call) => Promise<EdgeAnswer>;
  /** Sends bytes on a new connection and returns everything received until it closes. */
  raw: (bytes: string) => Promise<string>;
  connect: () => Promise<Socket>;
  stop: () => Promise<void>;
};

export async function startEdge(
  settings: {
    strangerRequestsPerMinute?: number;
    environment?: Record<string, string>;
    /** Checked before API keys. */
    schemes?: readonly Scheme[];
    /** In addition to the probes. */
    routes?: readonly Route<unknown>[];
    /** How often long responses check their callers again, and how long they wait for a reader. */
    timings?: Partial<StreamTimings>;
  } = {},
): Promise<Edge> {
  const database = await createTestDatabase();
  const wire = await startTcpProxy(database.url);
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  let offset = 0;
  const db = createDatabase(wire.url, PATIENT);
  const pool = createPool(wire.url, { max: 5, ...PATIENT });
  const deps = {
    db,
    pool,
    tenants: createTenants({ db, pool }, PATIENT),
    log,
    clock: () => new Date(Date.now() + offset),
    newId: createNewId(Date.now),
    costly: createCostlyTurns(),
    config: readConfig(settings.environment ?? {}),
  };
  // Test preparation bypasses the wire, which the test may have cut.
  const patient = { ...deps, db: database.db, tenants: database.tenants };
  await ensureEnvironments(patient);
  const { operator } = apiKeysOf(patient);
  const apiKeys = apiKeysOf(deps);
  const { strangerRequestsPerMinute, timings } = settings;
  const limiter = createLimiter({ log, ...(strangerRequestsPerMinute !== undefined && { strangerRequestsPerMinute }) });
  const probes = createProbes(deps);
  const keyRing = createKeyRing([{ kid: 'test', key: randomBytes(32) }]);
  const services = { apiKeys, idempotency: createIdempotency({ ...deps, keyRing }) };
  const app = createHttpApp({
    deps,
    services,
    routes: [...probes.routes, ...apiKeyRoutes, ...(settings.routes ?? [])],
    schemes: [...(settings.schemes ?? []), apiKeyScheme(apiKeys)],
    limiter,
    streamTimings: { ...STREAM_TIMINGS, ...timings },
  });
  const server = await startHttpServer(app, { port: 0, host: '127.0.0.1' });
  const newKey: Edge['newKey'] = async (options = {}) =>
    (await operator.create({ environment: 'live', name: 'test', tier: 'enterprise', ...options })).key;
  const key = await newKey();
  const open = async (): Promise<Socket> => {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  return {
    server,
    app,
    apiKeys,
    database,
    key,
    lines,
    newKey,
    handled: probes.handled,
    openGate: probes.openGate,
    wire,
    advance: (milliseconds) => {
      offset += milliseconds;
    },
    call: (options) => call(server.port, { key, ...options }),
    connect: open,
    async raw(bytes) {
      const socket = await open();
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.write(bytes, 'latin1');
      await once(socket, 'close');
      return text;
    },
    async stop() {
      if (hasFailedTest()) tellWarnings(lines);
      probes.openGate();
      await server.drain();
      await limiter.close();
      await apiKeys.settled();
      await Promise.all([deps.db.$disconnect(), deps.pool.end()]);
      await wire.stop();
      await database.drop();
    },
  };
}

/** Printed with the failed test: a response such as 503 says too little about its cause. */
function tellWarnings(lines: readonly Record<string, unknown>[]): void {
  for (const line of lines) if (Number(line['level']) >= WARNING) process.stderr.write(`${JSON.stringify(line)}\n`);
}

function call(
  port: number,
  { method = 'GET', path = '/v1/list', key = null, headers = {}, body }: Call,
): Promise<EdgeAnswer> {
  const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const sent: Record<string, string | string[]> = {
    ...(key !== null && { authorization: `Bearer ${key}` }),
    ...(bytes !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(bytes)),
    }),
    ...headers,
  };
  if ('transfer-encoding' in sent) delete sent['content-length'];
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ port, host: '127.0.0.1', method, path, headers: sent, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const isJson = incoming.headers['content-type']?.startsWith('application/json') && text !== '';
        const status = incoming.statusCode ?? 0;
        const problems = isJson === true ? problemsIn({ path, status, text }) : [];
        if (problems.length > 0) return reject(new Error(`${method} ${path} answers ${text}: ${problems.join('; ')}`));
        return resolve({
          status,
          headers: incoming.headers,
          text,
          json: isJson ? JSON.parse(text) : {},
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

/** Where an answer is neither what /healthz and /readyz may say nor the envelope of a refusal. */
function problemsIn({ path, status, text }: { path: string; status: number; text: string }): string[] {
  const schema = PROBES[path]?.[status] ?? (status < 400 ? undefined : errorEnvelope);
  return schema === undefined ? [] : problemsOf(schema, JSON.parse(text));
}
