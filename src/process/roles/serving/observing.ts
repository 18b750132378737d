import type { Beginning, RunningRole } from './role.ts';
import { type ObservedProcess, observeProcess } from '../../observed-process.ts';
import { metricsPageOf, serveMetrics } from '../../supervisor/metrics-port.ts';
import { createUndo } from './undo.ts';

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
