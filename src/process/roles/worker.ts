import { ConfigError, readConfig } from '../../config.ts';
import { createDependencies } from '../create-dependencies.ts';
import { createLog } from '../../log.ts';
import { createOwnAddresses } from '../../outbound/own-addresses.ts';
import { createReadiness } from '../../readiness/readiness.ts';
import { startChecks } from '../../readiness/start-checks.ts';
import { untilReady, type Waiting } from '../../readiness/until-ready.ts';
import { installRuntime } from '../../temporal/connection.ts';
import { untilTemporalAnswers } from '../../temporal/until-temporal-answers.ts';
import { startWorker } from '../start-worker.ts';
import { runUntilStopped } from './role.ts';
import type { StopRequest } from './stop-request.ts';

/**
 * `posthorn worker`: delivers, against a PostgreSQL and a Temporal that exist. The worker claims nothing before everything that it
 * needs is there, and says what it waits for. Returns the exit code once it is stopped.
 */
export async function runWorker(stop: StopRequest): Promise<number> {
  const config = readConfig();
  const log = createLog(config.logLevel);
  return runUntilStopped(log, stop, async (signal) => {
    const { address } = config.temporal;
    if (address === undefined)
      throw new ConfigError('TEMPORAL_ADDRESS must be set: only `posthorn start` brings its own Temporal server');
    const { deps, disconnect } = createDependencies(config, log, createOwnAddresses([]));
    const settings = { ...config.temporal, address };
    const waiting: Waiting = {
      tell: (sentence, { message, cause }) => log.warn({ reason: message, err: cause }, sentence),
      signal,
    };
    await untilReady(createReadiness(startChecks(deps)), waiting);
    installRuntime(log);
    await untilTemporalAnswers(settings, waiting);
    const worker = await startWorker(deps, settings);
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
