import { readConfig } from '../../platform/config/config.ts';
import { createLog } from '../../platform/log.ts';
import { createOwnAddresses } from '../../platform/outbound/guard/own-addresses.ts';
import { type Waiting, waitingBy } from '../../platform/readiness/readiness.ts';
import { noSiblings } from '../assembly/siblings.ts';
import type { Joined } from '../supervisor/join.ts';
import type { ServiceRole } from '../supervisor/messages.ts';
import { onAnyPort } from './serving/api-port.ts';
import { type Beginning, type RunningRole, runUntilStopped, warnOfIgnored } from './serving/role.ts';
import { observeProcess } from '../observed-process.ts';
import { observing, tracing } from './serving/observing.ts';
import { startWatchdog } from '../watchdog.ts';
import type { StopRequest } from './serving/stop-request.ts';

/** The services of the commands, loaded when a process runs one: a supervisor needs neither Temporal's native library nor Koa. */
const SERVICES: Record<ServiceRole, () => Promise<(beginning: Beginning) => Promise<RunningRole>>> = {
  start: async () => (await import('./serving/start-service.ts')).startWholeService,
  api: async () => (await import('./api.ts')).startApi,
  worker: async () => (await import('./worker.ts')).startWorkerRole,
};

/** Runs `posthorn api` or `posthorn worker` in as many processes as PROCESSES says. Returns the exit code once stopped. */
export async function runService(role: 'api' | 'worker', stop: StopRequest): Promise<number> {
  const config = readConfig();
  const log = createLog(config.logLevel, { role });
  warnOfIgnored(log);
  const waiting = (signal: AbortSignal): Waiting =>
    waitingBy((sentence, { message, cause }) => log.warn({ reason: message, err: cause }, sentence), signal);
  return runUntilStopped(log, stop, async (signal) => {
    if (config.processes > 1) {
      const { supervise } = await import('../supervisor/supervise.ts');
      signal.throwIfAborted();
      const tell = (sentence: string): void => log.warn(sentence);
      const supervisor = await supervise({ role, config: await onAnyPort(config), log, signal, tell });
      log.info({ processes: config.processes }, `all processes of the ${role} are ready`);
      return supervisor;
    }
    const start = await SERVICES[role]();
    signal.throwIfAborted();
    startWatchdog(log);
    const own = createOwnAddresses([]);
    return tracing({ config, log, role }, (spans) =>
      observing({ config, log, own }, (observed) =>
        start({ config, log, own, siblings: noSiblings, waiting: waiting(signal), observed, tracing: spans }),
      ),
    );
  });
}

/** Runs one of several processes with what its supervisor has assigned to it. Returns the exit code once stopped. */
export async function runServiceProcess(
  { assignment: { role, number, config, own, temporalAddress }, siblings, waits, onObserve }: Joined,
  stop: StopRequest,
): Promise<number> {
  const log = createLog(config.logLevel, { role, number });
  return runUntilStopped(log, stop, async (signal) => {
    const start = await SERVICES[role]();
    signal.throwIfAborted();
    const waiting = waitingBy(waits, signal);
    const ownAddresses = createOwnAddresses(own);
    siblings.onOwnEndpoints((endpoints) => ownAddresses.add(...endpoints));
    const observed = await observeProcess({ config, log, own: ownAddresses });
    if (observed !== undefined) onObserve(observed);
    return tracing({ config, log, role, number }, (spans) =>
      start({ config, log, own: ownAddresses, siblings, waiting, temporalAddress, observed, tracing: spans }),
    );
  });
}
