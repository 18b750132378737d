import { failureCodes } from '../db/connections/failure-codes.ts';
import { isOfLostConnection } from '../db/connections/lost-connections.ts';

/** Servers that the service works on. */
const SERVERS = ['PostgreSQL', 'Temporal', 'Redis', 'collector'] as const;
export type Server = (typeof SERVERS)[number];

/**
 * The server that a failure is of. `isSure`: the server cannot be worked on. Otherwise it may be, and the failure comes of too much
 * work or of another's: only an answer of the server can tell.
 */
export type Suspicion = { server: Server; isSure: boolean };

// SQLSTATE: 08 connection, 57P01–57P03 shutting down or starting, 25006 read-only (a standby during a failover).
const SURE_STATES = /^(08\w{3}|57P0[123]|25006)$/;
// Out of connections, disk or memory, sessions that were ended for being idle or long. Prisma's: no connection in time.
const PERHAPS_STATES = /^(53\w{3}|57P05|25P0[34]|P1008|P2024|P2028|P2037|SocketTimeout|TooManyConnections)$/;
/** Prisma's codes and those of its driver adapter, for a database that is not there. */
const SURE_OF_PRISMA = /^(P1001|P1002|P1017|DatabaseNotReachable|ConnectionClosed)$/;
// Texts of pg and of its pool, which have no code. The first is said of a busy pool too.
const PERHAPS_TEXT = /timeout exceeded when trying to connect|Connection terminated due to connection timeout/;
const SURE_TEXT =
  /Connection terminated unexpectedly|the database system is (shutting down|starting up)|terminating connection/;
/** Failures of PostgreSQL that have been through a Temporal workflow are texts: the failed activity's cause, or a cause of that. */
const PERHAPS_OF_ACTIVITY = /ECONNREFUSED|ECONNRESET|Connection terminated/;

/** Statuses of gRPC: unavailable; and no answer in time, which the native library tells as cancelled too. */
const UNAVAILABLE = 14;
const NO_ANSWER: readonly unknown[] = [1, 4];
/** Failures of the SDK's native library, which are texts. */
const SURE_OF_CORE = /code: Unavailable|tonic::transport::Error|TransportError|tcp connect error/;
const PERHAPS_OF_CORE = /code: (DeadlineExceeded|Cancelled|Unknown)|Timeout expired/;

type Line = Readonly<Record<string, unknown>>;

/** The server that a line of the log complains of, by the error in it; undefined for every other line. */
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
