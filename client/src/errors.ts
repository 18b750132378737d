import { ERROR_CODES, type ErrorCode, type OAuthErrorCode } from './generated/errors.ts';

/** Base class of all errors of this library. The reasons of aborted signals are thrown unchanged. */
export class PosthornError extends Error {
  override readonly name: string = 'PosthornError';
}

export type ErrorDetails = {
  /** Path of the invalid field, such as `messages[3].eventType`. */
  readonly field: string;
  readonly reason: string;
  readonly oauthError?: OAuthErrorCode;
  /** All problems of a workflow definition, including this first one. */
  readonly errors?: readonly { readonly field: string; readonly reason: string }[];
};

type Refusal = {
  code: ErrorCode;
  message: string;
  details: ErrorDetails | undefined;
  retryAfter: number | undefined;
};

/** The service refused the request. `code` is for programs, `message` for people. */
export class ApiError extends PosthornError {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  /** The first invalid field and why, if a field is the cause. */
  readonly details: ErrorDetails | undefined;
  /** Seconds until the request may succeed. */
  readonly retryAfter: number | undefined;
  /** Identifies the request in the service's log. */
  readonly requestId: string | undefined;
  /** OAuth error code if a proof, token or scope was refused, from the details or from the header WWW-Authenticate. */
  readonly oauthError: OAuthErrorCode | undefined;

  constructor(
    { code, message, details, retryAfter }: Refusal,
    answer: { status: number; requestId?: string | undefined; challenge?: string | null },
  ) {
    super(message);
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
    this.status = answer.status;
    this.requestId = answer.requestId;
    // `as`: the service may add codes, so the type does not promise to be complete.
    const challenged = /\berror="(\w+)"/.exec(answer.challenge ?? '')?.[1] as OAuthErrorCode | undefined;
    this.oauthError = details?.oauthError ?? challenged;
  }
}

/** A response that is not from the service: a proxy's error page, or another server at this address. */
export class AnswerError extends PosthornError {
  override readonly name = 'AnswerError';
  readonly status: number;
  readonly text: string;
  readonly retryAfter: number | undefined;

  constructor(message: string, answer: { status: number; text: string; retryAfter: number | undefined }) {
    super(message);
    this.status = answer.status;
    this.text = answer.text;
    this.retryAfter = answer.retryAfter;
  }
}

/** No response arrived, or only a part. The service may have processed the request. `cause` is the error of fetch. */
export class ConnectionError extends PosthornError {
  override readonly name: string = 'ConnectionError';
}

/** No complete response arrived in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** Whether the error is a refusal by the service and, if given, has this code. */
export const isApiError = (error: unknown, code?: ErrorCode): error is ApiError =>
  error instanceof ApiError && (code === undefined || error.code === code);

/** Creates the error for a response without a 2xx status. */
export function refusalOf({ status, headers }: Response, text: string): ApiError | AnswerError {
  const requestId = headers.get('x-request-id') ?? undefined;
  const retryAfter = secondsOf(headers.get('retry-after'));
  const told = readEnvelope(text);
  if (told !== undefined)
    return new ApiError(
      { ...told, retryAfter: told.retryAfter ?? retryAfter },
      { status, requestId, challenge: headers.get('www-authenticate') },
    );
  return new AnswerError(`The response (${status}) is not from Posthorn: ${text.slice(0, 200)}`, {
    status,
    text,
    retryAfter,
  });
}

/** The service sends whole seconds. A proxy may send a date (RFC 9110 §10.2.3). */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

function readEnvelope(text: string): Refusal | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const error = memberOf(body, 'error');
  const code = memberOf(error, 'code');
  const message = memberOf(error, 'message');
  if (!isErrorCode(code) || typeof message !== 'string') return undefined;
  const retryAfter = memberOf(error, 'retryAfter');
  const details = memberOf(error, 'details');
  return {
    code,
    message,
    // `as`: a response with a known code has details of this type or none (docs/reference/errors.md).
    details: details as ErrorDetails | undefined,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : undefined,
  };
}

const isErrorCode = (value: unknown): value is ErrorCode => ERROR_CODES.some((code) => code === value);

/** Returns a member of a JSON value; undefined if there is none. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
