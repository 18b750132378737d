import { readConfig } from '../../config.ts';
import { createDependencies } from '../create-dependencies.ts';
import { createServices } from '../create-services.ts';
import { createLog } from '../../log.ts';
import { createOwnAddresses } from '../../outbound/own-addresses.ts';
import { refuseLasting, untilReady } from '../../readiness/until-ready.ts';
import { runUntilStopped } from './role.ts';
import { serveApi } from './serve-api.ts';
import type { StopRequest } from './stop-request.ts';

/**
 * `posthorn api`: the HTTP API against a PostgreSQL that exists. The API listens at once and answers UNAVAILABLE until everything that
 * it needs is there. Returns the exit code once it is stopped.
 */
export async function runApi(stop: StopRequest): Promise<number> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  return runUntilStopped(log, stop, async () => {
    const { deps, disconnect } = createDependencies(config, log, createOwnAddresses([]));
    const api = await serveApi(deps, createServices(deps));
    const { port, readiness } = api;
    refuseLasting(await readiness.look());
    const stopping = new AbortController();
    const ready = untilReady(readiness, {
      tell: (sentence, { message, cause }) => log.warn({ port, reason: message, err: cause }, sentence),
      signal: stopping.signal,
    }).then(() => log.info({ port }, 'the API is ready'));
    return {
      failed: new Promise((resolve) => {
        // Only another setting could mend this fault. A stop rejects here too, and is no failure.
        ready.catch((failure: unknown) => {
          if (!stopping.signal.aborted) resolve(failure instanceof Error ? failure.message : String(failure));
        });
      }),
      async stop() {
        stopping.abort();
        await api.stop();
        await disconnect();
      },
    };
  });
}
