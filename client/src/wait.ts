/** Resolves after so many milliseconds. Rejects with the signal's reason as soon as it is aborted. */
export function wait(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // `as`: people may abort with anything, and get it back as it was.
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

/** The same promise, but for a caller who stops waiting with the signal. The work behind it goes on for others. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    // `as`: people may abort with anything, and get it back as it was.
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
