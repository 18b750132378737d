import { DUPLICATE_CODES, failureCodes } from '../../../platform/db/failures.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';

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

/** No connection of a pool was free in time, as pg says it and as Prisma says it of a transaction. */
const NO_CONNECTION = /timeout exceeded when trying to connect|Unable to start a transaction in the given time/;

/** Codes among these that end a statement under way. */
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

/** Seconds until a caller may try again: PostgreSQL's restart takes about that long, and pools reconnect at once. */
const RETRY_AFTER_SECONDS = 1;

/** The true reason, where the code tells it: callers and their operators look in the right place. No names, no SQL. */
const REASONS: readonly (readonly [codes: readonly string[], reason: string])[] = [
  [['25006'], 'The database takes no writes: it is read-only'],
  [['53100'], 'The database takes no writes: its disk is full'],
  [['53200'], 'The database is out of memory'],
  [['53300', 'P2037', 'TooManyConnections'], 'The database has no connection left for the service'],
  [['57P01', '57P02', '57P03', 'DatabaseNotReady'], 'The database is stopping or starting'],
  [['57014'], 'The database took too long'],
  [['SHARE_TAKEN'], 'Other requests keep the database busy'],
  [['40001', '40P01', 'P2034', 'TransactionWriteConflict'], 'The database was asked for conflicting changes'],
];

const unavailableReason = (codes: readonly string[]): string =>
  REASONS.find(([known]) => known.some((code) => codes.includes(code)))?.[1] ??
  'The service cannot reach its database just now';

/**
 * The failure of a request that got no connection in time, with its text alone: hundreds of requests may fail so in a second, and a stack
 * tells nothing of the cause. Undefined for every other failure.
 */
export function noConnectionIn(thrown: unknown): Error | undefined {
  const text = failureCodes(thrown).messages.find((message) => NO_CONNECTION.test(message));
  return text === undefined ? undefined : Object.assign(new Error(text), { stack: '' });
}

/**
 * The answer to what a database or the way to it throws: INVALID_REQUEST when a value cannot be stored, CONFLICT for a
 * duplicate, UNAVAILABLE with a delay when it is away. That says `outcome: unknown` for a request that may have changed
 * something, when the database went away with a statement under way. Undefined for everything else: that is a fault of ours.
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
    return new ApiError('UNAVAILABLE', 'The database went away in the middle: this may have been done or not', {
      ...given,
      details: { field: 'outcome', reason: 'unknown' },
    });
  }
  if (codes.some((code) => DUPLICATE_CODES.has(code))) {
    return new ApiError('CONFLICT', 'A resource with these values exists already', { cause: thrown });
  }
  if (codes.some((code) => VALUE_CODES.has(code))) {
    const { code, message, details } = invalidField('body', 'holds a value that cannot be stored');
    return new ApiError(code, message, { ...(details && { details }), cause: thrown });
  }
  return undefined;
}
