import type { Logger } from 'pino';
import Tinypool from 'tinypool';
import type { ThreadAnswer, ThreadWork } from './schema-thread.ts';

/** The job took longer than it may, or more memory than a thread has; its thread was ended. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** A job before it has the memory in which its thread says that it has begun. */
export type SchemaWork = {
  [Kind in ThreadWork['kind']]: Omit<Extract<ThreadWork, { kind: Kind }>, 'begun'>;
}[ThreadWork['kind']];

export type SchemaPool = {
  /** Rejects with TookTooLong after `limitMs` of work. Jobs are done in the order in which they come. */
  run(work: SchemaWork, limitMs: number): Promise<ThreadAnswer>;
};

// Compiling the largest schema takes 40 MB, a payload of 256 KiB a few.
const MEMORY_MB = 128;
// A thread holds 30 MB; the next one is ready 0.3 s after it is needed again.
const IDLE_MS = 60_000;
// A job is waited for no longer beyond its limit, however little the machine lets it work.
const STARVED_MS = 5_000;
// How often a job is looked for that waits for its thread.
const LOOK_EVERY_MS = 100;

// From source as from a build: the thread's module has the ending of this one.
const THREAD = new URL(`./schema-thread${import.meta.url.slice(-3)}`, import.meta.url).href;

/** One thread, made when it is needed first, that does one job after the other and is ended with one that takes too long. */
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
    // Failure of a thread that has no job: one that cannot begin would leave the jobs that wait for it waiting for ever.
    made.on('error', (error) => {
      log.error({ err: error }, 'a thread that checks schemas failed; the next job begins another one');
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
      // `as`: that is what the thread answers.
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
      // Jobs queue here: the pool begins no thread for those in its own queue when the thread before them has been ended.
      const job = last.then(() => runNow(work, limitMs));
      last = job.catch(() => undefined);
      return job;
    },
  };
}

/**
 * Calls `end` when a job has worked for longer than its limit. Its thread has worked no longer than the whole process: on
 * a starved machine good work is not taken for hostile. Returns what ends the watching.
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
    // Not by the clock: while this process is stopped, nothing of it works.
    waitedMs += ms;
    // After a pause of this process's own the answer may lie there already: it is read before the verdict.
    timer = setTimeout(() => setImmediate(look), ms);
  };
  lookAfter(LOOK_EVERY_MS);
  return () => {
    clearTimeout(timer);
  };
}
