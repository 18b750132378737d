import type { Server, Suspicion } from './server-of.ts';

// How soon an outage shows that no caller has met: each question is one cheap call to the server.
const ASK_EVERY_MS = 5_000;
// While it lasts.
const ASK_AGAIN_MS = 1_000;
/** A server is back when it has answered twice, this long apart: late failures of the outage would otherwise begin another one. */
const SETTLES_MS = 2_000;
/** An answer that takes longer is none. */
const ANSWER_WITHIN_MS = 3_000;
const TELL_EVERY_MS = 60_000;

export type OutageTimings = { askEveryMs: number; askAgainMs: number; settlesMs: number; tellEveryMs: number };
const TIMINGS: OutageTimings = {
  askEveryMs: ASK_EVERY_MS,
  askAgainMs: ASK_AGAIN_MS,
  settlesMs: SETTLES_MS,
  tellEveryMs: TELL_EVERY_MS,
};

/** A server, and how to find out whether it can be worked on. */
export type Watched = {
  /** Rejects when it cannot. `isAway`: it could not when it was asked last, so nothing that is kept open is of use. */
  ask(isAway: boolean): Promise<unknown>;
  /** One sentence of the operator's: the setting that names the server, and the remedy. */
  explain(failure: unknown): string;
  /** The effect on this process, and what it does. */
  meanwhile: string;
};

type Tell = (fields: Record<string, unknown>, sentence: string) => void;

export type Outages = {
  /** Looks after a server until `stop`, or until the function that this returns is called. */
  watch(server: Server, watched: Watched): () => void;
  /** Told of each line that complains of a server. Returns whether the line is a part of an outage and need not be read. */
  meet(suspicion: Suspicion, failure: unknown): boolean;
  /** Whether each server that is looked after is away. */
  states(): ReadonlyMap<Server, boolean>;
  stop(): void;
};

type State = Watched & {
  awaySince?: number;
  suppressedLines: number;
  answeredAt?: number;
  toldAt: number;
  isAsking: boolean;
  timer?: NodeJS.Timeout;
  isOver: boolean;
};

/**
 * Outages of the servers that a process works on, each told by `tell` in one line when it begins, one a minute and one when it ends.
 * An outage begins with a failure that is surely the server's, or with a question that is not answered, and ends when the server
 * answers. `now` in ms.
 */
export function createOutages(tell: Tell, now: () => number, timings: Partial<OutageTimings> = {}): Outages {
  const { askEveryMs, askAgainMs, settlesMs, tellEveryMs } = { ...TIMINGS, ...timings };
  const states = new Map<Server, State>();

  const begin = (server: Server, state: State, failure: unknown): void => {
    if (state.awaySince !== undefined) return;
    Object.assign(state, { awaySince: now(), toldAt: now(), suppressedLines: 0, answeredAt: undefined });
    tell({ server, err: failure }, `${server} is away: ${state.explain(failure)}; ${state.meanwhile}`);
    askIn(server, state, askAgainMs);
  };

  const goOn = (server: Server, state: State, awaySince: number): void => {
    if (now() - state.toldAt < tellEveryMs) return;
    state.toldAt = now();
    const outageMs = Math.round(now() - awaySince);
    const { suppressedLines } = state;
    tell(
      { server, outageMs, suppressedLines },
      `${server} has been away for ${lengthOf(outageMs)}; ${state.meanwhile}`,
    );
  };

  const end = (server: Server, state: State, awaySince: number, answeredAt: number): void => {
    delete state.awaySince;
    const outageMs = Math.round(answeredAt - awaySince);
    const { suppressedLines } = state;
    tell(
      { server, outageMs, suppressedLines },
      `${server} is back after ${lengthOf(outageMs)}; this process goes on with it`,
    );
  };

  const look = async (server: Server, state: State): Promise<void> => {
    if (state.isAsking || state.isOver) return;
    state.isAsking = true;
    const askedAt = now();
    const failure = await answerOf(state);
    state.isAsking = false;
    if (state.isOver) return;
    const { awaySince } = state;
    if (failure !== undefined) {
      delete state.answeredAt;
      if (awaySince === undefined) begin(server, state, failure.error);
      else goOn(server, state, awaySince);
    } else if (awaySince !== undefined && askedAt >= awaySince) {
      state.answeredAt ??= now();
      if (now() - state.answeredAt >= settlesMs) end(server, state, awaySince, state.answeredAt);
      else goOn(server, state, awaySince);
    }
    const isSettling = state.answeredAt !== undefined;
    askIn(server, state, state.awaySince === undefined ? askEveryMs : isSettling ? settlesMs : askAgainMs);
  };

  const askIn = (server: Server, state: State, afterMs: number): void => {
    clearTimeout(state.timer);
    if (state.isOver) return;
    state.timer = setTimeout(() => void look(server, state), afterMs);
    state.timer.unref();
  };

  const leave = (server: Server, state: State): void => {
    state.isOver = true;
    clearTimeout(state.timer);
    if (states.get(server) === state) states.delete(server);
  };

  return {
    watch(server, watched) {
      const state: State = { ...watched, suppressedLines: 0, toldAt: 0, isAsking: false, isOver: false };
      states.set(server, state);
      askIn(server, state, askEveryMs);
      return () => leave(server, state);
    },
    meet({ server, isSure }, failure) {
      const state = states.get(server);
      if (state === undefined) return false;
      if (isSure) begin(server, state, failure);
      else if (state.awaySince === undefined) askIn(server, state, 0);
      if (state.awaySince === undefined) return false;
      state.suppressedLines += 1;
      return true;
    },
    states: () => new Map([...states].map(([server, { awaySince }]) => [server, awaySince !== undefined])),
    stop() {
      for (const [server, state] of states) leave(server, state);
    },
  };
}

/** The failure, in an object of its own since anything may be thrown; undefined when the server answers in time. */
async function answerOf(state: State): Promise<{ error: unknown } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_WITHIN_MS / 1000} s`)), ANSWER_WITHIN_MS);
    timer.unref();
  });
  try {
    await Promise.race([state.ask(state.awaySince !== undefined), tooLate]);
    return undefined;
  } catch (error) {
    return { error };
  } finally {
    clearTimeout(timer);
  }
}

/** `0.4 s`, `12 s`, `1 min 10 s`, `2 h 5 min`. */
export function lengthOf(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return [`${minutes} min`, ...(seconds % 60 > 0 ? [`${seconds % 60} s`] : [])].join(' ');
  return [`${Math.floor(minutes / 60)} h`, ...(minutes % 60 > 0 ? [`${minutes % 60} min`] : [])].join(' ');
}
