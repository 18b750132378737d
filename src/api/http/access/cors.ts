import type { Context, Middleware } from '../route/context.ts';
import { type OwnOrigins, originProblem } from '../../../kernel/values/http.ts';
import { ApiError } from '../../../kernel/errors.ts';

/** Headers of ours that a page may read. */
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
/** Headers that a page may send; the keys of programs are not among them. */
const SENT = [
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'Posthorn-Organisation',
  'Posthorn-App',
  'Posthorn-Environment',
].join(', ');
/** Chromium keeps a permission for two hours at most. */
const KEPT_SECONDS = 7_200;

/**
 * Lets pages of the dashboard's origin read answers, sent with its cookies, and pages of no other origin (Fetch standard, CORS
 * protocol). On every answer, refusals included.
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

/** Answers the question that a browser asks before it lets such a page send JSON. Behind the rate limit, as every answer. */
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
 * Refuses what a page of another site sends to a route of people's own pages: such a page could sign its visitor in as somebody else.
 * A program without a browser has no visitor to deceive, and passes.
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
