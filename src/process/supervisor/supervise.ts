import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { Config } from '../../platform/config/config.ts';
import { heapLimitOf } from '../../platform/machine.ts';
import type { OwnEndpoint } from '../../platform/outbound/guard/own-addresses.ts';
import { type CountingFor, createAnsweringCounters } from '../../platform/rate-limits/shared-counters.ts';
import type { ProcessState } from '../../platform/readiness/readiness.ts';
import { serveMetrics } from './metrics-port.ts';
import { createObserver, type Observed } from './observe.ts';
import { createQuestions } from './questions.ts';
import type { Assignment, ServiceRole, ToProcess, ToSupervisor } from './messages.ts';

// From source as from a build: the entry has the ending of this module.
const ENTRY = fileURLToPath(new URL(`../service-process${import.meta.url.slice(-3)}`, import.meta.url));
// The last words of a dead process are in the pipe already. Its end is not told while a connection was handed on and not taken, and two
// seconds of waiting for it were a pause for whoever had that connection, and for the takeover of its claims.
const EMPTIED_WITHIN_MS = 100;
/** Turns of the event loop behind that time, each of which reads what is in the pipe, also where one of them took long. */
const EMPTYING_TURNS = 3;
/** Turns of the event loop in which connections that wait in the listener's backlog are still handed on, when a drain begins. */
const ACCEPTING_TURNS = 10;
// An API drains for 25 s and its worker for 40 s at most. A process that still runs then hangs.
const DRAINED_WITHIN_MS = 75_000;
// A changed key is committed already, and a process that hangs for longer answers nobody meanwhile. Its belief ends after 5 s.
const FORGOTTEN_WITHIN_MS = 2_000;
// An event loop that turns no more, as in a loop without end, answers nobody and never ends by itself.
const HANGS_AFTER_MS = 30_000;
const LOOK_FOR_HANGING_EVERY_MS = 5_000;
// A request that is about to be refused waits so long for a process that hangs: as long as for a Redis that does.
const COUNTED_WITHIN_MS = 200;

export type SupervisedRole = {
  role: ServiceRole;
  /** With a port that is known: all processes listen on it. */
  config: Config;
  log: Logger;
  temporalAddress?: string;
  /** Where the embedded servers listen, and news of where they do after a restart. */
  own?: { all(): readonly OwnEndpoint[]; onAdded(listener: (endpoints: readonly OwnEndpoint[]) => void): void };
  /** Ends the start. */
  signal: AbortSignal;
  /** Told what the processes wait for, each sentence once. */
  tell: (sentence: string) => void;
};

export type Supervisor = {
  /** Resolves with a reason when the processes cannot be kept up. */
  failed: Promise<string>;
  /** Drains all processes at once. */
  stop(): Promise<void>;
};

/** One life of a service process. */
type Life = Observed & {
  number: number;
  worker: Worker;
  state: ProcessState['state'];
  restarts: number;
  /** This number has been ready, in this life or an earlier one. */
  hasBeenReady: boolean;
  hasJoined: boolean;
  /** When it last said anything, ms of performance.now(). */
  heardAt: number;
  /** The fault that ended its start, as a sentence. */
  failure?: string;
  incarnationId?: string;
  counting: CountingFor;
  ended: Promise<string>;
};

/**
 * Forks the service processes and keeps them running. They share one port, by turns (round robin); one count of the rate limits; and
 * the news of changed keys and of each other's deaths. Returns when all of them are ready. Throws the sentence of one that could not
 * start, once the others have ended.
 */
