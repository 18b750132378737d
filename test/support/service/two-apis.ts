import { randomBytes } from 'node:crypto';
import { createHttpApp } from '../../../src/process/assembly/app.ts';
import { createConfigs } from '../../../src/process/assembly/create-dependencies.ts';
import { createServices } from '../../../src/process/assembly/create-services.ts';
import { createDatabase } from '../../../src/platform/db/client.ts';
import { createPool } from '../../../src/platform/db/connection.ts';
import { startHttpServer } from '../../../src/api/http/server.ts';
import { apiKeyScheme } from '../../../src/identity/credentials/api-keys/service.ts';
import { createLimiter } from '../../../src/platform/rate-limits/limiter.ts';
import { routes } from '../../../src/process/routes.ts';
import { PATIENT } from './patience.ts';
import { createTenants } from '../../../src/platform/db/tenants.ts';
import type { TestPosthorn } from './posthorn.ts';

/** A second API next to a TestPosthorn: its own server, connections and memory, on the same database. */
export type SecondApi = { url: string; stop(): Promise<void> };

type Beside = Pick<TestPosthorn, 'deps'> & { database: { url: string } };

export async function startSecondApi({ deps, database }: Beside): Promise<SecondApi> {
  const db = createDatabase(database.url, PATIENT);
  const pool = createPool(database.url, { max: 10, ...PATIENT });
  const own = {
    ...deps,
    db,
    pool,
    tenants: createTenants({ db, pool }, PATIENT),
    publishingConfigs: createConfigs(pool),
  };
  const limiter = createLimiter({ log: deps.log });
  const services = createServices(own);
  const schemes = [apiKeyScheme(services.apiKeys)];
  const app = createHttpApp({ deps: own, services, routes, schemes, limiter });
  const server = await startHttpServer(app, { port: 0, host: '127.0.0.1' });
  return {
    url: `http://127.0.0.1:${server.port}`,
    async stop() {
      await server.drain();
      await limiter.close();
      await Promise.all([db.$disconnect(), pool.end()]);
    },
  };
}

/** A key that no other test has used. */
export const newIdempotencyKey = (): string => `key-${randomBytes(8).toString('hex')}`;
