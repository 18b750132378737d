import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isProcess, PID_NAMESPACE } from '../machine.ts';
import {
  afterResponse,
  countDeath,
  endWorkLeases,
  forgetOldWork,
  holdersInHand,
  MAX_WORK_DEATHS,
  putDown,
  renewHolder,
  survive,
  takeInHand,
  type WorkKind,
  type WorkPart,
} from './work-store.ts';

// A quarter of a lease.
const RENEW_EVERY_MS = 1_000;
// Work stays in hand for this long after its last part, so that a run of many short steps is recorded once.
const PUT_DOWN_AFTER_MS = 1_000;
const FORGET_EVERY_MS = 300_000;
// A process needs a few times this long to start.
const NOT_READY_MS = 1_000;

/** Thrown instead of starting work that has crashed three processes. It is not started again. */
export class WorkIsDeadly extends Error {
  override readonly name = 'WorkIsDeadly';
  constructor() {
    super(`the process crashed ${MAX_WORK_DEATHS} times while working on this, so it was given up`);
  }
}

/** Thrown instead of starting work that has crashed processes, while its pause lasts. It may start in `inMs`. */
export class WorkPauses extends Error {
  override readonly name = 'WorkPauses';
  readonly inMs: number;
  constructor(inMs: number) {
    super(`the process crashed while working on this; it will be retried in ${Math.ceil(inMs / 1_000)} s`);
    this.inMs = inMs;
  }
}

/** Work that comes from the database. Crashes are counted for each `part`; two parts of one id may be in progress at the same time. */
type Work = {
  kind: WorkKind;
  id: string;
  part?: string | (() => string);
  /** Set if the record of the work already shows whether a process crashed on it; ordinary work is then not recorded here. */
  isSuspect?: boolean;
  /** How long it may wait for the end of its pause, in ms. Default: not at all. */
  patienceMs?: number;
};

/**
 * Waits for a receiver or a provider in the middle of guarded work: a process that is killed meanwhile does not count against this work,
 * and other suspects may run. Await it within the work, one at a time.
 */
export type Outside = <T>(wait: () => Promise<T>) => Promise<T>;

/** For work that is not a suspect, or not guarded. */
export const justWait: Outside = (wait) => wait();

export type CrashGuard = {
  /**
   * Runs stored work that might crash the process by the memory it uses, or block it in an endless loop. It starts once this process is
   * ready. Work that was in hand when a process died is a suspect: suspects run one at a time, and a crash is counted before each
   * starts. Throws WorkPauses until its pause is over, and WorkIsDeadly after the third crash.
   */
  during<T>(work: Work, act: (outside: Outside) => Promise<T>): Promise<T>;
  /**
   * Marks this process as ready. Until then it runs no stored work, which could crash it while it starts; requests run, except for
   * suspects, which pause.
   */
  ready(): void;
  stop(): Promise<void>;
};

type InHand = { kind: WorkKind; id: string; count: number; idleSince: number; isSuspect: Promise<boolean> };

/**
 * The crash guard of a process. PostgreSQL has everything before the work starts, so that another process can tell what this one
 * crashed on.
 */
