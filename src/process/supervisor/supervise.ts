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

// The entry has the same file extension as this module, so it works from source and from a build.
const ENTRY = fileURLToPath(new URL(`../service-process${import.meta.url.slice(-3)}`, import.meta.url));
// The last messages of a dead process are already in the pipe. Node does not report the end of the pipe while a connection was handed
// over and not accepted, and waiting two seconds for it delayed the caller of that connection and the takeover of the process's claims.
const EMPTIED_WITHIN_MS = 100;
/** Turns of the event loop after that time, each of which reads what is in the pipe, in case one of them was slow. */
const EMPTYING_TURNS = 3;
/** When a drain begins, connections that wait in the listener's backlog are still handed over for this many turns of the event loop. */
const ACCEPTING_TURNS = 10;
// An API drains within 25 s and its worker within 40 s. A process that is still running after this hangs.
const DRAINED_WITHIN_MS = 75_000;
// The change of the key is already committed. A process that hangs for longer than this is not serving requests, and its cached copy
// expires after 5 s.
const FORGOTTEN_WITHIN_MS = 2_000;
// A blocked event loop, as in an endless loop, handles nothing and never ends by itself.
const HANGS_AFTER_MS = 30_000;
const LOOK_FOR_HANGING_EVERY_MS = 5_000;
// A request that is about to be rejected waits this long for the counters of a hanging process, as long as for a hanging Redis.
const COUNTED_WITHIN_MS = 200;

export type SupervisedRole = {
  role: ServiceRole;
  /** With a known port, on which all processes listen. */
  config: Config;
  log: Logger;
  temporalAddress?: string;
  /** Where the embedded servers listen, and updates after a restart. */
  own?: { all(): readonly OwnEndpoint[]; onAdded(listener: (endpoints: readonly OwnEndpoint[]) => void): void };
  /** Aborts the start. */
  signal: AbortSignal;
  /** Receives what the processes are waiting for, each sentence once. */
  tell: (sentence: string) => void;
};

export type Supervisor = {
  /** Resolves with a reason if the processes cannot be kept running. */
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
  /** Whether the process with this number has been ready, in this life or an earlier one. */
  hasBeenReady: boolean;
  hasJoined: boolean;
  /** When it last sent anything, in ms of performance.now(). */
  heardAt: number;
  /** The failure that ended its start, as a sentence. */
  failure?: string;
  incarnationId?: string;
  counting: CountingFor;
  ended: Promise<string>;
};

/**
 * Forks the service processes and keeps them running. They share one port (round robin), one count of the rate limits, and the news of
 * changed keys and of each other's crashes. Returns when all of them are ready. If one cannot start, throws its sentence once the
 * others have ended.
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
    // Windows and an environment variable could choose another policy, and connections would then accumulate at some of the processes.
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
    // A process that cannot be forked or reached ends, which is noticed.
    worker.on('error', (error) =>
      log.warn({ err: error, process: number }, 'could not send a message to a service process'),
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
      return giveUp(`${what} before it was ready, the fifth within a minute; stopping`);
    observer.bury(life);
    observer.restarted();
    log.error({ process: number, endedPid: life.worker.process.pid }, `${what}; restarting it`);
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
      // After a pause of this process or of the machine, wait to hear from all of them first.
      if (wasPaused) life.heardAt = now;
      if (now - life.heardAt < HANGS_AFTER_MS) continue;
      log.error(
        { process: life.number },
        'a service process was silent for 30 s, so it hangs; killing and restarting it',
      );
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
  // A process that dies meanwhile does not need the message; without the callback there would be an `error` event.
  worker.process.send?.(message, undefined, undefined, () => undefined);
}

/** Resolves after its last messages were read: the exit may be noticed before the pipe is empty. */
async function endOf(worker: Worker): Promise<string> {
  const emptied = new Promise<void>((resolve) => worker.once('disconnect', () => resolve()));
  const how = await new Promise<string>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve(signal ?? `exit code ${code}`));
    worker.process.once('error', ({ message }) => {
      // Without a pid it never existed, and neither `exit` nor `disconnect` follow.
      if (worker.process.pid === undefined) resolve(message);
    });
  });
  // A killed process was once neither restarted nor removed, because its exit was noticed but the end of its pipe was not.
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

/** A connection that node:cluster hands to a worker, as its round robin sends it (lib/internal/cluster/round_robin_handle.js of Node). */
type Offer = { cmd?: unknown; act?: unknown; seq?: unknown };
type Connection = { close(): void };
/** The reply to it: `ack` is the number of the offer. */
type Answer = { cmd?: unknown; ack?: unknown };

type HandedConnections = {
  /** Tracks the connections that the worker was given and has not accepted yet. Called before it listens. */
  watch(worker: Worker): void;
  /**
   * Passes the connections that a dead worker has not accepted to one that listens, otherwise closes them. Called when its pipe is
   * empty.
   */
  giveBack(worker: Worker): void;
};

/**
 * Tracks connections on their way to a service process. If a worker dies before it accepts a connection, node:cluster forgets it: its
 * caller then waits forever, since the supervisor keeps the connection open. A blocked worker has at most one such connection.
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
      // `as`: all overloads of `send`, whose arguments are passed on unread.
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
      // If the pipe ended within a handle's message, Node waits for one more message; only then does it remove this worker from the
      // round robin.
      worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER' }, undefined);
      for (const [seq, connection] of connections) {
        // The round robin passes a rejected connection to another worker. Without another it would keep the connection forever.
        if (listening.size > 0)
          worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack: seq, accepted: false }, undefined);
        else connection.close();
      }
    },
  };
}

// Five crashes within a minute before a process was ready are not a coincidence, and a sixth start would not change that. A process
// that was ready has served others, and the work that crashed it is given up after three crashes (src/platform/crashes).
const TOO_MANY = 5;
const WITHIN_MS = 60_000;

/**
 * Counts crashes of service processes that were not ready yet; `now` in ms. `add` returns whether there were too many to start another
 * one.
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
