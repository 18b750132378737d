import { createHttpApp } from '../../../src/process/assembly/app.ts';
import { createConfigs } from '../../../src/process/assembly/create-dependencies.ts';
import { createServices, type Services } from '../../../src/process/assembly/create-services.ts';
import { startHttpServer } from '../../../src/api/http/server.ts';
import { apiKeyScheme } from '../../../src/identity/credentials/api-keys/service.ts';
import { createLimiter } from '../../../src/platform/rate-limits/limiter.ts';
import { routes } from '../../../src/process/routes.ts';
import type { TestPosthorn } from './posthorn.ts';

/** Starts another API on the same database, with its own services and memory, like a second process. */
export async function startSecondApi(
  posthorn: Pick<TestPosthorn, 'deps' | 'keys'>,
  services: Services = createServices({ ...posthorn.deps, publishingConfigs: createConfigs(posthorn.deps.pool) }),
): Promise<{
  request<T>(method: string, path: string, body: unknown): Promise<{ status: number; body: T }>;
  stop(): Promise<void>;
}> {
  const { deps, keys } = posthorn;
  const limiter = createLimiter({ log: deps.log });
  const app = createHttpApp({ deps, services, routes, schemes: [apiKeyScheme(services.apiKeys)], limiter });
  const server = await startHttpServer(app, { port: 0, host: '127.0.0.1' });
  return {
    async request<T>(method: string, path: string, body: unknown) {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
        method,
        headers: { authorization: `Bearer ${keys.live}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      // `as`: the caller declares the response of this endpoint.
      return { status: answer.status, body: (await answer.json()) as T };
    },
    async stop() {
      await server.drain();
      await limiter.close();
    },
  };
}
