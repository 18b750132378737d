import type { Context, Middleware } from '../route/context.ts';
import { type OwnOrigins, originProblem } from '../../../kernel/values/http.ts';
import { ApiError } from '../../../kernel/errors.ts';

/** Our response headers that a page may read. */
const EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotent-Replayed',
  'Deprecation',
  'Sunset',
  'Link',
].join(', ');
/** Headers that a page may send. The ones that carry keys and tokens are not among them. */
const SENT = [
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'Posthorn-Organisation',
  'Posthorn-App',
  'Posthorn-Environment',
].join(', ');
/** Chromium caches a preflight response for two hours at most. */
const KEPT_SECONDS = 7_200;

/**
 * Lets pages of the dashboard's origin, and no other, read responses with its cookies (Fetch standard, CORS protocol). Applies to every
 * response, errors included.
 */
export const allowDashboard =
  (dashboardOrigin: string): Middleware =>
  (ctx, next) => {
    ctx.vary('Origin');
    if (isFrom(ctx, dashboardOrigin)) {
      ctx.set({
        'Access-Control-Allow-Origin': dashboardOrigin,
        'Access-Control-Allow-Credentials': 'true',
        'Access-Control-Expose-Headers': EXPOSED,
      });
    }
    return next();
  };

/** Answers CORS preflight requests. Runs after the rate limit, like every response. */
export const answerPreflight =
  (dashboardOrigin: string): Middleware =>
  (ctx, next) => {
    const isPreflight = ctx.method === 'OPTIONS' && ctx.req.headers['access-control-request-method'] !== undefined;
    if (!isPreflight || !isFrom(ctx, dashboardOrigin)) return next();
    ctx.set({
      'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers': SENT,
      'Access-Control-Max-Age': String(KEPT_SECONDS),
    });
    ctx.status = 204;
    return undefined;
  };

const isFrom = ({ req }: Context, origin: string): boolean => req.headers.origin === origin;

/**
 * Rejects requests from another site's page to routes of our own pages: such a page could sign its visitor in as somebody else.
 * Programs other than browsers pass, because they have no visitor to deceive.
 */
export const refuseForeignOrigin =
  (own: OwnOrigins): Middleware =>
  (ctx, next) => {
    if (ctx.state.route?.isFromOwnPages === true) {
      const { origin = [], host = [], 'sec-fetch-site': site = [] } = ctx.req.headersDistinct;
      const problem = originProblem({ site, origin, host }, own, { isProofNeeded: false });
      if (problem !== undefined) throw new ApiError('FORBIDDEN', `The request ${problem}`);
    }
    return next();
  };
