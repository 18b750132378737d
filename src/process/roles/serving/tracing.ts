import type { Config } from '../../../platform/config/config.ts';
import type { ServiceLog } from '../../../platform/log.ts';
import type { TracedProcess, Tracing } from '../../tracing/otlp.ts';
import { watchCollector } from '../../watch-servers.ts';
import type { RunningRole } from './role.ts';
import { createUndo } from './undo.ts';

/**
 * Runs a role with its traces, which are exported until it has stopped. Without a collector in the settings nothing of OpenTelemetry
 * is loaded.
 */
export async function tracing<R extends RunningRole>(
  { config: { traces }, log, ...process }: { config: Config; log: ServiceLog } & TracedProcess,
  start: (spans: Tracing | undefined) => Promise<R>,
): Promise<R> {
  if (traces === undefined) return start(undefined);
  const { createTracing } = await import('../../tracing/otlp.ts');
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
