import type { Beginning, RunningRole } from './role.ts';
import { type ObservedProcess, observeProcess } from '../../observed-process.ts';
import { metricsPageOf, serveMetrics } from '../../supervisor/metrics-port.ts';
import type { Config } from '../../../platform/config/config.ts';
import type { ServiceLog } from '../../../platform/log.ts';
import type { TracedProcess, Tracing } from '../../otlp.ts';
import { watchCollector } from '../../watch-servers.ts';

/**
 * Runs a command with its traces, which are exported until it has stopped. Without a collector in the settings, OpenTelemetry is not
 * loaded.
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

/** Clean-up steps of a start, for a later failure and for the end. */
type Undo = {
  add(step: () => Promise<void>): void;
  /** Runs all steps once, in reverse order. */
  all: () => Promise<void>;
  /** Runs `work`; if it fails, runs all steps before rethrowing the failure. */
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

/** Runs a command of one process with its metrics port, which listens from before it starts until it has stopped. */
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
