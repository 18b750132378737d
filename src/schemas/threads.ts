import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { Answer, Job } from './schema-thread.ts';

/** The job took longer than it may, or more memory than a thread has; its thread was ended. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** Too many jobs wait already. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

export type Threads = {
  /**
   * Does a job in a thread of its own and ends that thread after `limitMs` of it, not counting what other processes take the
   * processors away for. Of one `key` one job runs at a time, so that nobody's hostile schemas hold up the others. Rejects
   * with TookTooLong or Overloaded.
   */
  run(key: string, job: Job, limitMs: number): Promise<Answer>;
};

// One can be hung by a hostile schema while the other goes on; the machine's processors have other things to do.
const MAX_THREADS = 2;
const MAX_WAITING = 1_000;
// Of one key: 25 s of the worst there is.
const MAX_WAITING_OF_KEY = 100;
// A thread holds 30 MB; the next one is ready 0.3 s after it is needed again.
const IDLE_MS = 60_000;
// A job is waited for no longer beyond its limit, however little the machine lets it work.
const STARVED_MS = 5_000;
// Compiling the largest schema takes 40 MB.
const MEMORY_MB = 128;

type Waiting = {
  key: string;
  job: Job;
  limitMs: number;
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
};
type Thread = { worker: Worker; isReady: boolean; current?: Waiting | undefined; timer?: NodeJS.Timeout | undefined };

const isSource = import.meta.url.endsWith('.ts');
const ENTRY = new URL(`./schema-thread${isSource ? '.ts' : '.js'}`, import.meta.url);
const LIMITS = { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } };

/** Node 20 reads no TypeScript, so what runs from source begins with its loader; a build needs none. */
function startWorker(): Worker {
  if (!isSource) return new Worker(ENTRY, LIMITS);
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json'));
  const loader = new URL('dist/esm/api/index.mjs', tsx);
  const begin = `import('${loader.href}').then(({ register }) => { register(); return import('${ENTRY.href}'); })`;
  return new Worker(begin, { ...LIMITS, eval: true });
}

export function createThreads(log: Logger): Threads {
  const threads = new Set<Thread>();
  const running = new Set<string>();
  let waiting: Waiting[] = [];

  const discard = (thread: Thread): void => {
    clearTimeout(thread.timer);
    threads.delete(thread);
    void thread.worker.terminate();
  };

  const settle = (thread: Thread, outcome: (job: Waiting) => void): void => {
    const { current } = thread;
    clearTimeout(thread.timer);
    thread.current = undefined;
    if (current === undefined) return;
    running.delete(current.key);
    outcome(current);
  };

  const fail = (thread: Thread, error: unknown): void => {
    discard(thread);
    const isReady = thread.isReady;
    settle(thread, ({ reject }) => reject(error));
    // One that cannot even begin would be started for ever.
    if (!isReady) for (const { reject } of waiting.splice(0)) reject(error);
    pump();
  };

  const rest = (thread: Thread): void => {
    thread.worker.unref();
    thread.timer = setTimeout(() => discard(thread), IDLE_MS).unref();
  };

  const start = (): void => {
    const worker = startWorker();
    const thread: Thread = { worker, isReady: false };
    threads.add(thread);
    worker.on('message', (answer: Answer) => {
      // Of a thread that was given up a moment ago nothing counts any more.
      if (!threads.has(thread)) return;
      if (answer.kind === 'ready') thread.isReady = true;
      else settle(thread, ({ resolve }) => resolve(answer));
      rest(thread);
      pump();
    });
    worker.on('error', (error: Error & { code?: string }) => {
      if (!threads.has(thread)) return;
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!isMemory) log.error({ err: error }, 'the thread that checks schemas failed');
      fail(thread, isMemory ? new TookTooLong('out of memory') : error);
    });
  };

  const give = (thread: Thread, job: Waiting): void => {
    clearTimeout(thread.timer);
    thread.current = job;
    running.add(job.key);
    thread.worker.ref();
    thread.worker.postMessage(job.job);
    const [givenAt, usage] = [performance.now(), process.cpuUsage()];
    const judge = (): void => {
      if (thread.current !== job) return;
      const { user, system } = process.cpuUsage(usage);
      // The thread has worked no longer than the whole process: on a starved machine a good schema is no hostile one.
      const leftMs = job.limitMs - (user + system) / 1_000;
      const isPatient = performance.now() - givenAt < job.limitMs + STARVED_MS;
      if (leftMs > 0 && isPatient) lookAfter(Math.ceil(leftMs));
      else fail(thread, new TookTooLong(`more than ${job.limitMs} ms`));
    };
    const lookAfter = (ms: number): void => {
      // After a pause of this process's own the answer may lie there already: it is read before the verdict.
      thread.timer = setTimeout(() => setImmediate(judge), ms);
    };
    lookAfter(job.limitMs);
  };

  const pump = (): void => {
    for (;;) {
      const next = waiting.find(({ key }) => !running.has(key));
      if (next === undefined) return;
      const idle = [...threads].find(({ isReady, current }) => isReady && current === undefined);
      if (idle === undefined) {
        const starting = [...threads].filter(({ isReady }) => !isReady).length;
        if (threads.size < MAX_THREADS && starting === 0) start();
        return;
      }
      waiting = waiting.filter((each) => each !== next);
      give(idle, next);
    }
  };

  return {
    run: (key, job, limitMs) =>
      new Promise((resolve, reject) => {
        const isFull = waiting.length >= MAX_WAITING;
        if (isFull || waiting.filter((each) => each.key === key).length >= MAX_WAITING_OF_KEY)
          return reject(new Overloaded(`${waiting.length} jobs are waiting`));
        waiting.push({ key, job, limitMs, resolve, reject });
        pump();
      }),
  };
}
