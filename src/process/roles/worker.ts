import { untilReady, createReadiness } from '../../platform/readiness/readiness.ts';
import { ConfigError } from '../../platform/config/config.ts';
import { createDependencies } from '../assembly/create-dependencies.ts';
import { temporalCheck, startWorker } from '../start-worker.ts';
import { startChecks } from '../../platform/readiness/start-checks.ts';
import { installRuntime } from '../../platform/temporal/connection.ts';
import { untilTemporalAnswers } from '../../platform/temporal/trouble.ts';
import { watchPostgres } from '../watch-servers.ts';
import type { Beginning, RunningRole } from './serving/role.ts';

/**
 * `posthorn worker`: delivers, on an existing PostgreSQL and Temporal. The worker claims nothing before everything that it needs is
 * available, and logs what it waits for.
 */
export async function startWorkerRole({
  config,
  log,
  own,
  siblings,
  waiting,
  observed,
  tracing,
}: Beginning): Promise<RunningRole> {
  const { address } = config.temporal;
  if (address === undefined)
    throw new ConfigError('TEMPORAL_ADDRESS must be set; only `posthorn start` has an embedded Temporal server');
  const { deps, disconnect } = createDependencies(config, log, own, { meters: observed?.meters, tracing });
  const settings = { ...config.temporal, address };
  const checks = startChecks(deps);
  await untilReady(createReadiness(checks), waiting);
  installRuntime(log, observed?.temporalMetricsAddress);
  await untilTemporalAnswers(settings, waiting);
  const worker = await startWorker(deps, settings, {
    onIncarnation: siblings.claimsAs,
    isReplacement: siblings.isReplacement,
    outages: log.outages,
  });
  const stopWatching = watchPostgres(log, deps, 'nothing is claimed, and results wait to be recorded');
  siblings.onDeath((incarnationId) => void worker.takeOver(incarnationId));
  observed?.show(createReadiness([...checks, temporalCheck(worker, address)]));
  log.info('the worker is ready');
  siblings.isReady();
  deps.crashes.ready();
  return {
    failed: worker.failed,
    async stop() {
      await worker.stop();
      stopWatching();
      await disconnect();
    },
  };
}
