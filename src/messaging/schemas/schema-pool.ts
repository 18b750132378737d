import type { Logger } from 'pino';
import Tinypool from 'tinypool';
import type { ThreadAnswer, ThreadWork } from './schema-thread.ts';

/** A job took longer than allowed or more memory than a thread has. Its thread was terminated. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** A job, without the shared memory in which the thread reports that it has started. */
export type SchemaWork = {
  [Kind in ThreadWork['kind']]: Omit<Extract<ThreadWork, { kind: Kind }>, 'begun'>;
}[ThreadWork['kind']];

export type SchemaPool = {
  /** Rejects with TookTooLong after `limitMs` of work. Jobs run in order. */
  run(work: SchemaWork, limitMs: number): Promise<ThreadAnswer>;
};

// Compiling the largest schema takes 40 MB, and a payload of 256 KiB a few.
const MEMORY_MB = 128;
// An idle thread holds 30 MB; a new one is ready after 0.3 s.
const IDLE_MS = 60_000;
// A job is aborted this long after its limit, however little CPU the machine gave it.
const STARVED_MS = 5_000;
// How often to check whether a waiting job has started.
const LOOK_EVERY_MS = 100;

// Works from source and from a build: the thread's module has the same extension as this one.
const THREAD = new URL(`./schema-thread${import.meta.url.slice(-3)}`, import.meta.url).href;

/**
 * A single thread, created when it is first needed, that runs one job after the other and is terminated if one takes
 * too long.
 */
export function createSchemaPool(log: Logger): SchemaPool {
  let pool: Tinypool | undefined;
  const waiting = new Set<(error: unknown) => void>();
  const makePool = (): Tinypool => {
    const made = new Tinypool({
      filename: THREAD,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    // A failure of a thread without a job. If a thread cannot start, the jobs that wait for it would wait forever.
    made.on('error', (error) => {
      log.error({ err: error }, 'a thread that checks schemas failed; the next job will start another one');
      pool = undefined;
      for (const fail of waiting) fail(error);
    });
    return made;
  };

  const runNow = async (work: SchemaWork, limitMs: number): Promise<ThreadAnswer> => {
    pool ??= makePool();
    const begun = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const controller = new AbortController();
    const stopWatching = watch(begun, limitMs, () => controller.abort());
    const job: ThreadWork = { ...work, begun };
    let fail = (_error: unknown): void => {};
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
      waiting.add(fail);
    });
    try {
      // `as`: that is what the thread returns.
      return (await Promise.race([failed, pool.run(job, { signal: controller.signal })])) as ThreadAnswer;
    } catch (error) {
      const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (controller.signal.aborted || isMemory)
        throw new TookTooLong(`more than ${limitMs} ms, or out of memory`, { cause: error });
      throw error;
    } finally {
      waiting.delete(fail);
      stopWatching();
    }
  };

  let last: Promise<unknown> = Promise.resolve();
  return {
    run(work, limitMs) {
      // Jobs are queued here, because the pool does not start a thread for jobs in its own queue after the previous
      // thread was terminated.
      const job = last.then(() => runNow(work, limitMs));
      last = job.catch(() => undefined);
      return job;
    },
  };
}

/**
 * Calls `end` when a job has worked for longer than its limit. A thread cannot have worked longer than the CPU time of
 * the whole process, so a harmless job on a starved machine is not aborted. Returns a function that stops watching.
 */
function watch(begun: Int32Array, limitMs: number, end: () => void): () => void {
  let usage: NodeJS.CpuUsage | undefined;
  let waitedMs = 0;
  let timer: NodeJS.Timeout;
  const look = (): void => {
    if (Atomics.load(begun, 0) === 0) return lookAfter(LOOK_EVERY_MS);
    if (usage === undefined) {
      usage = process.cpuUsage();
      waitedMs = 0;
      return lookAfter(limitMs);
    }
    const { user, system } = process.cpuUsage(usage);
    const leftMs = limitMs - (user + system) / 1_000;
    if (leftMs > 0 && waitedMs < limitMs + STARVED_MS) lookAfter(Math.ceil(leftMs));
    else end();
  };
  const lookAfter = (ms: number): void => {
    // Not by the clock: while this process is stopped, nothing in it works.
    waitedMs += ms;
    // After a pause of this process, the response may already be there, so handle it before deciding.
    timer = setTimeout(() => setImmediate(look), ms);
  };
  lookAfter(LOOK_EVERY_MS);
  return () => {
    clearTimeout(timer);
  };
}
