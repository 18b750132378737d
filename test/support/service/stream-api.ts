import type { ServerResponse } from 'node:http';
import { createHttpApp } from '../../../src/process/assembly/app.ts';
import { createConfigs } from '../../../src/process/assembly/create-dependencies.ts';
import { createServices } from '../../../src/process/assembly/create-services.ts';
import { createDatabase } from '../../../src/platform/db/client.ts';
import { createPool } from '../../../src/platform/db/connection.ts';
import { STREAM_TIMINGS, type StreamTimings } from '../../../src/api/http/event-stream.ts';
import { startHttpServer } from '../../../src/api/http/server.ts';
import { apiKeyScheme } from '../../../src/identity/credentials/api-keys/service.ts';
import { createLimiter } from '../../../src/platform/rate-limits/limiter.ts';
import { routes } from '../../../src/process/routes.ts';
import { PATIENT } from './patience.ts';
import { createTenants } from '../../../src/platform/db/tenants.ts';
import type { TestPosthorn } from './posthorn.ts';

/** Another API on the same database, with its own connections, services and limits, like another process. */
export type StreamApi = {
  url: string;
  /** Responses that have started: shows what is kept for a connection. */
  responses: ServerResponse[];
  /** Statements that its pool has sent so far. */
  statements: string[];
  drain(): Promise<void>;
  stop(): Promise<void>;
};

export async function startStreamApi(posthorn: TestPosthorn, timings: Partial<StreamTimings> = {}): Promise<StreamApi> {
  const db = createDatabase(posthorn.database.url, PATIENT);
  const pool = createPool(posthorn.database.url, { max: 10, ...PATIENT });
  const statements: string[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    // `as`: it passes its arguments on.
    client.query = ((...given: unknown[]) => {
      const [statement] = given as [string | { text: string }];
      statements.push(typeof statement === 'string' ? statement : statement.text);
      return query(...given);
    }) as typeof client.query;
  });
  const deps = {
    ...posthorn.deps,
    db,
    pool,
    tenants: createTenants({ db, pool }, PATIENT),
    publishingConfigs: createConfigs(pool),
  };
  const limiter = createLimiter({ log: deps.log, strangerRequestsPerMinute: 100_000 });
  const services = createServices(deps);
  const app = createHttpApp({
    deps,
    services,
    routes,
    schemes: [apiKeyScheme(services.apiKeys)],
    limiter,
    streamTimings: { ...STREAM_TIMINGS, ...timings },
  });
  const responses: ServerResponse[] = [];
  app.middleware.unshift((ctx, next) => {
    responses.push(ctx.res);
    return next();
  });
  const server = await startHttpServer(app, { port: 0, host: '127.0.0.1' });
  let drained: Promise<void> | undefined;
  const drain = (): Promise<void> => (drained ??= server.drain());
  return {
    url: `http://127.0.0.1:${server.port}`,
    responses,
    statements,
    drain,
    async stop() {
      await drain();
      await limiter.close();
      await services.apiKeys.settled();
      await Promise.all([db.$disconnect(), pool.end()]);
    },
  };
}
