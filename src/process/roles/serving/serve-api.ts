import { createHttpApp } from '../../assembly/app.ts';
import { type Config, ConfigError } from '../../../platform/config/config.ts';
import type { ProcessDependencies } from '../../assembly/create-dependencies.ts';
import { observedLimiter } from '../../../platform/observe/meters.ts';
import { startHttpServer } from '../../../api/http/server.ts';
import { ownOriginsOf } from '../../../kernel/values/http.ts';
import { sessionScheme } from '../../../identity/people/sessions/service.ts';
import { apiKeyScheme } from '../../../identity/credentials/api-keys/service.ts';
import { dpopScheme } from '../../../identity/credentials/tokens/service.ts';
import { createLimiter } from '../../../platform/rate-limits/limiter.ts';
import { OPEN_FILES_FOR, readMachine } from '../../../platform/machine.ts';
import type { ReadinessCheck, Readiness } from '../../../platform/readiness/readiness.ts';
import { routes } from '../../routes.ts';
import type { Services } from '../../assembly/create-services.ts';
import type { Outages } from '../../../platform/outages.ts';
import { listeningApi } from '../../assembly/own-endpoints.ts';
import type { Siblings } from '../../assembly/siblings.ts';
import { watchRedis } from '../../watch-servers.ts';
import { portTaken } from './api-port.ts';

export type RunningApi = {
  port: number;
  readiness: Readiness;
  /** Responds to what it has accepted, then closes. */
  stop(): Promise<void>;
};

/**
 * Listens on config.port. `checks` are the checks of /readyz; default: those of every command. `siblings` listen on the same port.
 * Rejects if the port is in use.
 */
export async function serveApi(
  deps: ProcessDependencies,
  services: Services,
  {
    checks,
    siblings,
    outages,
  }: { checks?: readonly ReadinessCheck[]; siblings: Siblings; outages: Pick<Outages, 'watch'> },
): Promise<RunningApi> {
  const { config, log } = deps;
  const { counters, table: processTable } = siblings;
  const limiter = observedLimiter(
    createLimiter({ redisUrl: config.redisUrl, log, ...(counters && { counters }) }),
    deps.meters,
  );
  const stopWatching = config.redisUrl === undefined ? undefined : watchRedis({ outages }, limiter, config.redisUrl);
  siblings.onKeyChanged((id) => {
    services.apiKeys.forget(id);
    services.machineCredentials.forget(id);
  });
  try {
    const schemes = [
      apiKeyScheme(services.apiKeys),
      dpopScheme(services.tokens),
      sessionScheme(services.sessions, ownOriginsOf(config)),
    ];
    const app = createHttpApp({
      deps,
      services,
      routes,
      schemes,
      limiter,
      processTable,
      onAnswered: deps.meters?.answered,
      traceRequest: deps.tracing?.traceRequest,
      ...(checks && { checks }),
    });
    app.prepare();
    // Callers get a quarter of the open files. An API that accepts every connection leaves none for itself: with `ulimit -n 256`, 191
    // requests in flight and 60 callers, Node could not create worker threads and the process ended. The direct path gets a third,
    // attempts of workflows 15 %, and the rest is for PostgreSQL, Temporal and files.
    const maxConnections = Math.floor(readMachine(config.processes).descriptors * OPEN_FILES_FOR.callers);
    const server = await startHttpServer(app, {
      port: config.port,
      ...(config.listenHost !== undefined && { host: config.listenHost }),
      maxConnections,
      onTooMany: () =>
        log.warn(
          { maxConnections },
          'closed new connections of callers, because they already use a quarter of the open files of this process; raise its limit (ulimit -n)',
        ),
    });
    // Without LISTEN_HOST the API listens on every address of this machine, so any of them with this port may lead to it.
    deps.own.add(listeningApi(server.port));
    return {
      port: server.port,
      readiness: app.readiness,
      async stop() {
        await server.drain();
        await services.apiKeys.settled();
        stopWatching?.();
        await limiter.close();
      },
    };
  } catch (failure) {
    stopWatching?.();
    await limiter.close();
    throw portProblem(config, failure) ?? failure;
  }
}

function portProblem({ port, listenHost }: Config, failure: unknown): ConfigError | undefined {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  if (code === 'EADDRINUSE') return new ConfigError(portTaken(port), { cause: failure });
  if (code === 'EADDRNOTAVAIL')
    return new ConfigError(`LISTEN_HOST: ${listenHost} is not an address of this machine; correct it`, {
      cause: failure,
    });
  if (code !== 'EACCES') return undefined;
  return new ConfigError(`PORT: this user may not listen on ${port}; set a port above 1023`, { cause: failure });
}
