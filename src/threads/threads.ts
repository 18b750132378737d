import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';

/** The job took longer than it may, or more memory than a thread has; its thread was ended. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** Too many jobs wait already. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

export type Threads<Job, Answer> = {
  /**
   * Does a job in a thread of its own and ends that thread after `limitMs` of it, not counting what other processes take the
   * processors away for. Of one `key` one job runs at a time, so that nobody's hostile work holds up the others; the job is
   * made when its turn has come. Rejects with TookTooLong or Overloaded.
   */
  run(key: string, makeJob: () => Job, limitMs: number): Promise<Answer>;
};

/** What the threads run, without its ending, and what the log calls their work. The module sends `Ready` when it can begin. */
export type ThreadEntry = { module: URL; purpose: string };
export type Ready = { kind: 'ready' };

// One can be hung by a hostile job while the other goes on; the machine's processors have other things to do.
const MAX_THREADS = 2;
const MAX_WAITING = 1_000;
// Of one key: 25 s of the worst there is.
const MAX_WAITING_OF_KEY = 100;
// A thread holds 30 MB; the next one is ready 0.3 s after it is needed again.
const IDLE_MS = 60_000;
// A job is waited for no longer beyond its limit, however little the machine lets it work.
const STARVED_MS = 5_000;
// Compiling the largest schema takes 40 MB, a payload of 256 KiB a few.
const MEMORY_MB = 128;

type Waiting<Job, Answer> = {
  key: string;
  makeJob: () => Job;
  limitMs: number;
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
};
type Thread<Job, Answer> = {
  worker: Worker;
  isReady: boolean;
  current?: Waiting<Job, Answer> | undefined;
  timer?: NodeJS.Timeout | undefined;
};

const isSource = import.meta.url.endsWith('.ts');
const LIMITS = { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } };

/** Node 20 reads no TypeScript, so what runs from source begins with its loader; a build needs none. */
function startWorker(module: URL): Worker {
  const entry = new URL(`${module.href}${isSource ? '.ts' : '.js'}`);
  if (!isSource) return new Worker(entry, LIMITS);
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx/package.json'));
  const loader = new URL('dist/esm/api/index.mjs', tsx);
  const begin = `import('${loader.href}').then(({ register }) => { register(); return import('${entry.href}'); })`;
  return new Worker(begin, { ...LIMITS, eval: true });
}

/** At most two threads that do nothing but what `entry` is for. */
export function createThreads<Job, Answer extends { kind: string }>(
  log: Logger,
  { module, purpose }: ThreadEntry,
): Threads<Job, Answer> {
  type Work = Waiting<Job, Answer>;
  const threads = new Set<Thread<Job, Answer>>();
  const running = new Set<string>();
  let waiting: Work[] = [];

  const discard = (thread: Thread<Job, Answer>): void => {
    clearTimeout(thread.timer);
    threads.delete(thread);
    void thread.worker.terminate();
  };

  const settle = (thread: Thread<Job, Answer>, outcome: (job: Work) => void): void => {
    const { current } = thread;
    clearTimeout(thread.timer);
    thread.current = undefined;
    if (current === undefined) return;
    running.delete(current.key);
    outcome(current);
  };

  const fail = (thread: Thread<Job, Answer>, error: unknown): void => {
    discard(thread);
    const isReady = thread.isReady;
    settle(thread, ({ reject }) => reject(error));
    // One that cannot even begin would be started for ever.
    if (!isReady) for (const { reject } of waiting.splice(0)) reject(error);
    pump();
  };

  const rest = (thread: Thread<Job, Answer>): void => {
    thread.worker.unref();
    thread.timer = setTimeout(() => discard(thread), IDLE_MS).unref();
  };

  const start = (): void => {
    const worker = startWorker(module);
    const thread: Thread<Job, Answer> = { worker, isReady: false };
    threads.add(thread);
    worker.on('message', (answer: Answer | Ready) => {
      // Of a thread that was given up a moment ago nothing counts any more.
      if (!threads.has(thread)) return;
      if (isReady(answer)) thread.isReady = true;
      else settle(thread, ({ resolve }) => resolve(answer));
      rest(thread);
      pump();
    });
    worker.on('error', (error: Error & { code?: string }) => {
      if (!threads.has(thread)) return;
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!isMemory) log.error({ err: error }, `a thread that ${purpose} failed`);
      fail(thread, isMemory ? new TookTooLong('out of memory') : error);
    });
  };

  const give = (thread: Thread<Job, Answer>, job: Work): void => {
    clearTimeout(thread.timer);
    thread.current = job;
    running.add(job.key);
    thread.worker.ref();
    thread.worker.postMessage(job.makeJob());
    const usage = process.cpuUsage();
    let waitedMs = 0;
    const judge = (): void => {
      if (thread.current !== job) return;
      const { user, system } = process.cpuUsage(usage);
      // The thread has worked no longer than the whole process: on a starved machine good work is not taken for hostile.
      const leftMs = job.limitMs - (user + system) / 1_000;
      const isPatient = waitedMs < job.limitMs + STARVED_MS;
      if (leftMs > 0 && isPatient) lookAfter(Math.ceil(leftMs));
      else fail(thread, new TookTooLong(`more than ${job.limitMs} ms`));
    };
    const lookAfter = (ms: number): void => {
      // Not by the clock: while this process is stopped, nothing of it works.
      waitedMs += ms;
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
    run: (key, makeJob, limitMs) =>
      new Promise((resolve, reject) => {
        const isFull = waiting.length >= MAX_WAITING;
        if (isFull || waiting.filter((each) => each.key === key).length >= MAX_WAITING_OF_KEY)
          return reject(new Overloaded(`${waiting.length} jobs are waiting`));
        waiting.push({ key, makeJob, limitMs, resolve, reject });
        pump();
      }),
  };
}

const isReady = (answer: { kind: string }): answer is Ready => answer.kind === 'ready';
