import { constants } from 'node:os';

// SIGHUP too: a closed terminal would otherwise leave the embedded parts behind.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The wish that this process stops: SIGINT, SIGTERM or SIGHUP, whenever it comes. */
export type StopRequest = {
  /** Aborted by the first of them. Its reason is a Stopped. */
  readonly signal: AbortSignal;
  /** From here on the command ends by itself when it is asked to; until then a signal ends the process at once. */
  takeOver(): void;
  /** Is called for each further signal. */
  onRepeat(listener: () => void): void;
};

/** Why a command that was stopped did not do what it was called for. */
export class Stopped extends Error {
  /** As shells count: 128 and the signal's number. */
  readonly exitCode: number;

  constructor(name: (typeof SIGNALS)[number]) {
    super(`stopped by ${name}`);
    this.exitCode = 128 + constants.signals[name];
  }
}

/**
 * Listens from now on. The kernel gives the first process of a container no default action: a SIGTERM that comes before there is a
 * listener would be lost, and the container killed only after its grace period.
 */
export function listenForStop(): StopRequest {
  const request = new AbortController();
  let isTakenOver = false;
  let repeated = (): void => undefined;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (request.signal.aborted) return repeated();
      const stopped = new Stopped(name);
      if (!isTakenOver) process.exit(stopped.exitCode);
      request.abort(stopped);
    });
  }
  return {
    signal: request.signal,
    takeOver: () => {
      isTakenOver = true;
    },
    onRepeat: (listener) => {
      repeated = listener;
    },
  };
}
