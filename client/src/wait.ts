/** Resolves after the delay. Rejects with the signal's reason as soon as it is aborted. */
export function wait(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // `as`: callers may abort with any value and get it back unchanged.
    const stop = (): void => reject(signal?.reason as Error);
    if (signal?.aborted === true) return stop();
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', finish);
      resolve();
    }, delayMs);
    const finish = (): void => {
      clearTimeout(timer);
      stop();
    };
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/**
 * Returns the same promise, but rejects as soon as the signal is aborted. The work itself continues for other callers.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    // `as`: callers may abort with any value and get it back unchanged.
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
