import { type Config, ignoredSettings } from '../../../platform/config/config.ts';
import type { ServiceLog } from '../../../platform/log.ts';
import type { OwnAddresses } from '../../../platform/outbound/guard/own-addresses.ts';
import type { Waiting } from '../../../platform/readiness/readiness.ts';
import type { Tracing } from '../../otlp.ts';
import type { ObservedProcess } from '../../observed-process.ts';
import type { Siblings } from '../../assembly/siblings.ts';
import { Stopped, type StopRequest } from './stop-request.ts';
import { visible } from '../printing.ts';

/** A role that runs until it is told to stop. */
export type RunningRole = {
  /** Ends the work under way, then everything else. Called once. */
  stop(): Promise<void>;
  /** Resolves with a reason when it cannot go on by itself. */
  failed: Promise<string>;
};

/** Everything that a service process begins with. */
export type Beginning = {
  config: Config;
  log: ServiceLog;
  /** Addresses of the embedded servers; those of the settings are added. */
  own: OwnAddresses;
  siblings: Siblings;
  waiting: Waiting;
  /** Address of Temporal, where it is not that of the settings. */
  temporalAddress?: string | undefined;
  /** Absent where METRICS_PORT is not set. */
  observed?: ObservedProcess | undefined;
  /** Absent without a collector in the settings. */
  tracing?: Tracing | undefined;
};

// A closed terminal, or a pipe without a reader, must not end the process before it has drained.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

/** Prints a line, or several, for the person in front of the terminal. */
export const print = (text: string): void => {
  process.stdout.write(`${visible(text, { keepLines: true })}\n`);
};

/** Says something about what is printed, to the person alone: a script that reads the output does not get it. */
export const say = (text: string): void => {
  process.stderr.write(`${visible(text, { keepLines: true })}\n`);
};

/** Once for a command, however many processes it has. */
export function warnOfIgnored(log: ServiceLog): void {
  const ignored = ignoredSettings();
  if (ignored.length > 0) log.warn(`ignored settings that this release does not have: ${ignored.join(', ')}`);
}

const reasonOf = ({ reason }: AbortSignal): string => (reason instanceof Stopped ? reason.message : 'a fault');

/**
 * Runs a role until it is asked to stop or fails by itself, then drains it. A stop that comes during the start ends the start where it
 * looks at the signal, otherwise takes effect once the role has started. Further stops during the drain change nothing: only SIGKILL
 * cuts a drain. Returns the exit code.
 */
export async function runUntilStopped(
  log: ServiceLog,
  stop: StopRequest,
  start: (signal: AbortSignal) => Promise<RunningRole>,
): Promise<number> {
  stop.takeOver();
  stop.onRepeat(() => log.warn('still draining: a second signal changes nothing'));
  const stopped = new Promise<number>((resolve) => {
    stop.signal.addEventListener('abort', () => resolve(0));
    process.on('uncaughtException', (failure) => {
      // Not `fatal`: pino flushes it at once, and its writer tries for ever when nobody reads standard output.
      log.error({ err: failure }, 'a fault of the service: stopping');
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
  // Without these two lines a log ends as that of a killed process does.
  log.info(`${reasonOf(stop.signal)}: ending, and finishing first what was accepted`);
  await role.stop();
  log.info({ durationMs: Math.round(performance.now() - stoppingAt) }, 'everything accepted is finished; ended');
  return exitCode;
}
