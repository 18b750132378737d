import { DUPLICATE_CODES, failureCodes } from '../../../platform/db/failures.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';

/** Codes of PostgreSQL and Prisma, and kinds of Prisma's driver adapter, grouped by the error that the caller gets. */
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
const UNAVAILABLE_CODES = new Set([
  '57P01', // shut down by an administrator
  '57P02', // after a crash
  '57P03', // starting up
  '57P05', // ended for being idle
  '25P03', // ended for being idle within a transaction
  '25P04', // ended for a long transaction
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
  'SHARE_TAKEN',
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

/** No pool connection was free in time, in the words of pg and (for a transaction) of Prisma. */
const NO_CONNECTION = /timeout exceeded when trying to connect|Unable to start a transaction in the given time/;

/** Those of the codes above that interrupt a running statement. */
const BREAKING_CODES = new Set([
  '57P01',
  '57P02',
  '25P04',
  'P1017',
  'ConnectionClosed',
  'SocketTimeout',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
]);
const BREAKING_MESSAGES = /Connection terminated unexpectedly|Server has closed the connection/;

/** PostgreSQL restarts in about that time, and pools reconnect at once. */
const RETRY_AFTER_SECONDS = 1;

/** The real reason, if the code reveals it, so that callers and their operators look in the right place. Without names and SQL. */
const REASONS: readonly (readonly [codes: readonly string[], reason: string])[] = [
  [['25006'], 'The database is read-only'],
  [['53100'], 'The disk of the database is full'],
  [['53200'], 'The database is out of memory'],
  [['53300', 'P2037', 'TooManyConnections'], 'The database has no free connection for the service'],
  [['57P01', '57P02', '57P03', 'DatabaseNotReady'], 'The database is stopping or starting'],
  [['57014'], 'The database took too long to respond'],
  [['SHARE_TAKEN'], 'The database is busy with other requests'],
  [['40001', '40P01', 'P2034', 'TransactionWriteConflict'], 'The change conflicted with another one in the database'],
];

const unavailableReason = (codes: readonly string[]): string =>
  REASONS.find(([known]) => known.some((code) => codes.includes(code)))?.[1] ?? 'The service cannot reach its database';

/**
 * The failure of a request that got no connection in time, without its stack: hundreds of requests per second may fail like this, and
 * the stack says nothing about the cause. Undefined for every other failure.
 */
export function noConnectionIn(thrown: unknown): Error | undefined {
  const text = failureCodes(thrown).messages.find((message) => NO_CONNECTION.test(message));
  return text === undefined ? undefined : Object.assign(new Error(text), { stack: '' });
}

/**
 * Maps what a database or its driver throws to a response: INVALID_REQUEST if a value cannot be stored, CONFLICT for a duplicate,
 * UNAVAILABLE with a delay if the database is down. UNAVAILABLE says `outcome: unknown` if the connection was lost during a statement
 * of a request that may have changed something. Returns undefined for everything else, which is an internal error.
 */
export function fromDatabaseError(thrown: unknown, { isRead }: { isRead: boolean }): ApiError | undefined {
  const { codes, messages } = failureCodes(thrown);
  if (
    codes.some((code) => UNAVAILABLE_CODES.has(code) || code.startsWith('08')) ||
    messages.some((text) => UNAVAILABLE_MESSAGES.test(text))
  ) {
    const given = { retryAfter: RETRY_AFTER_SECONDS, cause: thrown };
    const isBroken =
      codes.some((code) => BREAKING_CODES.has(code) || code.startsWith('08')) ||
      messages.some((text) => BREAKING_MESSAGES.test(text));
    if (isRead || !isBroken) return new ApiError('UNAVAILABLE', unavailableReason(codes), given);
    return new ApiError(
      'UNAVAILABLE',
      'The database connection was lost during the request, so it may or may not have been carried out',
      {
        ...given,
        details: { field: 'outcome', reason: 'unknown' },
      },
    );
  }
  if (codes.some((code) => DUPLICATE_CODES.has(code))) {
    return new ApiError('CONFLICT', 'A resource with these values already exists', { cause: thrown });
  }
  if (codes.some((code) => VALUE_CODES.has(code))) {
    const { code, message, details } = invalidField('body', 'contains a value that cannot be stored');
    return new ApiError(code, message, { ...(details && { details }), cause: thrown });
  }
  return undefined;
}
