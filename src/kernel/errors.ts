/** Every error code of the API and its HTTP status (spec §7). */
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

/** When a code is returned and what the caller should do; docs/reference/errors.md shows both. */
type ErrorDescription = {
  when: string;
  remedy: string;
  /** Whether the caller may send the same request again: `unknown` if the first one may have been carried out. */
  isRetryable: 'yes' | 'no' | 'unknown';
};

/** The texts are Markdown. */
export const DESCRIPTION_OF_CODE: Readonly<Record<ErrorCode, ErrorDescription>> = {
  INVALID_REQUEST: {
    when: 'The body, a parameter, a header or a cursor is not valid. Nothing was changed.',
    remedy: 'Correct the field that `details` names.',
    isRetryable: 'no',
  },
  UNAUTHORIZED: {
    when: 'The API key or access token is missing, invalid, expired or revoked, or its proof is invalid. For users: the session is missing or has ended, or the password is wrong.',
    remedy:
      'Send `Authorization: Bearer <API key>` with an active key (`posthorn keys list`), or a token with a new proof. Users sign in again.',
    isRetryable: 'no',
  },
  FORBIDDEN: {
    when: 'The credential lacks the scope of this endpoint, its app is suspended, or the request would create or change a credential with more rights than its own. For users: the role does not allow it, or the request comes from a page on another site.',
    remedy: 'Use a credential with the scope or the rights that the message names.',
    isRetryable: 'no',
  },
  NOT_FOUND: {
    when: 'The path does not exist, or the environment of the credential has no such resource.',
    remedy: 'Check the id and the environment: a `svc_live_` key sees no test resources.',
    isRetryable: 'no',
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path does not support this method.',
    remedy: 'Use a method that the `Allow` header lists.',
    isRetryable: 'no',
  },
  REQUEST_TIMEOUT: {
    when: 'The request took too long to arrive: its headers must arrive within 10 s, all of it within 30 s. Nothing was changed.',
    remedy: 'Send the request again on a new connection.',
    isRetryable: 'yes',
  },
  CONFLICT: {
    when: 'The state of the resource does not allow it, for example publishing to a paused channel. Or the `Idempotency-Key` or message `id` was already used for another request.',
    remedy:
      'With `Retry-After`, send the same request again. Otherwise change the state of the resource, or use a new key or id.',
    isRetryable: 'no',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The request body is larger than the endpoint accepts.',
    remedy: 'Send fewer or smaller messages in one request.',
    isRetryable: 'no',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The body is compressed, or not of the type that the endpoint accepts (`application/json` nearly everywhere).',
    remedy: 'Send JSON with `Content-Type: application/json` and without `Content-Encoding`.',
    isRetryable: 'no',
  },
  RATE_LIMITED: {
    when: 'The credential has exceeded a rate limit of its tier, or there were too many sign-in attempts. Nothing was changed.',
    remedy: 'Wait `Retry-After` seconds.',
    isRetryable: 'yes',
  },
  HEADERS_TOO_LARGE: {
    when: 'The request headers are larger than 16 KiB in total. Nothing was changed.',
    remedy: 'Send fewer or shorter headers.',
    isRetryable: 'no',
  },
  INTERNAL: {
    when: 'An internal error. The log of the service has the cause under the `X-Request-Id` of the response.',
    remedy: 'Try again later, and report the request id.',
    isRetryable: 'unknown',
  },
  UNAVAILABLE: {
    when: 'The service cannot reach its database, the database is read-only or not migrated, or requests arrive faster than they can be stored. The message says which. Nothing was changed, unless `details.field` is `outcome`: the change may then have been made.',
    remedy: 'Wait `Retry-After` seconds. `GET /readyz` shows which component is down.',
    isRetryable: 'yes',
  },
};

/** The invalid field as the caller wrote it (`messages[3].eventType`), and what is wrong with it. */
export type ErrorDetails = { field: string; reason: string };

/** The first problem and all of them, for services that look for more than one: the definition of a workflow. */
export type DetailsOfMany = ErrorDetails & { errors: ErrorDetails[] };

type Options = { details?: ErrorDetails | DetailsOfMany; retryAfter?: number; oauth?: OAuthRefusal; cause?: unknown };

/**
 * The error that services throw. `message` and `details` are for the caller; `cause` is for the operator's log and never leaves the
 * process. `retryAfter` is in whole seconds, set on RATE_LIMITED and UNAVAILABLE (spec §7, §8). `oauth` is the error for OAuth clients.
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

/** NOT_FOUND, with the same text for a missing, a malformed and a foreign id, so that callers cannot tell them apart. */
export const notFound = (resource: string): ApiError =>
  new ApiError('NOT_FOUND', `No such ${resource} in this environment`);

/**
 * A body that the schema of its route rejects, unchanged, with all problems that the schema found: unknown fields first. Services that
 * receive one look for further problems before they reject it.
 */
export class BodyMisfit {
  readonly body: unknown;
  readonly faults: readonly [ErrorDetails, ...ErrorDetails[]];

  constructor(body: unknown, faults: BodyMisfit['faults']) {
    this.body = body;
    this.faults = faults;
  }

  /** The fields of the body without a problem. */
  rest(): Record<string, unknown> {
    const { body } = this;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
    const isFaulty = new Set(this.faults.map(topOf));
    return Object.fromEntries(Object.entries(body).filter(([field]) => !isFaulty.has(field)));
  }
}

/** The top-level field of a problem: `steps` of `steps[0].config.url`. */
export const topOf = ({ field }: ErrorDetails): string => field.replace(/[.[].*$/s, '');

/** Error codes of RFC 6749 §5.2, RFC 6750 §3.1 and RFC 9449 §5 and §7.1. */
export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'unsupported_grant_type',
  'invalid_dpop_proof',
  'use_dpop_nonce',
  'invalid_token',
  'insufficient_scope',
] as const;
export type OAuthError = (typeof OAUTH_ERRORS)[number];

/** Algorithms that a DPoP proof may be signed with: only asymmetric ones, so that no secret of ours serves as a key. */
export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256'] as const;
export type ProofAlgorithm = (typeof PROOF_ALGORITHMS)[number];

/** An error for OAuth clients; `scope` is the missing scope, `nonce` the one that the next proof must contain. */
type OAuthRefusal = { error: OAuthError; scope?: string; nonce?: string | undefined };

/** The message of any thrown value. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** `reason` is a sentence for callers, without host names, SQL or settings. The rest is for the operator. */
type NotReadyOptions = { advice: string; isLasting?: boolean; cause?: unknown };

/** Why this process cannot do its work at the moment. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  /** One sentence for the log and the terminal that names the setting and the remedy, never for callers. */
  readonly advice: string;
  /** Only a changed setting can fix it. Settings are read once, so waiting would be pointless. */
  readonly isLasting: boolean;

  constructor(reason: string, { advice, isLasting = false, cause }: NotReadyOptions) {
    super(reason, { cause });
    this.advice = advice;
    this.isLasting = isLasting;
  }
}
