import type { Beginning, RunningRole } from './role.ts';
import { type ObservedProcess, observeProcess } from '../../observed-process.ts';
import { metricsPageOf, serveMetrics } from '../../supervisor/metrics-port.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { ServiceLog } from '../../../platform/log.ts';
import type { TracedProcess, Tracing } from '../../otlp.ts';
import { watchCollector } from '../../watch-servers.ts';

/**
 * Runs a role with its traces, which are exported until it has stopped. Without a collector in the settings nothing of OpenTelemetry
 * is loaded.
 */
export async function tracing<R extends RunningRole>(
  { config: { traces }, log, ...process }: { config: Config; log: ServiceLog } & TracedProcess,
  start: (spans: Tracing | undefined) => Promise<R>,
): Promise<R> {
  if (traces === undefined) return start(undefined);
  const { createTracing } = await import('../../otlp.ts');
  const spans = createTracing(traces, process);
  const undo = createUndo();
  return undo.onFailure(async () => {
    undo.add(spans.close);
    const stopWatching = watchCollector(log, spans, traces.endpoint);
    undo.add(async () => stopWatching());
    const role = await start(spans);
    undo.add(role.stop);
    return { ...role, stop: undo.all };
  });
}

/** Steps that undo a start, when something further on fails and at the end. */
type Undo = {
  add(step: () => Promise<void>): void;
  /** Does all of them once, the last one first. */
  all: () => Promise<void>;
  /** Does `work`; if it fails, everything is undone before the failure is thrown on. */
  onFailure<T>(work: () => Promise<T>): Promise<T>;
};

export function createUndo(): Undo {
  const steps: (() => Promise<void>)[] = [];
  const all = async (): Promise<void> => {
    for (const step of steps.splice(0).reverse()) await step();
  };
  return {
    add: (step) => void steps.push(step),
    all,
    async onFailure(work) {
      try {
        return await work();
      } catch (failure) {
        await all();
        throw failure;
      }
    },
  };
}

/** Runs a role of one process with its metrics port, which listens before the role begins and until it has stopped. */
export async function observing<R extends RunningRole>(
  { config, log, own }: Pick<Beginning, 'config' | 'log' | 'own'>,
  start: (observed: ObservedProcess | undefined) => Promise<R>,
): Promise<R> {
  const { metricsPort, listenHost } = config;
  const observed = await observeProcess({ config, log, own });
  if (observed === undefined || metricsPort === undefined) return start(undefined);
  const undo = createUndo();
  return undo.onFailure(async () => {
    undo.add(observed.close);
    const server = await serveMetrics({ port: metricsPort, host: listenHost }, log, metricsPageOf(observed));
    undo.add(server.stop);
    const role = await start(observed);
    undo.add(role.stop);
    return { ...role, stop: undo.all };
  });
}
