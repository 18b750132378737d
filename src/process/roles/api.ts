import { messageOf } from '../../kernel/errors.ts';
import { createDependencies } from '../assembly/create-dependencies.ts';
import { createServices } from '../assembly/create-services.ts';
import { refuseLasting, untilReady, waitingBy } from '../../platform/readiness/readiness.ts';
import type { Beginning, RunningRole } from './serving/role.ts';
import { tellRowSecurity } from '../../platform/readiness/start-checks.ts';
import { watchPostgres } from '../watch-servers.ts';
import { serveApi } from './serving/serve-api.ts';

/**
 * `posthorn api`: the HTTP API on an existing PostgreSQL. It listens at once and responds UNAVAILABLE until everything that it needs is
 * available.
 */
export async function startApi({
  config,
  log,
  own,
  siblings,
  waiting,
  observed,
  tracing,
}: Beginning): Promise<RunningRole> {
  const { deps, disconnect } = createDependencies(config, log, own, { meters: observed?.meters, tracing });
  const services = createServices(deps, undefined, siblings);
  const api = await serveApi(deps, services, { siblings, outages: log.outages });
  const { port, readiness } = api;
  observed?.show(readiness);
  refuseLasting(await readiness.look());
  const stopping = new AbortController();
  let stopWatching = (): void => undefined;
  const waits = waitingBy(
    (sentence, { message, cause }) => log.warn({ port, reason: message, err: cause }, sentence),
    AbortSignal.any([stopping.signal, waiting.signal]),
  );
  const ready = untilReady(readiness, waits).then(async () => {
    await tellRowSecurity(deps);
    stopWatching = watchPostgres(log, deps, 'calls are answered with 503');
    log.info({ port }, 'the API is ready');
    siblings.isReady(port);
    deps.crashes.ready();
  });
  return {
    failed: new Promise((resolve) => {
      // Only a changed setting could fix this failure. A stop rejects here too, and is not a failure.
      ready.catch((failure: unknown) => {
        if (!stopping.signal.aborted && !waiting.signal.aborted) resolve(messageOf(failure));
      });
    }),
    async stop() {
      stopping.abort();
      await api.stop();
      stopWatching();
      await disconnect();
    },
  };
}
