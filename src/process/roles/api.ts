import { createDependencies } from '../create-dependencies.ts';
import { createServices } from '../create-services.ts';
import { refuseLasting, untilReady } from '../../readiness/until-ready.ts';
import type { Beginning, RunningRole } from './role.ts';
import { tellRowSecurity } from '../../readiness/row-security.ts';
import { serveApi } from './serve-api.ts';

/**
 * `posthorn api`: the HTTP API against a PostgreSQL that exists. The API listens at once and answers UNAVAILABLE until everything that
 * it needs is there.
 */
export async function startApi({ config, log, own, siblings, waiting, observed }: Beginning): Promise<RunningRole> {
  const { deps, disconnect } = createDependencies(config, log, own, observed?.meters);
  const services = createServices(deps, undefined, siblings);
  const api = await serveApi(deps, services, { siblings });
  const { port, readiness } = api;
  observed?.show(readiness);
  refuseLasting(await readiness.look());
  const stopping = new AbortController();
  const ready = untilReady(readiness, {
    tell: (sentence, { message, cause }) => log.warn({ port, reason: message, err: cause }, sentence),
    signal: AbortSignal.any([stopping.signal, waiting.signal]),
  }).then(async () => {
    await tellRowSecurity(deps);
    log.info({ port }, 'the API is ready');
    siblings.isReady(port);
  });
  return {
    failed: new Promise((resolve) => {
      // Only another setting could mend this fault. A stop rejects here too, and is no failure.
      ready.catch((failure: unknown) => {
        if (!stopping.signal.aborted && !waiting.signal.aborted)
          resolve(failure instanceof Error ? failure.message : String(failure));
      });
    }),
    async stop() {
      stopping.abort();
      await api.stop();
      await disconnect();
    },
  };
}
