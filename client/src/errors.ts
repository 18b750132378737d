import { ERROR_CODES, type ErrorCode, type OAuthErrorCode } from './generated/errors.ts';

/** Every error of this library but the reasons of aborted signals, which are thrown as they are. */
export class PosthornError extends Error {
  override readonly name: string = 'PosthornError';
}

export type ErrorDetails = {
  /** Path of the refused field, such as `messages[3].eventType`. */
  readonly field: string;
  readonly reason: string;
  readonly oauthError?: OAuthErrorCode;
  /** Everything that is wrong with the definition of a workflow, this first one included. */
  readonly errors?: readonly { readonly field: string; readonly reason: string }[];
};

type Refusal = {
  code: ErrorCode;
  message: string;
  details: ErrorDetails | undefined;
  retryAfter: number | undefined;
};

/** A refusal by the service. `code` tells programs what went wrong, `message` tells people. */
export class ApiError extends PosthornError {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  /** The first refused field and why, where a field is at fault. */
  readonly details: ErrorDetails | undefined;
  /** Seconds until the request may succeed. */
  readonly retryAfter: number | undefined;
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  /** The same for OAuth, where a proof, a token or a scope was refused: of the details, or of the header WWW-Authenticate. */
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
    // `as`: new names may be added; nobody is told that there are no others.
    const challenged = /\berror="(\w+)"/.exec(answer.challenge ?? '')?.[1] as OAuthErrorCode | undefined;
    this.oauthError = details?.oauthError ?? challenged;
  }
}

/** An answer that the service has not written: a proxy's page, or an address where something else listens. */
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

/** No answer came, or a part of it: the service may have done what it was asked for. `cause` is the error of fetch. */
export class ConnectionError extends PosthornError {
  override readonly name: string = 'ConnectionError';
}

/** No whole answer came in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** Whether this is a refusal by the service, with this code where one is named. */
export const isApiError = (error: unknown, code?: ErrorCode): error is ApiError =>
  error instanceof ApiError && (code === undefined || error.code === code);

/** The error that an answer without a 2xx stands for. */
export function refusalOf({ status, headers }: Response, text: string): ApiError | AnswerError {
  const requestId = headers.get('x-request-id') ?? undefined;
  const retryAfter = secondsOf(headers.get('retry-after'));
  const told = readEnvelope(text);
  if (told !== undefined)
    return new ApiError(
      { ...told, retryAfter: told.retryAfter ?? retryAfter },
      { status, requestId, challenge: headers.get('www-authenticate') },
    );
  return new AnswerError(`The answer ${status} is not one of the service: ${text.slice(0, 200)}`, {
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
    // `as`: an envelope of a known code has details of this form or none (docs/reference/errors.md).
    details: details as ErrorDetails | undefined,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : undefined,
  };
}

const isErrorCode = (value: unknown): value is ErrorCode => ERROR_CODES.some((code) => code === value);

/** A member of a JSON value; undefined where it has none. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
