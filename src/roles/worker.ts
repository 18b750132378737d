import { ConfigError, readConfig } from '../config.ts';
import { createDependencies } from '../create-dependencies.ts';
import { requireKeysInUse } from '../first-start.ts';
import { createLog } from '../log.ts';
import { createOwnAddresses } from '../outbound/own-addresses.ts';
import { startWorker } from '../worker.ts';
import { runUntilStopped } from './role.ts';
import type { StopRequest } from './stop-request.ts';

/** `posthorn worker`: delivers, against a PostgreSQL and a Temporal that exist. Returns the exit code once it is stopped. */
export async function runWorker(stop: StopRequest): Promise<number> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  return runUntilStopped(log, stop, async () => {
    const { address } = config.temporal;
    if (address === undefined)
      throw new ConfigError('TEMPORAL_ADDRESS must be set: only `posthorn start` brings its own Temporal server');
    const { deps, disconnect } = createDependencies(config, log, createOwnAddresses([]));
    await requireKeysInUse(deps);
    const worker = await startWorker(deps, { ...config.temporal, address });
    log.info('the worker is ready');
    return {
      failed: worker.failed,
      async stop() {
        await worker.stop();
        await disconnect();
      },
    };
  });
}
