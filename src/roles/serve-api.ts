import { createApp } from '../app.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Part } from '../http/health.ts';
import { startHttpServer } from '../http/server.ts';
import { createLimiter } from '../limits/limiter.ts';
import { routes } from '../routes.ts';
import type { Services } from '../services.ts';

export type RunningApi = {
  port: number;
  /** Answers what it has accepted, then closes. */
  stop(): Promise<void>;
};

/** Listens on config.port. `parts` are what /readyz shows beside PostgreSQL. Rejects when the port is taken. */
export async function serveApi(
  deps: Dependencies,
  services: Services,
  parts: Readonly<Record<string, Part>> = {},
): Promise<RunningApi> {
  const { config, log } = deps;
  const limiter = createLimiter({ redisUrl: config.redisUrl, log });
  try {
    const server = await startHttpServer(createApp({ deps, services, routes, limiter, parts }), { port: config.port });
    // It listens on every address of this machine.
    deps.own.add({ host: 'localhost', port: server.port });
    return {
      port: server.port,
      async stop() {
        await server.drain();
        await services.apiKeys.settled();
        await limiter.close();
      },
    };
  } catch (failure) {
    await limiter.close();
    throw failure;
  }
}
