import { ConnectionError, TimeoutError } from './errors.ts';
import { untilAborted } from './wait.ts';

/** The end of one try: in time, or with the caller's signal. */
export type Limit = {
  /** Tells fetch. */
  signal: AbortSignal;
  /** From now on the try may take so long, in ms; Infinity is for ever. */
  allow(timeoutMs: number): void;
  /** The same work, given up at the end of the try. Throws the error that a failure stands for. */
  hold<T>(work: Promise<T>): Promise<T>;
  /** The work is done. Whatever of it is left is given up. */
  close(): void;
};

/**
 * Begins a try. AbortSignal.any would keep every try of a long-lived signal in memory on Node 20. A fetch of Node 20 forgets its signal
 * when garbage is collected while a body is read, so `hold` listens to the signal itself. The timer and the caller's signal hold all of it.
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
    // `as`: people may abort with anything, and get it back as it was.
    if (outer?.aborted === true) return outer.reason as Error;
    if (isLate) return new TimeoutError('No whole answer came in time', { cause });
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
