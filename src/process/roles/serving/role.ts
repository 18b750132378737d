import { type Config, ignoredSettings } from '../../../platform/config/config.ts';
import type { ServiceLog } from '../../../platform/log.ts';
import type { OwnAddresses } from '../../../platform/outbound/guard/own-addresses.ts';
import type { Waiting } from '../../../platform/readiness/readiness.ts';
import type { Tracing } from '../../otlp.ts';
import type { ObservedProcess } from '../../observed-process.ts';
import type { Siblings } from '../../assembly/siblings.ts';
import { Stopped, type StopRequest } from './stop-request.ts';
import { visible } from '../printing.ts';

/** A service that runs until it is told to stop. */
export type RunningRole = {
  /** Completes the work in progress, then ends everything else. Called once. */
  stop(): Promise<void>;
  /** Resolves with a reason if it cannot continue. */
  failed: Promise<string>;
};

/** Everything that a service process starts with. */
export type Beginning = {
  config: Config;
  log: ServiceLog;
  /** Addresses of the embedded servers; those of the settings are added. */
  own: OwnAddresses;
  siblings: Siblings;
  waiting: Waiting;
  /** Address of Temporal, if it differs from the settings. */
  temporalAddress?: string | undefined;
  /** Absent if METRICS_PORT is not set. */
  observed?: ObservedProcess | undefined;
  /** Absent if the settings have no collector. */
  tracing?: Tracing | undefined;
};

// A closed terminal, or a pipe without a reader, must not end the process before it has drained.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** Prints text to stdout, for the person at the terminal. */
export const print = (text: string): void => {
  process.stdout.write(`${visible(text, { keepLines: true })}\n`);
};

/** Prints a remark to stderr, so that a script which reads the output does not get it. */
export const say = (text: string): void => {
  process.stderr.write(`${visible(text, { keepLines: true })}\n`);
};

/** Logs settings that do not exist, once per command, however many processes it has. */
export function warnOfIgnored(log: ServiceLog): void {
  const ignored = ignoredSettings();
  if (ignored.length > 0) log.warn(`ignored settings that this release does not have: ${ignored.join(', ')}`);
}

const reasonOf = ({ reason }: AbortSignal): string =>
  reason instanceof Stopped ? reason.message : 'an internal error';

/**
 * Runs a service until it is asked to stop or fails, then drains it. A stop during the start ends the start where it checks the signal,
 * otherwise takes effect once the service has started. Further stops during the drain change nothing: only SIGKILL interrupts a drain.
 * Returns the exit code.
 */
export async function runUntilStopped(
  log: ServiceLog,
  stop: StopRequest,
  start: (signal: AbortSignal) => Promise<RunningRole>,
): Promise<number> {
  stop.takeOver();
  stop.onRepeat(() => log.warn('still draining; a second signal changes nothing'));
  const stopped = new Promise<number>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(0));
    process.on('uncaughtException', (failure) => {
      // Not `fatal`: pino flushes that at once, and its writer retries forever if nobody reads standard output.
      log.error({ err: failure }, 'internal error; stopping');
      resolve(1);
    });
  });
  const role = await start(stop.signal).catch((failure: unknown) => {
    if (!stop.signal.aborted || failure !== stop.signal.reason) throw failure;
  });
  if (role === undefined) return 0;
  const exitCode = await Promise.race([
    stopped,
    role.failed.then((reason) => {
      log.error(reason);
      return 1;
    }),
  ]);
  const stoppingAt = performance.now();
  // Without these two lines, the log looks like that of a killed process.
  log.info(`${reasonOf(stop.signal)}: finishing accepted work before exiting`);
  await role.stop();
  log.info({ durationMs: Math.round(performance.now() - stoppingAt) }, 'finished all accepted work; exiting');
  return exitCode;
}
