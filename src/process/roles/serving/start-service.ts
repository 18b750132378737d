import { createDependencies, type ProcessDependencies } from '../../assembly/create-dependencies.ts';
import { createServices, type Services } from '../../assembly/create-services.ts';
import { createHandOver } from '../../../messaging/publishing/hand-over.ts';
import { type ReadinessCheck, createReadiness, untilReady } from '../../../platform/readiness/readiness.ts';
import { tellRowSecurity, startChecks } from '../../../platform/readiness/start-checks.ts';
import { installRuntime } from '../../../platform/temporal/connection.ts';
import { untilTemporalAnswers } from '../../../platform/temporal/trouble.ts';
import { type RunningWorker, startWorker, temporalCheck } from '../../start-worker.ts';
import { watchPostgres } from '../../watch-servers.ts';
import type { Beginning, RunningRole } from './role.ts';
import { serveApi } from './serve-api.ts';
import { createUndo } from './observing.ts';

/** API and worker in one process. */
export type RunningService = RunningRole & { port: number; services: Services };

/** Runs the service of `start` in one of several processes: the supervisor has prepared the database. */
export async function startWholeService(beginning: Beginning): Promise<RunningRole> {
  const { config, log, own, waiting, observed, tracing } = beginning;
  const { deps, disconnect } = createDependencies(config, log, own, { meters: observed?.meters, tracing });
  const undo = createUndo();
  undo.add(disconnect);
  return undo.onFailure(async () => {
    const checks = startChecks(deps);
    await untilReady(createReadiness(checks), waiting);
    const service = await startService(deps, checks, beginning);
    undo.add(service.stop);
    beginning.siblings.isReady(service.port);
    deps.crashes.ready();
    return { failed: service.failed, stop: undo.all };
  });
}

/**
 * Runs API and worker on a database that `checks` have found ready, with local handoff of new deliveries. `checks` are also those of
 * /readyz.
 */
export async function startService(
  deps: ProcessDependencies,
  checks: readonly ReadinessCheck[],
  { config, log, siblings, waiting, temporalAddress, observed }: Beginning,
): Promise<RunningService> {
  const undo = createUndo();
  return undo.onFailure(async () => {
    const address = temporalAddress ?? config.temporal.address ?? '';
    const settings = { ...config.temporal, address };
    const handOver = createHandOver();
    // The address of an embedded Temporal is known from here on; the service state reports whether it responds.
    const services = createServices({ ...deps, config: { ...deps.config, temporal: settings } }, handOver, siblings);
    const stopWatching = watchPostgres(log, deps, 'calls are answered with 503, and deliveries wait');
    undo.add(async () => stopWatching());
    // The API responds and accepts messages before there is a worker, and even if there cannot be one: Temporal may be down, or a
    // message may crash the worker.
    let worker: RunningWorker | undefined;
    const temporal = temporalCheck({ isHealthy: () => worker?.isHealthy() === true }, address);
    // Before the API: a call for the service state contacts Temporal too, and would install a runtime without metrics.
    installRuntime(log, observed?.temporalMetricsAddress);
    const api = await serveApi(deps, services, { checks: [...checks, temporal], siblings, outages: log.outages });
    // Stopped after the API, so that what the API accepts last still finds a worker.
    undo.add(async () => worker?.stop());
    undo.add(() => api.stop());
    observed?.show(api.readiness);
    await untilTemporalAnswers(settings, waiting);
    const { claimsAs: onIncarnation, isReplacement } = siblings;
    const { publishing } = services;
    const joining = { handOver, onIncarnation, isReplacement, outages: log.outages, publishing };
    const started = await startWorker(deps, settings, joining);
    worker = started;
    // A start that ends before it was ready must not wait for work that waits for it.
    undo.add(async () => deps.crashes.ready());
    siblings.onDeath((incarnationId) => void started.takeOver(incarnationId));
    await tellRowSecurity(deps);
    return { port: api.port, services, failed: started.failed, stop: undo.all };
  });
}
