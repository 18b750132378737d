import { ApiError, invalidField } from '../shared/api-error.ts';

/** PostgreSQL and Prisma codes and Prisma's driver adapter kinds, by what the caller is to be told. */
const VALUE_CODES = new Set([
  '22P02', // not the text of that type
  '22P05', // NUL in jsonb
  '22021', // NUL or broken UTF-8 in text
  '22003', // number out of range
  '22007', // not a date
  '22008', // date out of range
  '22001', // too long for its column
  '54001', // nested too deep for the server's stack
  'P2000',
  'P2020',
  'P2033',
  'InvalidInputValue',
  'ValueOutOfRange',
  'LengthMismatch',
]);
const CONFLICT_CODES = new Set(['23505', 'P2002', 'UniqueConstraintViolation']);
const UNAVAILABLE_CODES = new Set([
  '57P01', // shut down by an administrator
  '57P02', // after a crash
  '57P03', // starting up
  '57014', // statement timeout
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '40001', // serialisation failure and deadlock: both were retried where that helps
  '40P01',
  '25006', // read-only: a standby after a failover
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2028',
  'P2034',
  'P2037',
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TransactionWriteConflict',
  'TransactionAlreadyClosed',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** pg and its pool have no codes for these. */
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|not queryable|Client was closed|after calling end on the pool|Server has closed the connection/;

/** Seconds until a caller may try again: PostgreSQL's restart takes about that long, and pools reconnect at once. */
const RETRY_AFTER_SECONDS = 1;

/** Nesting of causes that is looked at: Prisma puts the server's code three levels down. */
const MAX_CAUSES = 8;

/**
 * The answer to what a database or the way to it throws: INVALID_REQUEST when a value cannot be stored, CONFLICT for a
 * duplicate, UNAVAILABLE with a delay when it is away. Undefined for everything else: that is a fault of ours.
 */
export function fromDatabaseError(thrown: unknown): ApiError | undefined {
  const { codes, messages } = describe(thrown);
  if (
    codes.some((code) => UNAVAILABLE_CODES.has(code) || code.startsWith('08')) ||
    messages.some((text) => UNAVAILABLE_MESSAGES.test(text))
  ) {
    return new ApiError('UNAVAILABLE', 'The service cannot reach its database just now', {
      retryAfter: RETRY_AFTER_SECONDS,
      cause: thrown,
    });
  }
  if (codes.some((code) => CONFLICT_CODES.has(code))) {
    return new ApiError('CONFLICT', 'A resource with these values exists already', { cause: thrown });
  }
  if (codes.some((code) => VALUE_CODES.has(code))) {
    const { code, message, details } = invalidField('body', 'holds a value that cannot be stored');
    return new ApiError(code, message, { ...(details && { details }), cause: thrown });
  }
  return undefined;
}

/** Every code and message of an error and of what is behind it. */
function describe(thrown: unknown): { codes: string[]; messages: string[] } {
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

// Array.isArray alone gives any[].
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

type Members = Partial<
  Record<'code' | 'originalCode' | 'kind' | 'message' | 'cause' | 'meta' | 'driverAdapterError' | 'errors', unknown>
>;

// Every object may be asked for any member; each of them stays unknown until it is looked at.
const members = (value: object): Members => value;
