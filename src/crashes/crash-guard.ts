import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isProcess, MACHINE } from './this-machine.ts';
import {
  behindAnswer,
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
// What a process has had nothing to do with for so long is put down: a run of many short steps is taken in hand once.
const PUT_DOWN_AFTER_MS = 1_000;
const FORGET_EVERY_MS = 300_000;
// A process starts in a few of these.
const NOT_READY_MS = 1_000;

/** Three processes have died while they did this. It is not done again. */
export class WorkIsDeadly extends Error {
  override readonly name = 'WorkIsDeadly';
  constructor() {
    super(`the process stopped ${MAX_WORK_DEATHS} times while it worked on this, so it was given up`);
  }
}

/** Processes have died while they did this. It may be done again in so many ms. */
export class WorkPauses extends Error {
  override readonly name = 'WorkPauses';
  readonly inMs: number;
  constructor(inMs: number) {
    super(`the process stopped while it worked on this; it goes on in ${Math.ceil(inMs / 1_000)} s`);
    this.inMs = inMs;
  }
}

/**
 * Work that comes from the database. `part` names what is counted; two parts of one id may be under way side by side. `isSuspect` where
 * the record says already whether a process died while it was under way: then nothing is written down for ordinary work.
 */
type Work = {
  kind: WorkKind;
  id: string;
  part?: string | (() => string);
  isSuspect?: boolean;
  /** How long it may wait for its pause, ms; default: not at all. */
  patienceMs?: number;
};

export type CrashGuard = {
  /**
   * Does stored work that might end the process: by its memory, or by a loop without end. It begins once this process is ready. Work that
   * was in hand when a process died is done alone, and its death is counted before it begins. Throws WorkPauses until its
   * pause is over, and WorkIsDeadly behind the third death.
   */
  during<T>(work: Work, act: () => Promise<T>): Promise<T>;
  /** A wait for somebody else within such work: a kill meanwhile accuses nobody, and others under suspicion go on. */
  outside<T>(wait: () => Promise<T>): Promise<T>;
  /**
   * This process is ready. Nothing but requests is taken up before, so that no stored work ends a process that starts; requests under
   * suspicion pause until then.
   */
  ready(): void;
  stop(): Promise<void>;
};

type InHand = { kind: WorkKind; id: string; count: number; idleSince: number; isSuspect: Promise<boolean> };

/** The part that is done alone, and how to step aside from it and come back. */
type Alone = { leave(): Promise<void>; comeBack(): Promise<void> };

/** The guard of a process. Everything is in PostgreSQL before the work begins, so that any other process knows what this one died of. */
export function createCrashGuard({ pool, log }: { pool: Pool; log: Logger }): CrashGuard {
  const holder = `${process.pid} ${MACHINE} ${randomUUID()}`;
  /** Asked for once, before the first work. */
  let neighbours: Promise<void> | undefined;
  const inHand = new Map<string, InHand>();
  let lastTurn: Promise<void> = Promise.resolve();
  const alone = new AsyncLocalStorage<Alone>();
  const stopping = new AbortController();
  const gate = createGate(stopping.signal);
  let puttingDown: Promise<void> = Promise.resolve();
  let aloneCount = 0;
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
    if (inHand.size > 0 || aloneCount > 0) await renewHolder(pool, holder);
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
          log.debug({ err: error }, 'what this process has in hand was not renewed; it tries again'),
        )
        .finally(() => {
          if (inHand.size > 0 || aloneCount > 0) beginTending();
        });
    }, RENEW_EVERY_MS);
    timer.unref();
  };

  /** A process killed on this machine need not be waited for: what it had in hand is under suspicion at once. */
  const endDeadOfThisMachine = async (): Promise<void> => {
    const dead = (await holdersInHand(pool)).filter((each) => {
      const pid = Number.parseInt(each, 10);
      return each.startsWith(`${pid} ${MACHINE} `) && each !== holder && (pid === process.pid || !isProcess(pid));
    });
    if (dead.length > 0) await endWorkLeases(pool, dead);
  };

  /** Whether the work is under suspicion. It stays in hand until `putBack`. */
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
      // What could not be put on record is asked for anew.
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
   * Waits until nothing else is done alone here, of whatever kind; the result ends the turn. With a turn for each kind a deadly run and an
   * innocent delivery were taken up together at each start, and both were counted.
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

  /** Counts the death of a part and holds the turn, until `leave`. */
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
          aloneCount += 1;
          beginTending();
          return async () => {
            aloneCount -= 1;
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

  const doAlone = async <T>({ kind, id, part = '', patienceMs = 0 }: Work, act: () => Promise<T>): Promise<T> => {
    // A request is answered, and its sender comes again.
    if (!gate.isOpen()) throw new WorkPauses(NOT_READY_MS);
    const counted = { kind, id, part: typeof part === 'string' ? part : part() };
    let leave: (() => Promise<void>) | undefined = await begin(counted, false, performance.now() + patienceMs);
    log.info({ kind, id, part: counted.part }, 'a process died while it worked on this; it is done alone now');
    let isOver = false;
    let away = 0;
    const stepAside = async (): Promise<void> => {
      const left = leave;
      leave = undefined;
      await left?.();
    };
    const self: Alone = {
      async leave() {
        away += 1;
        if (away === 1) await stepAside();
      },
      async comeBack() {
        away -= 1;
        // What the work has started may outlive it, and must not take the turn for it: nobody would end that turn.
        if (away > 0 || isOver) return;
        leave = await begin({ ...counted, part: behindAnswer(counted.part) }, true, Number.POSITIVE_INFINITY);
        if (isOver) await stepAside();
      },
    };
    try {
      return await alone.run(self, act);
    } finally {
      isOver = true;
      await stepAside();
    }
  };

  return {
    async during(work, act) {
      if (work.kind !== 'inbound') await gate.opened;
      if (work.isSuspect === false) return act();
      if (work.isSuspect === true) return doAlone(work, act);
      const taken = take(work);
      try {
        return (await taken.isSuspect) ? await doAlone(work, act) : await act();
      } finally {
        taken.putBack();
      }
    },
    async outside(wait) {
      const self = alone.getStore();
      if (self === undefined) return wait();
      await self.leave();
      try {
        return await wait();
      } finally {
        await self.comeBack();
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
  // Nobody may be waiting.
  opened.catch(() => undefined);
  return { opened, isOpen: () => isOpen, open: () => open() };
}
