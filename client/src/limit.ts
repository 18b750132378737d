import { ConnectionError, TimeoutError } from './errors.ts';
import { untilAborted } from './wait.ts';

/** Ends one attempt when its time is over or the caller's signal is aborted. */
export type Limit = {
  /** Signal for fetch. */
  signal: AbortSignal;
  /** Sets the remaining time of the attempt in ms; Infinity for no limit. */
  allow(timeoutMs: number): void;
  /**
   * Returns the result of the work, but gives up when the attempt ends. Converts failures into the errors of this
   * library.
   */
  hold<T>(work: Promise<T>): Promise<T>;
  /** Releases the timer and the listener; work in progress is abandoned. */
  close(): void;
};

/**
 * Starts an attempt. On Node 20, AbortSignal.any would keep every attempt of a long-lived signal in memory, and fetch
 * loses its signal when garbage is collected while a body is read. `hold` therefore listens to the signal itself, and
 * the timer and the caller's signal keep everything alive.
 */
export function createLimit(timeoutMs: number, outer: AbortSignal | undefined): Limit {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLate = false;
  const abort = (): void => controller.abort();
  const allow = (ms: number): void => {
    clearTimeout(timer);
    if (ms === Number.POSITIVE_INFINITY) return;
    timer = setTimeout(() => {
      isLate = true;
      abort();
    }, ms);
  };
  const failureOf = (cause: unknown): Error => {
    // `as`: callers may abort with any value and get it back unchanged.
    if (outer?.aborted === true) return outer.reason as Error;
    if (isLate) return new TimeoutError('No complete response arrived in time', { cause });
    return new ConnectionError('The connection to the service failed', { cause });
  };
  outer?.addEventListener('abort', abort, { once: true });
  if (outer?.aborted === true) abort();
  allow(timeoutMs);
  return {
    signal: controller.signal,
    allow,
    hold: (work) =>
      untilAborted(work, controller.signal).catch((cause: unknown) => {
        throw failureOf(cause);
      }),
    close() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
      abort();
    },
  };
}
