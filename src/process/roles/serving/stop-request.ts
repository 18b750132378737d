import { constants } from 'node:os';

// SIGHUP too: otherwise a closed terminal would leave the embedded servers running.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A request to stop this process: SIGINT, SIGTERM or SIGHUP at any time, or the end of its launcher. */
export type StopRequest = {
  /** Aborted by the first of these signals. Its reason is a Stopped. */
  readonly signal: AbortSignal;
  /** From here on the command ends by itself after a signal; until then a signal ends the process at once. */
  takeOver(): void;
  /** The listener is called for each further signal. */
  onRepeat(listener: () => void): void;
};

/** Why a stopped command did not do its work. */
export class Stopped extends Error {
  /** 128 plus the signal's number, as in shells. */
  readonly exitCode: number;

  constructor(name: (typeof SIGNALS)[number]) {
    super(`stopped by ${name}`);
    this.exitCode = 128 + constants.signals[name];
  }
}

/**
 * Listens from now on. The kernel gives the first process of a container no default action, so a SIGTERM before there is a listener
 * would be lost, and the container killed only after its grace period.
 */
export function listenForStop(): StopRequest {
  const { stopBy, ...request } = createStopRequest();
  for (const name of SIGNALS) process.on(name, () => stopBy(name));
  // A killed launcher passes on no signal, but the channel to it closes (bin/launch.js).
  process.once('disconnect', () => process.emit('SIGHUP'));
  process.channel?.unref();
  return request;
}

/**
 * Listens in a service process under a supervisor, which asks it to stop with `request`; SIGTERM drains only this process. Ctrl-C and a
 * closed terminal reach every process of the group and are handled by the supervisor. If the supervisor is gone, so are the port, the
 * counters and perhaps the servers, so this process ends at once, as if killed.
 */
export function listenUnderSupervisor(): StopRequest & { request(): void } {
  const { stopBy, ...request } = createStopRequest();
  process.on('SIGTERM', () => stopBy('SIGTERM'));
  for (const name of ['SIGINT', 'SIGHUP'] as const) process.on(name, () => undefined);
  process.once('disconnect', () => process.exit(1));
  return { ...request, request: () => stopBy('SIGTERM') };
}

function createStopRequest(): StopRequest & { stopBy(name: (typeof SIGNALS)[number]): void } {
  const request = new AbortController();
  let isTakenOver = false;
  let repeated = (): void => undefined;
  return {
    signal: request.signal,
    takeOver: () => {
      isTakenOver = true;
    },
    onRepeat: (listener) => {
      repeated = listener;
    },
    stopBy(name) {
      if (request.signal.aborted) return repeated();
      const stopped = new Stopped(name);
      if (!isTakenOver) process.exit(stopped.exitCode);
      request.abort(stopped);
    },
  };
}