export async function supervise(supervised: SupervisedRole): Promise<Supervisor> {
  const { role, config, log, signal, tell, own, temporalAddress } = supervised;
  const counters = createAnsweringCounters();
  const questions = createQuestions<Life>();
  const deaths = createDeaths(() => performance.now());
  const handed = createHandedConnections();
  const lives = new Map<number, Life>();
  let isStopping = false;
  let told: string | undefined;
  let allAreReady = (): void => undefined;
  let giveUp: (sentence: string) => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    allAreReady = resolve;
  });
  const failed = new Promise<string>((resolve) => {
    giveUp = resolve;
  });

  const setUp = (): void => {
    // Windows and an environment variable choose otherwise; connections would then gather at some of the processes.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    const heapMib = heapLimitOf(config.processes);
    cluster.setupPrimary({
      exec: ENTRY,
      args: [role],
      execArgv: [...process.execArgv, ...(heapMib === undefined ? [] : [`--max-old-space-size=${heapMib}`])],
      serialization: 'advanced',
    });
  };

  const tableNow = (): ProcessState[] =>
    [...lives.values()].map(({ number, worker, state, restarts }) => ({
      number,
      pid: worker.process.pid ?? 0,
      state,
      restarts,
    }));
  const showTable = (): void => {
    const table = tableNow();
    for (const life of joined()) post(life, { kind: 'table', table });
  };
  const joined = (): Life[] => [...lives.values()].filter(({ hasJoined }) => hasJoined);
  const observer = createObserver<Life>({ questions, joined, table: tableNow, say: post });
  const othersThan = (life: Life): Life[] => joined().filter((each) => each !== life);

  const hear = (life: Life, message: ToSupervisor): void => {
    life.heardAt = performance.now();
    switch (message.kind) {
      case 'joined': {
        const { number, restarts } = life;
        const isReplacement = restarts > 0;
        const assignment: Assignment = { role, number, isReplacement, config, temporalAddress, own: own?.all() ?? [] };
        post(life, { kind: 'begin', assignment });
        if (isStopping) post(life, { kind: 'stop' });
        life.hasJoined = true;
        return showTable();
      }
      case 'alive':
        return;
      case 'claims':
        life.incarnationId = message.incarnationId;
        return;
      case 'ready':
        if (life.state === 'starting') life.state = 'running';
        life.hasBeenReady = true;
        showTable();
        if ([...lives.values()].every(({ hasBeenReady }) => hasBeenReady)) allAreReady();
        return;
      case 'waits':
        if (message.sentence !== told) tell(message.sentence);
        told = message.sentence;
        return;
      case 'failed':
        life.failure = message.sentence;
        return;
      case 'count':
        void life.counting.answer(message.commands).then((answers) => {
          if (answers.length > 0) post(life, { kind: 'counted', batch: message.batch, answers });
        });
        return;
      case 'keyChanged': {
        const { id, change } = message;
        void questions
          .ask(othersThan(life), FORGOTTEN_WITHIN_MS, (other, question) =>
            post(other, { kind: 'forgetKey', question, id }),
          )
          .then(() => post(life, { kind: 'keyForgotten', change }));
        return;
      }
      case 'observed':
        return observer.hear(life, message);
      case 'done':
        return questions.hear(life, message.question);
    }
  };

  const fork = (number: number, { restarts, hasBeenReady }: Pick<Life, 'restarts' | 'hasBeenReady'>): void => {
    const worker = cluster.fork();
    handed.watch(worker);
    // A process that cannot be forked or told something ends, and that is heard.
    worker.on('error', (error) =>
      log.warn({ err: error, process: number }, 'a service process could not be told something'),
    );
    const sayCounts = async (): Promise<void> => {
      await questions.ask(othersThan(life), COUNTED_WITHIN_MS, (other, question) =>
        post(other, { kind: 'sayCounts', question }),
      );
    };
    const life: Life = {
      number,
      worker,
      state: 'starting',
      restarts,
      hasBeenReady,
      hasJoined: false,
      heardAt: performance.now(),
      observed: {},
      counting: counters.connect(sayCounts),
      ended: endOf(worker),
    };
    lives.set(number, life);
    worker.on('message', (message: ToSupervisor) => hear(life, message));
    void life.ended.then((how) => bury(life, how));
    showTable();
  };

  const bury = (life: Life, how: string): void => {
    const { number, incarnationId, failure, hasBeenReady } = life;
    life.hasJoined = false;
    life.counting.end();
    questions.leave(life);
    handed.giveBack(life.worker);
    if (isStopping) return;
    if (incarnationId !== undefined) for (const other of joined()) post(other, { kind: 'died', incarnationId });
    if (!hasBeenReady && failure !== undefined) return giveUp(failure);
    const what = `process ${number} of ${config.processes} ended (${failure ?? how})`;
    if (life.state === 'starting' && deaths.add())
      return giveUp(`${what} before it was ready, the fifth within a minute: stopping`);
    observer.bury(life);
    observer.restarted();
    log.error({ process: number, endedPid: life.worker.process.pid }, `${what}; it is started again`);
    fork(number, { restarts: life.restarts + 1, hasBeenReady });
  };

  const stop = async (): Promise<void> => {
    isStopping = true;
    for (let turn = 0; turn < ACCEPTING_TURNS; turn += 1) await setImmediate();
    for (const life of lives.values()) {
      life.state = 'stopping';
      post(life, { kind: 'stop' });
    }
    showTable();
    const killing = setTimeout(() => {
      for (const { worker } of lives.values()) worker.process.kill('SIGKILL');
    }, DRAINED_WITHIN_MS);
    await Promise.all([...lives.values()].map(({ ended }) => ended));
    clearTimeout(killing);
    clearInterval(hanging);
    await metrics?.stop();
  };

  let lookedAt = performance.now();
  const hanging = setInterval(() => {
    const now = performance.now();
    const wasPaused = now - lookedAt > 2 * LOOK_FOR_HANGING_EVERY_MS;
    lookedAt = now;
    for (const life of joined()) {
      // After a pause of this process, or of the machine, all have to be heard first.
      if (wasPaused) life.heardAt = now;
      if (now - life.heardAt < HANGS_AFTER_MS) continue;
      log.error({ process: life.number }, 'a service process has said nothing for 30 s: it hangs, and is ended');
      life.worker.process.kill('SIGKILL');
    }
  }, LOOK_FOR_HANGING_EVERY_MS);
  hanging.unref();

  setUp();
  const metrics =
    config.metricsPort === undefined
      ? undefined
      : await serveMetrics({ port: config.metricsPort, host: config.listenHost }, log, {
          page: observer.page,
          ready: observer.ready,
        });
  own?.onAdded((endpoints) => {
    for (const life of joined()) post(life, { kind: 'own', endpoints });
  });
  for (let number = 1; number <= config.processes; number += 1) fork(number, { restarts: 0, hasBeenReady: false });
  try {
    await Promise.race([ready, failed.then(refuse), untilAborted(signal)]);
  } catch (failure) {
    await stop();
    throw failure;
  }
  return { failed, stop };
}

