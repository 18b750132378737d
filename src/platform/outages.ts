import { failureCodes } from './db/failures.ts';
import { isOfLostConnection } from './db/connection.ts';

// How soon an outage is noticed if no work hits it. Each check is one cheap call to the server.
const ASK_EVERY_MS = 5_000;
// Interval during an outage.
const ASK_AGAIN_MS = 1_000;
/** A server is back once it has responded twice, this long apart; otherwise late failures would begin another outage. */
const SETTLES_MS = 2_000;
/** A slower response counts as a failure. */
const ANSWER_WITHIN_MS = 3_000;
const TELL_EVERY_MS = 60_000;

export type OutageTimings = { askEveryMs: number; askAgainMs: number; settlesMs: number; tellEveryMs: number };
const TIMINGS: OutageTimings = {
  askEveryMs: ASK_EVERY_MS,
  askAgainMs: ASK_AGAIN_MS,
  settlesMs: SETTLES_MS,
  tellEveryMs: TELL_EVERY_MS,
};

/** A server, and how to find out whether it can be used. */
export type Watched = {
  /** Rejects if it cannot be used. `isAway`: it could not at the last check, so connections that are still open are useless. */
  ask(isAway: boolean): Promise<unknown>;
  /** One sentence for the operator: the setting that names the server, and the remedy. */
  explain(failure: unknown): string;
  /** What the outage means for this process, and what it does meanwhile. */
  meanwhile: string;
};

type Tell = (fields: Record<string, unknown>, sentence: string) => void;

