import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { createTurns } from './turns.ts';

/** The job took longer than it may, or more memory than a thread has; its thread was ended. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/** Too many jobs wait already. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}

/** Nobody wanted the job any more when its turn had not come yet. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

export type Threads<Job, Answer> = {
  /**
   * Does a job in a thread of its own and ends that thread after `limitMs` of it, not counting what other processes take the
   * processors away for. Of one `key` one job runs at a time, and the key that has had least goes first, so that nobody's
   * hostile work holds up the others; the job is made when its turn has come. Once `signal` is aborted it leaves the queue;
   * what has begun goes on. Rejects with TookTooLong, Overloaded or GivenUp.
   */
  run(key: string, makeJob: () => Job, limitMs: number, signal?: AbortSignal): Promise<Answer>;
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
// A job that runs for so long may end its thread: the next one is started meanwhile, where there is none.
const SPARE_AFTER_MS = 100;
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
  spareTimer?: NodeJS.Timeout | undefined;
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
  const turns = createTurns(() => performance.now());
  let waiting: Work[] = [];

  const discard = (thread: Thread<Job, Answer>): void => {
    clearTimeout(thread.timer);
    clearTimeout(thread.spareTimer);
    threads.delete(thread);
    void thread.worker.terminate();
  };

  const settle = (thread: Thread<Job, Answer>, outcome: (job: Work) => void): void => {
    const { current } = thread;
    clearTimeout(thread.timer);
    clearTimeout(thread.spareTimer);
    thread.current = undefined;
    if (current === undefined) return;
    running.delete(current.key);
    turns.end(current.key);
    outcome(current);
  };

  const fail = (thread: Thread<Job, Answer>, error: unknown): void => {
    discard(thread);
    const isReady = thread.isReady;
    settle(thread, ({ key, reject }) => {
      turns.mark(key);
      reject(error);
    });
    // One that cannot even begin would be started for ever.
    if (!isReady) for (const { reject } of waiting.splice(0)) reject(error);
    else startSpare();
    pump();
  };

  const rest = (thread: Thread<Job, Answer>): void => {
    thread.worker.unref();
    thread.timer = setTimeout(() => discard(thread), IDLE_MS).unref();
  };

  const start = (): Worker => {
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
    return worker;
  };

  /** Nobody waits for it yet, so it does not keep the process running. */
  const startSpare = (): void => {
    const isNeeded = [...threads].every(({ isReady, current }) => isReady && current !== undefined);
    if (isNeeded && threads.size < MAX_THREADS) start().unref();
  };

  const give = (thread: Thread<Job, Answer>, job: Work): void => {
    clearTimeout(thread.timer);
    thread.current = job;
    running.add(job.key);
    turns.begin(job.key);
    thread.worker.ref();
    thread.spareTimer = setTimeout(startSpare, SPARE_AFTER_MS).unref();
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
      if (waiting.every(({ key }) => running.has(key))) return;
      const ready = [...threads].filter(({ isReady }) => isReady);
      const next = turns.nextOf(waiting, running, ready.length);
      const idle = ready.find(({ current }) => current === undefined);
      if (next === undefined || idle === undefined) {
        for (const { worker, isReady } of threads) if (!isReady) worker.ref();
        if (threads.size < MAX_THREADS && threads.size === ready.length) start();
        return;
      }
      waiting = waiting.filter((each) => each !== next);
      give(idle, next);
    }
  };

  return {
    run: (key, makeJob, limitMs, signal) =>
      new Promise((resolve, reject) => {
        const isFull = waiting.length >= MAX_WAITING;
        if (isFull || waiting.filter((each) => each.key === key).length >= MAX_WAITING_OF_KEY)
          return reject(new Overloaded(`${waiting.length} jobs are waiting`));
        const job = { key, makeJob, limitMs, resolve, reject };
        waiting.push(job);
        signal?.addEventListener('abort', () => {
          if (!waiting.includes(job)) return;
          waiting = waiting.filter((each) => each !== job);
          reject(new GivenUp('the job was given up'));
        });
        pump();
      }),
  };
}

const isReady = (answer: { kind: string }): answer is Ready => answer.kind === 'ready';
