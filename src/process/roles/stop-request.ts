import { constants } from 'node:os';

// SIGHUP too: a closed terminal would otherwise leave the embedded parts behind.
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A request to stop this process: SIGINT, SIGTERM or SIGHUP at any time, or the end of its launcher. */
export type StopRequest = {
  /** Aborted by the first of these signals. Its reason is a Stopped. */
  readonly signal: AbortSignal;
  /** From here on the command ends by itself after a signal; until then a signal ends the process at once. */
  takeOver(): void;
  /** Is called for each further signal. */
  onRepeat(listener: () => void): void;
};

/** Reason why a stopped command did not do its work. */
export class Stopped extends Error {
  /** As shells count: 128 and the signal's number. */
  readonly exitCode: number;

  constructor(name: (typeof SIGNALS)[number]) {
    super(`stopped by ${name}`);
    this.exitCode = 128 + constants.signals[name];
  }
}

/**
 * Listens from now on. The kernel gives the first process of a container no default action. A SIGTERM before there is a listener would
 * be lost, and the container killed only after its grace period.
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
  // A launcher that was killed passes on no signal: the channel to it closes (bin/launch.js).
  process.once('disconnect', () => process.emit('SIGHUP'));
  process.channel?.unref();
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