export function createCrashGuard({ pool, log }: { pool: Pool; log: Logger }): CrashGuard {
  const holder = `${process.pid} ${PID_NAMESPACE} ${randomUUID()}`;
  /** Runs once, before the first work. */
  let neighbours: Promise<void> | undefined;
  const inHand = new Map<string, InHand>();
  let lastTurn: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  const gate = createGate(stopping.signal);
  let puttingDown: Promise<void> = Promise.resolve();
  let suspectsRunning = 0;
  let timer: NodeJS.Timeout | undefined;
  let forgetAt = 0;

  const tend = async (): Promise<void> => {
    const idleUntil = performance.now() - PUT_DOWN_AFTER_MS;
    const idle = [...inHand].filter(([, { count, idleSince }]) => count === 0 && idleSince <= idleUntil);
    for (const [key] of idle) inHand.delete(key);
    if (idle.length > 0) {
      puttingDown = putDown(pool, { holder, works: idle.map(([, work]) => work) });
      await puttingDown;
    }
    if (inHand.size > 0 || suspectsRunning > 0) await renewHolder(pool, holder);
    if (performance.now() >= forgetAt) {
      forgetAt = performance.now() + FORGET_EVERY_MS;
      await forgetOldWork(pool);
    }
  };
  const beginTending = (): void => {
    if (timer !== undefined || stopping.signal.aborted) return;
    timer = setTimeout(() => {
      timer = undefined;
      tend()
        .catch((error: unknown) =>
          log.debug({ err: error }, 'could not renew the leases of the work in hand; trying again in a second'),
        )
        .finally(() => {
          if (inHand.size > 0 || suspectsRunning > 0) beginTending();
        });
    }, RENEW_EVERY_MS);
    timer.unref();
  };

  /** Ends the leases of processes that were killed on this machine, so that their work is a suspect at once. */
  const endDeadOfThisMachine = async (): Promise<void> => {
    const dead = (await holdersInHand(pool)).filter((each) => {
      const pid = Number.parseInt(each, 10);
      return each.startsWith(`${pid} ${PID_NAMESPACE} `) && each !== holder && (pid === process.pid || !isProcess(pid));
    });
    if (dead.length > 0) await endWorkLeases(pool, dead);
  };

  /** Records the work, unless it is in hand already, and keeps it in hand until `putBack`. `isSuspect`: a process has crashed on it. */
  const take = ({ kind, id }: Work): { isSuspect: Promise<boolean>; putBack(): void } => {
    const key = `${kind} ${id}`;
    let entry = inHand.get(key);
    if (entry === undefined) {
      neighbours ??= endDeadOfThisMachine().catch(() => undefined);
      const isSuspect = Promise.all([neighbours, puttingDown.catch(() => undefined)]).then(() =>
        takeInHand(pool, { kind, id, holder }),
      );
      entry = { kind, id, count: 0, idleSince: 0, isSuspect };
      inHand.set(key, entry);
      // The next part asks again if PostgreSQL did not reply.
      isSuspect.catch(() => inHand.delete(key));
    }
    const held = entry;
    held.count += 1;
    beginTending();
    return {
      isSuspect: held.isSuspect,
      putBack() {
        held.count -= 1;
        held.idleSince = performance.now();
      },
    };
  };

  /**
   * Waits until no other suspect of any kind is running here; calling the result ends the turn. With a turn per kind, a crashing run
   * and an innocent delivery would start together in each new process, and both would be counted.
   */
  const nextTurn = async (): Promise<() => void> => {
    let end = (): void => undefined;
    const before = lastTurn;
    lastTurn = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  };

  /** Counts a crash of the part and holds the turn until the result is called. */
  const begin = async (part: WorkPart, isForced: boolean, until: number): Promise<() => Promise<void>> => {
    for (;;) {
      const endTurn = await nextTurn();
      let isBegun = false;
      try {
        stopping.signal.throwIfAborted();
        const beginning = await countDeath(pool, { ...part, holder, isForced });
        if (beginning === 'over') throw new WorkIsDeadly();
        if (beginning === 'counted') {
          isBegun = true;
          suspectsRunning += 1;
          beginTending();
          return async () => {
            suspectsRunning -= 1;
            try {
              await survive(pool, part);
            } finally {
              endTurn();
            }
          };
        }
        const { waitsMs } = beginning;
        if (performance.now() + waitsMs > until) throw new WorkPauses(waitsMs);
        endTurn();
        await sleep(waitsMs + 10, undefined, { signal: stopping.signal }).catch(() => stopping.signal.throwIfAborted());
      } finally {
        if (!isBegun) endTurn();
      }
    }
  };

  const runSuspect = async <T>(
    { kind, id, part = '', patienceMs = 0 }: Work,
    act: (outside: Outside) => Promise<T>,
  ): Promise<T> => {
    // The sender of a request is told to repeat it.
    if (!gate.isOpen()) throw new WorkPauses(NOT_READY_MS);
    const counted = { kind, id, part: typeof part === 'string' ? part : part() };
    let leave: (() => Promise<void>) | undefined = await begin(counted, false, performance.now() + patienceMs);
    log.info(
      { kind, id, part: counted.part },
      'a process crashed while working on this; running it again, with no other suspect at the same time',
    );
    let isOver = false;
    const stepAside = async (): Promise<void> => {
      const left = leave;
      leave = undefined;
      await left?.();
    };
    const outside: Outside = async (wait) => {
      await stepAside();
      try {
        return await wait();
      } finally {
        // A wait that outlives the work must not take the turn, because nothing would end it.
        if (!isOver) {
          leave = await begin({ ...counted, part: afterResponse(counted.part) }, true, Number.POSITIVE_INFINITY);
          if (isOver) await stepAside();
        }
      }
    };
    try {
      return await act(outside);
    } finally {
      isOver = true;
      await stepAside();
    }
  };

  return {
    async during(work, act) {
      if (work.kind !== 'inbound') await gate.opened;
      if (work.isSuspect === false) return act(justWait);
      if (work.isSuspect === true) return runSuspect(work, act);
      const taken = take(work);
      try {
        return (await taken.isSuspect) ? await runSuspect(work, act) : await act(justWait);
      } finally {
        taken.putBack();
      }
    },
    ready: () => gate.open(),
    async stop() {
      stopping.abort(new WorkPauses(0));
      clearTimeout(timer);
      const works = [...inHand.values()];
      inHand.clear();
      if (works.length > 0) await putDown(pool, { holder, works }).catch(() => undefined);
    },
  };
}

function createGate(signal: AbortSignal): { opened: Promise<void>; isOpen(): boolean; open(): void } {
  let isOpen = false;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve, reject) => {
    open = () => {
      isOpen = true;
      resolve();
    };
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  // Nothing may be waiting for it.
  opened.catch(() => undefined);
  return { opened, isOpen: () => isOpen, open: () => open() };
}
