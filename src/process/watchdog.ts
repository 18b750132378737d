import { write } from 'node:fs';
import { url as debuggerUrl } from 'node:inspector';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import type { Logger } from 'pino';

const TICK_MS = 1_000;
/** As long as a supervisor waits for a silent service process. */
const SILENT_TICKS = 30;
// Nobody may be reading standard error.
const WRITTEN_WITHIN_MS = 1_000;

type Watched = { beats: Int32Array<SharedArrayBuffer>; silentTicks: number };

/**
 * Kills this process with SIGKILL once its event loop has been blocked for 30 s, as in an endless loop. For the only process of a
 * command: no supervisor watches it, and it can neither respond nor end by itself. A container or systemd restarts it, and
 * src/platform/crashes then knows what it was working on. The thread counts its own ticks instead of using a clock, because a suspended
 * machine or a stopped process stops the thread too.
 */
export function startWatchdog(log: Logger, { silentTicks = SILENT_TICKS } = {}): void {
  // A debugger stops the event loop for as long as a person is reading.
  if (debuggerUrl() !== undefined) return;
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setInterval(() => Atomics.add(beats, 0, 1), TICK_MS).unref();
  const watched: Watched = { beats, silentTicks };
  const thread = new Worker(new URL(import.meta.url), { workerData: watched, execArgv: [] });
  thread.on('error', (err) =>
    log.error({ err }, 'the watchdog ended; an endless loop would not be noticed until the next start'),
  );
  thread.unref();
}

function watch({ beats, silentTicks }: Watched): void {
  let [last, silent] = [Atomics.load(beats, 0), 0];
  setInterval(() => {
    const beat = Atomics.load(beats, 0);
    silent = beat === last ? silent + 1 : 0;
    last = beat;
    if (silent !== silentTicks) return;
    const end = (): boolean => process.kill(process.pid, 'SIGKILL');
    const silentS = (silentTicks * TICK_MS) / 1_000;
    write(
      2,
      `posthorn: the event loop has been blocked for ${silentS} s, so this process kills itself with SIGKILL\n`,
      end,
    );
    setTimeout(end, WRITTEN_WITHIN_MS);
  }, TICK_MS);
}

// `as`: the data that `startWatchdog` gives its thread.
if (!isMainThread) watch(workerData as Watched);
