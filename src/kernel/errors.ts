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

/**
 * A body that its route's schema refuses, as it came, with everything that the schema says against it: unknown fields first. Services
 * that get one look for further faults before they refuse it.
 */
export class BodyMisfit {
  readonly body: unknown;
  readonly faults: readonly [ErrorDetails, ...ErrorDetails[]];

  constructor(body: unknown, faults: BodyMisfit['faults']) {
    this.body = body;
    this.faults = faults;
  }

  /** The fields of the body that have no fault. */
  rest(): Record<string, unknown> {
    const { body } = this;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
    const isFaulty = new Set(this.faults.map(topOf));
    return Object.fromEntries(Object.entries(body).filter(([field]) => !isFaulty.has(field)));
  }
}

/** The field of a body that a problem is in: `steps` of `steps[0].config.url`. */
export const topOf = ({ field }: ErrorDetails): string => field.replace(/[.[].*$/s, '');

/** Refusals by the names of RFC 6749 §5.2, RFC 6750 §3.1 and RFC 9449 §5 and §7.1. */
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

/** Algorithms that a DPoP proof may be signed with: asymmetric ones alone, so that nothing secret of ours is a key. */
export const PROOF_ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'PS256'] as const;
export type ProofAlgorithm = (typeof PROOF_ALGORITHMS)[number];

/** A refusal as OAuth clients read it; `scope` is what is missing, `nonce` what the next proof must hold. */
type OAuthRefusal = { error: OAuthError; scope?: string; nonce?: string | undefined };

/** The words of whatever was thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** `reason`: for callers, a sentence without host names, SQL or settings. The rest is for the operator. */
type NotReadyOptions = { advice: string; isLasting?: boolean; cause?: unknown };

/** Reason why this process cannot do its work now. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  /** One sentence that names the setting and the remedy, for the log and the terminal, never for callers. */
  readonly advice: string;
  /** Only another value of a setting can mend it. Settings are read once, so waiting would be for nothing. */
  readonly isLasting: boolean;

  constructor(reason: string, { advice, isLasting = false, cause }: NotReadyOptions) {
    super(reason, { cause });
    this.advice = advice;
    this.isLasting = isLasting;
  }
}