function post({ worker }: Life, message: ToProcess): void {
  // A process that dies meanwhile needs no news; without the callback that would be an `error` event.
  worker.process.send?.(message, undefined, undefined, () => undefined);
}

/** Its last words are read before its end is told: the exit may be heard before the pipe is empty. */
async function endOf(worker: Worker): Promise<string> {
  const emptied = new Promise<void>((resolve) => worker.once('disconnect', () => resolve()));
  const how = await new Promise<string>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve(signal ?? `exit code ${code}`));
    worker.process.once('error', ({ message }) => {
      // Without a pid it was never there, and neither `exit` nor `disconnect` follow.
      if (worker.process.pid === undefined) resolve(message);
    });
  });
  // A killed process was once neither started again nor counted as gone: its exit had been heard, and the end of its pipe had not.
  if (worker.process.pid !== undefined) await Promise.race([emptied, read()]);
  return how;
}

async function read(): Promise<void> {
  await sleep(EMPTIED_WITHIN_MS);
  for (let turn = 0; turn < EMPTYING_TURNS; turn += 1) await setImmediate();
}

function refuse(sentence: string): never {
  throw new Error(sentence);
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    // `as`: the reason is the Stopped of roles/serving/stop-request.ts.
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  });

/** A connection that node:cluster gives to a worker, as its round robin writes it (lib/internal/cluster/round_robin_handle.js of Node). */
type Offer = { cmd?: unknown; act?: unknown; seq?: unknown };
type Connection = { close(): void };
/** The answer to one: `ack` is the number of the offer. */
type Answer = { cmd?: unknown; ack?: unknown };

type HandedConnections = {
  /** Remembers what the worker is given and has not taken yet. Called before it listens. */
  watch(worker: Worker): void;
  /** Gives what a dead worker has not taken to one that listens, else hangs up. Called when its pipe is empty. */
  giveBack(worker: Worker): void;
};

/**
 * Connections on their way to a service process. node:cluster forgets one whose worker dies before it takes it: its caller then waits
 * for ever, since the supervisor holds the connection open. A worker that stands still has one such connection at most.
 */
function createHandedConnections(): HandedConnections {
  const given = new Map<Worker, Map<number, Connection>>();
  const listening = new Set<Worker>();
  return {
    watch(worker) {
      const connections = new Map<number, Connection>();
      given.set(worker, connections);
      worker.on('listening', () => listening.add(worker));
      worker.on('disconnect', () => listening.delete(worker));
      const { process: child } = worker;
      const send = child.send.bind(child);
      // `as`: all forms of `send`, whose arguments go on unread.
      child.send = ((...words: Parameters<typeof send>) => {
        const [offer, connection] = words as [Offer, Connection | undefined];
        if (offer.cmd === 'NODE_CLUSTER' && offer.act === 'newconn' && typeof offer.seq === 'number' && connection)
          connections.set(offer.seq, connection);
        return send(...words);
      }) as typeof child.send;
      child.on('internalMessage', ({ cmd, ack }: Answer) => {
        if (cmd === 'NODE_CLUSTER' && typeof ack === 'number') connections.delete(ack);
      });
    },
    giveBack(worker) {
      const connections = [...(given.get(worker) ?? [])];
      given.delete(worker);
      listening.delete(worker);
      // Node waits for a message more where the pipe ended within a handle's: only then is this worker out of the round robin.
      worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER' }, undefined);
      for (const [seq, connection] of connections) {
        // The round robin gives to another what a worker has refused. Without another it would keep the connection for ever.
        if (listening.size > 0)
          worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false }, undefined);
        else connection.close();
      }
    },
  };
}

// Five deaths within a minute before a process was ready are no accident, and a sixth start would not change that. One that was ready has
// served others, and what it died of is given up after three deaths (src/platform/crashes).
const TOO_MANY = 5;
const WITHIN_MS = 60_000;

/**
 * Counts deaths of service processes that were not ready yet; `now` in ms. The result of `add` says whether they are too many to start
 * another one.
 */
export function createDeaths(now: () => number): { add(): boolean } {
  let deaths: number[] = [];
  return {
    add() {
      deaths = [...deaths.filter((at) => at > now() - WITHIN_MS), now()];
      return deaths.length >= TOO_MANY;
    },
  };
}
