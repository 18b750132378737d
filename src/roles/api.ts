import { readConfig } from '../config.ts';
import { createDependencies } from '../create-dependencies.ts';
import { createServices } from '../create-services.ts';
import { createLog } from '../log.ts';
import { createOwnAddresses } from '../outbound/own-addresses.ts';
import { never, runUntilStopped } from './role.ts';
import { serveApi } from './serve-api.ts';
import type { StopRequest } from './stop-request.ts';

/** `posthorn api`: the HTTP API against a PostgreSQL that exists. Returns the exit code once it is stopped. */
export async function runApi(stop: StopRequest): Promise<number> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  return runUntilStopped(log, stop, async () => {
    const { deps, disconnect } = createDependencies(config, log, createOwnAddresses([]));
    const api = await serveApi(deps, createServices(deps));
    log.info({ port: api.port }, 'the API is ready');
    return {
      failed: never,
      async stop() {
        await api.stop();
        await disconnect();
      },
    };
  });
}
