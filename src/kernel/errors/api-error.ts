import type { OAuthRefusal } from './oauth.ts';

/** Every code a caller can see, and the HTTP status it answers with (spec §7). */
export const STATUS_OF_CODE = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof STATUS_OF_CODE;

/** For validation: the offending field as the caller wrote it (`messages[3].eventType`) and the reason of the refusal. */
export type ErrorDetails = { field: string; reason: string };

/** The first problem and all of them, where a service looks for more than one: the definition of a workflow. */
export type DetailsOfMany = ErrorDetails & { errors: ErrorDetails[] };

type Options = { details?: ErrorDetails | DetailsOfMany; retryAfter?: number; oauth?: OAuthRefusal; cause?: unknown };

/**
 * The error that a service throws. `message` and `details` are for the caller; `cause` is for the operator's log and never leaves it.
 * `retryAfter` is whole seconds, set on RATE_LIMITED and UNAVAILABLE (spec §7, §8). `oauth` is the refusal as OAuth clients read it.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | DetailsOfMany | undefined;
  readonly retryAfter: number | undefined;
  readonly oauth: OAuthRefusal | undefined;

  constructor(code: ErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
    this.oauth = options.oauth;
  }

  get status(): number {
    return STATUS_OF_CODE[this.code];
  }
}

/** INVALID_REQUEST for one field. The message repeats both parts, for callers who only print messages. */
export const invalidField = (field: string, reason: string): ApiError =>
  new ApiError('INVALID_REQUEST', `${field}: ${reason}`, { details: { field, reason } });

/** INVALID_REQUEST, or CONFLICT, for several fields. The message repeats the first one. */
export function invalidFields(
  problems: readonly [ErrorDetails, ...ErrorDetails[]],
  code: ErrorCode = 'INVALID_REQUEST',
): ApiError {
  const [{ field, reason }] = problems;
  const others = problems.length === 1 ? '' : ` (and ${problems.length - 1} more)`;
  return new ApiError(code, `${field}: ${reason}${others}`, { details: { field, reason, errors: [...problems] } });
}

/** NOT_FOUND with one text for a missing, a malformed and a foreign id, so that a caller cannot tell them apart. */
export const notFound = (resource: string): ApiError =>
  new ApiError('NOT_FOUND', `No such ${resource} in this environment`);
