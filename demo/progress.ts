import { setTimeout as sleep } from 'node:timers/promises';

// Often enough for the eye, rarely enough to leave the processors to the service.
const REDRAW_EVERY_MS = 100;
const BACK_TO_START = '\r\u001b[K';

/** One line per phase on standard output; on a terminal the line is updated while the phase runs. */
export type Progress = {
  /** Runs `work` and ends its line with the final text of `state`. */
  during<T>(title: string, state: () => string, work: () => Promise<T>): Promise<T>;
};

export function createProgress(output: NodeJS.WriteStream, now: () => number = Date.now): Progress {
  return {
    async during(title, state, work) {
      const startedAt = now();
      const line = (): string => `${title.padEnd(34)} ${state()}`;
      const timer = output.isTTY ? setInterval(() => output.write(BACK_TO_START + line()), REDRAW_EVERY_MS) : undefined;
      try {
        return await work();
      } finally {
        clearInterval(timer);
        const seconds = ((now() - startedAt) / 1000).toFixed(1);
        output.write(`${output.isTTY ? BACK_TO_START : ''}${line()} (${seconds} s)\n`);
      }
    },
  };
}

/**
 * Waits until `count` has reached `wanted`; false when it has not moved for `patienceMs`: a slow machine needs time, a stuck service
 * shows no movement. Throws the reason of an aborted `signal`.
 */
export async function waitForCount(
  wanted: number,
  count: () => number | Promise<number>,
  { patienceMs, signal, everyMs }: { patienceMs: number; signal: AbortSignal; everyMs: number },
): Promise<boolean> {
  let last = -1;
  let movedAt = Date.now();
  for (;;) {
    const seen = await count();
    if (seen >= wanted) return true;
    if (seen !== last) movedAt = Date.now();
    last = seen;
    if (Date.now() - movedAt > patienceMs) return false;
    await sleep(everyMs, undefined, { signal });
  }
}
