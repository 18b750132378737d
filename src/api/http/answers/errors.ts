import type { Logger } from 'pino';
import { ApiError, PROOF_ALGORITHMS } from '../../../kernel/errors.ts';
import { traceIdOf } from '../../../kernel/values/trace-context.ts';
import { writeAnswer } from './answer.ts';
import { type Context, type Middleware, FORM_TYPE, mediaTypeOf } from '../route/context.ts';
import { fromDatabaseError, noConnectionIn } from './database-errors.ts';
import { traceHeaderOf } from '../observing.ts';
import { toEnvelope, toOAuthRefusal } from './error-envelope.ts';

/**
 * Returns the API error for anything thrown. `isRead`: the request changes nothing, so its outcome is known. Unknown errors get a fixed
 * text, because their own may contain SQL, hosts or secrets.
 */
export function toApiError(thrown: unknown, what: { isRead: boolean }): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return fromDatabaseError(thrown, what) ?? new ApiError('INTERNAL', 'An internal error occurred', { cause: thrown });
}

const READING_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Headers that belong to an error: how long to wait, and how to authenticate (RFC 9110 §10.2.3, §11.6.1). */
function errorHeaders(error: ApiError): Record<string, string | string[]> {
  return {
    ...(error.retryAfter !== undefined && { 'Retry-After': String(error.retryAfter) }),
    ...challengesOf(error),
  };
}

/** Writes an error response and keeps the headers that are already set. */
function writeError(ctx: Context, error: ApiError): void {
  ctx.set(errorHeaders(error));
  writeAnswer(ctx, error.status, isForOAuthClient(ctx, error) ? toOAuthRefusal(error) : toEnvelope(error));
}

/**
 * A standard OAuth client sends a form and understands errors only in the format of RFC 6749. The RFC has no code for rate limits or
 * internal errors; clients go by the status there.
 */
function isForOAuthClient({ req, state }: Context, { code, status }: ApiError): boolean {
  if (state.route?.isOAuth !== true || code === 'RATE_LIMITED' || status >= 500) return false;
  return mediaTypeOf(req) === FORM_TYPE;
}

/** When no connection is free, requests fail by the hundred for the same reason; one line per interval says how many. */
const LOG_BUSY_EVERY_MS = 5_000;

/**
 * Turns anything thrown by later middleware into the error envelope, and logs what the caller must not see. `now` is in ms, from any
 * origin.
 */
export const errors = (log: Logger, now: () => number = () => performance.now()): Middleware => {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;

  const logBusy = (where: object, err: Error): void => {
    if (now() - loggedAt < LOG_BUSY_EVERY_MS) {
      unlogged += 1;
      return;
    }
    log.warn(
      { ...where, code: 'UNAVAILABLE', err, refusedSinceLastLine: unlogged },
      'request failed: no PostgreSQL connection was free in time',
    );
    loggedAt = now();
    unlogged = 0;
  };

  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toApiError(thrown, { isRead: READING_METHODS.includes(ctx.method) });
      const { requestId, route } = ctx.state;
      const where = { requestId, traceId: traceIdOf(traceHeaderOf(ctx, 'traceparent')), route: route?.path };
      const busy = error.code === 'UNAVAILABLE' ? noConnectionIn(error.cause) : undefined;
      if (error.code === 'INTERNAL') log.error({ ...where, err: error.cause ?? error }, 'request failed');
      else if (busy !== undefined) logBusy(where, busy);
      else if (error.cause !== undefined)
        log.warn({ ...where, code: error.code, err: error.cause }, 'request rejected');
      writeError(ctx, error);
    }
  };
};

/** Errors that a challenge names; the others belong to the token endpoint. */
const NAMED = new Set(['invalid_token', 'invalid_dpop_proof', 'use_dpop_nonce', 'insufficient_scope']);

/**
 * How to authenticate, on errors that a better credential would avoid: both schemes, each in its own header line (RFC 9110 §11.6.1, RFC
 * 9449 §7.1, RFC 6750 §3). An error is attached to the scheme whose credential was rejected; a missing scope concerns both. A required
 * nonce goes into DPoP-Nonce (RFC 9449 §8).
 */
function challengesOf({ code, oauth }: ApiError): Record<string, string | string[]> {
  if (code !== 'UNAUTHORIZED' && code !== 'FORBIDDEN' && oauth?.nonce === undefined) return {};
  const nonce = oauth?.nonce === undefined ? {} : { 'DPoP-Nonce': oauth.nonce };
  const error = oauth !== undefined && NAMED.has(oauth.error) ? `, error="${oauth.error}"` : '';
  const scope = oauth?.scope === undefined ? '' : `, scope="${oauth.scope}"`;
  // Another token does not help if this kind of credential may never do it, such as a key where a user is required.
  if (code === 'INVALID_REQUEST' || (code === 'FORBIDDEN' && error === '')) return nonce;
  const ofBearer = oauth?.error === 'insufficient_scope' ? error + scope : '';
  return {
    ...nonce,
    'WWW-Authenticate': [
      `DPoP realm="api"${error}${scope}, algs="${PROOF_ALGORITHMS.join(' ')}"`,
      `Bearer realm="api"${ofBearer}`,
    ],
  };
}