export type Outages = {
  /** Watches a server until `stop`, or until the returned function is called. */
  watch(server: Server, watched: Watched): () => void;
  /** Called with each log line about a server. Returns whether the line belongs to an outage and need not be read. */
  meet(suspicion: Suspicion, failure: unknown): boolean;
  /** Whether each watched server is down. */
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
 * Tracks outages of the servers that a process depends on. Each is reported with `tell`: one line when it begins, one a minute, and one
 * when it ends. An outage begins with a failure that is certainly the server's, or with a failed check, and ends when the server
 * responds. `now` in ms.
 */
export function createOutages(tell: Tell, now: () => number, timings: Partial<OutageTimings> = {}): Outages {
  const { askEveryMs, askAgainMs, settlesMs, tellEveryMs } = { ...TIMINGS, ...timings };
  const states = new Map<Server, State>();

  const begin = (server: Server, state: State, failure: unknown): void => {
    if (state.awaySince !== undefined) return;
    Object.assign(state, { awaySince: now(), toldAt: now(), suppressedLines: 0, answeredAt: undefined });
    tell({ server, err: failure }, `${server} is unavailable: ${state.explain(failure)}; ${state.meanwhile}`);
    askIn(server, state, askAgainMs);
  };

  const goOn = (server: Server, state: State, awaySince: number): void => {
    if (now() - state.toldAt < tellEveryMs) return;
    state.toldAt = now();
    const outageMs = Math.round(now() - awaySince);
    const { suppressedLines } = state;
    tell(
      { server, outageMs, suppressedLines },
      `${server} has been unavailable for ${lengthOf(outageMs)}; ${state.meanwhile}`,
    );
  };

  const end = (server: Server, state: State, awaySince: number, answeredAt: number): void => {
    delete state.awaySince;
    const outageMs = Math.round(answeredAt - awaySince);
    const { suppressedLines } = state;
    tell(
      { server, outageMs, suppressedLines },
      `${server} is available again after ${lengthOf(outageMs)}; this process uses it again`,
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

/** Returns the failure, wrapped since anything may be thrown; undefined if the server responds in time. */
async function answerOf(state: State): Promise<{ error: unknown } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${ANSWER_WITHIN_MS / 1000} s`)), ANSWER_WITHIN_MS);
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

/** Servers that the service depends on. */
const SERVERS = ['PostgreSQL', 'Temporal', 'Redis', 'collector'] as const;
type Server = (typeof SERVERS)[number];

/**
 * The server behind a failure. `isSure`: the server is certainly down. Otherwise the failure may also come from overload or another
 * transaction, so only a check of the server can tell.
 */
type Suspicion = { server: Server; isSure: boolean };

// SQLSTATE: 08 connection, 57P01–57P03 shutting down or starting, 25006 read-only (a standby during a failover).
const SURE_STATES = /^(08\w{3}|57P0[123]|25006)$/;
// Out of connections, disk or memory; sessions ended for being idle or long; and Prisma's: no connection in time.
const PERHAPS_STATES = /^(53\w{3}|57P05|25P0[34]|P1008|P2024|P2028|P2037|SocketTimeout|TooManyConnections)$/;
/** Codes of Prisma and its driver adapter for a database that cannot be reached. */
const SURE_OF_PRISMA = /^(P1001|P1002|P1017|DatabaseNotReachable|ConnectionClosed)$/;
// Messages of pg and its pool that have no code. The first also occurs with a busy pool.
const PERHAPS_TEXT = /timeout exceeded when trying to connect|Connection terminated due to connection timeout/;
const SURE_TEXT =
  /Connection terminated unexpectedly|the database system is (shutting down|starting up)|terminating connection/;
/** PostgreSQL failures that have passed through a Temporal workflow are text: the failed activity's cause, or a cause of that. */
const PERHAPS_OF_ACTIVITY = /ECONNREFUSED|ECONNRESET|Connection terminated/;

/** gRPC statuses: unavailable; and no response in time, which the native library also reports as cancelled. */
const UNAVAILABLE = 14;
const NO_ANSWER: readonly unknown[] = [1, 4];
/** Failures of the SDK's native library, which are text. */
const SURE_OF_CORE = /code: Unavailable|tonic::transport::Error|TransportError|tcp connect error/;
const PERHAPS_OF_CORE = /code: (DeadlineExceeded|Cancelled|Unknown)|Timeout expired/;

type Line = Readonly<Record<string, unknown>>;

/** Returns the server that a log line is about, according to the error in it; undefined for every other line. */
export function suspectedBy(line: Line, message: string): Suspicion | undefined {
  const { err, error, server, part } = line;
  const failure = err ?? error;
  if (failure !== undefined && server === 'Redis') return { server, isSure: true };
  return (
    (failure === undefined ? undefined : (postgresOf(failure) ?? temporalOf(failure))) ??
    (part === 'temporal' ? coreOf([...textsOf(failure), message].join('\n')) : undefined)
  );
}

function postgresOf(failure: unknown): Suspicion | undefined {
  const { codes, messages } = failureCodes(failure);
  const says = (known: RegExp): boolean => messages.some((text) => known.test(text));
  const has = (known: RegExp): boolean => codes.some((code) => known.test(code));
  if (isOfLostConnection(failure) || has(SURE_STATES) || has(SURE_OF_PRISMA) || says(SURE_TEXT))
    return { server: 'PostgreSQL', isSure: true };
  if (has(PERHAPS_STATES) || says(PERHAPS_TEXT)) return { server: 'PostgreSQL', isSure: false };
  return undefined;
}

function temporalOf(failure: unknown): Suspicion | undefined {
  for (let at = failure, depth = 0; isObject(at) && depth < 5; at = Reflect.get(at, 'cause'), depth += 1) {
    const isOfTemporal = /^(ServiceError|TransportError|ScheduleError)$/.test(nameOf(at));
    if (!isOfTemporal) continue;
    const code: unknown = Reflect.get(at, 'code');
    if (code === UNAVAILABLE || nameOf(at) === 'TransportError') return { server: 'Temporal', isSure: true };
    if (NO_ANSWER.includes(code)) return { server: 'Temporal', isSure: false };
  }
  return undefined;
}

function coreOf(text: string): Suspicion | undefined {
  if (SURE_OF_CORE.test(text)) return { server: 'Temporal', isSure: true };
  if (PERHAPS_OF_ACTIVITY.test(text)) return { server: 'PostgreSQL', isSure: false };
  return PERHAPS_OF_CORE.test(text) ? { server: 'Temporal', isSure: false } : undefined;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const nameOf = (value: unknown): string => (isObject(value) ? String(Reflect.get(value, 'name')) : '');

function textsOf(failure: unknown): string[] {
  if (isObject(failure)) return failureCodes(failure).messages;
  return typeof failure === 'string' ? [failure] : [];
}
