import { setTimeout as sleep } from 'node:timers/promises';

// Pauses between retries, in ms. A restart of PostgreSQL takes about a second.
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;

// SQLSTATE: 08 connection, 57P01–57P03 shutting down or starting, 57P05, 25P03 and 25P04 sessions ended for being idle or long, 53 out
// of connections, disk or memory, 25006 read-only (a standby during a failover), 40001 and 40P01 rolled back in favour of another
// transaction; then Node's own.
const UNREACHABLE =
  /^(08\w{3}|57P0[1235]|25P0[34]|53\w{3}|25006|40001|40P01|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
// Errors of pg and its pool that have no code.
const UNREACHABLE_MESSAGES = /Connection terminated|timeout exceeded when trying to connect|not queryable/;

/** Whether PostgreSQL is temporarily unable to do it, as opposed to the statement being wrong. */
export function isUnreachable(error: unknown): boolean {
  const { code, message } = partsOf(error);
  return UNREACHABLE.test(code) || UNREACHABLE_MESSAGES.test(message);
}

// Without `instanceof`: an error of Node's is not an Error of another realm, such as a test's.
function partsOf(error: unknown): { code: string; message: string; syscall: string } {
  if (typeof error !== 'object' || error === null) return { code: '', message: '', syscall: '' };
  const textOf = (name: string): string => String(Reflect.get(error, name) ?? '');
  return { code: textOf('code'), message: textOf('message'), syscall: textOf('syscall') };
}

// While connecting, or before executing: nothing can have been committed.
const REFUSED =
  /^(57P0[35]|25P03|53\w{3}|25006|40001|40P01|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/;

// pg had no connection and sent nothing.
const NEVER_SENT = /timeout exceeded when trying to connect|not queryable/;

/** Whether the connection was lost during a statement, so that it is unknown whether it was committed. */
export function isInDoubt(error: unknown): boolean {
  const { code, message, syscall } = partsOf(error);
  return isUnreachable(error) && syscall !== 'connect' && !REFUSED.test(code) && !NEVER_SENT.test(message);
}

/**
 * Repeats `work` while PostgreSQL is unavailable, so that our own outage does not use up a subscriber's retry policy. Throws any other
 * error. `work` must be safe to repeat, because the reply to a committed statement may have been lost.
 */
export async function untilReachable<T>(work: () => Promise<T>, isOver: () => boolean): Promise<T> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error) || isOver()) throw error;
      await sleep(pause);
    }
  }
}

/** Codes of PostgreSQL, Prisma and its driver adapter for a row whose values already exist. */
export const DUPLICATE_CODES: ReadonlySet<string> = new Set(['23505', 'P2002', 'UniqueConstraintViolation']);

/** How many levels of causes are searched: Prisma puts the server's code three levels down. */
const MAX_CAUSES = 8;

/** Every code and message in a database or connection error, including its causes: PostgreSQL's, Prisma's, Node's. */
export function failureCodes(thrown: unknown): { codes: string[]; messages: string[] } {
  const codes: string[] = [];
  const messages: string[] = [];
  let layer: unknown[] = [thrown];
  for (let depth = 0; depth < MAX_CAUSES && layer.length > 0; depth += 1) {
    const below: unknown[] = [];
    for (const value of layer) {
      if (typeof value !== 'object' || value === null) continue;
      const { code, originalCode, kind, message, cause, meta, driverAdapterError, errors } = members(value);
      codes.push(...[code, originalCode, kind].filter((text) => typeof text === 'string'));
      if (typeof message === 'string') messages.push(message);
      below.push(cause, meta, driverAdapterError, ...listOf(errors));
    }
    layer = below;
  }
  return { codes, messages };
}

// Array.isArray alone returns any[].
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

type Members = Partial<
  Record<'code' | 'originalCode' | 'kind' | 'message' | 'cause' | 'meta' | 'driverAdapterError' | 'errors', unknown>
>;

// Any object may be asked for any member; each stays unknown until it is checked.
const members = (value: object): Members => value;
