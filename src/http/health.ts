import type { Readiness } from '../readiness/readiness.ts';
import { ApiError } from '../shared/api-error.ts';
import { writeAnswer } from './answer.ts';
import type { Middleware } from './context.ts';
import { toEnvelope } from './errors.ts';
import { hostProblem } from './host.ts';
import { pathOf } from './match-route.ts';
import { notReadyError } from './require-ready.ts';

const METHODS = ['GET', 'HEAD'];

/**
 * /healthz: the process answers. /readyz: everything required is there, else 503 with the reason of each part that is not.
 * Both are public and have no rate limit: a probe must not be refused.
 */
export function health(readiness: Readiness): Middleware {
  return async (ctx, next) => {
    const path = pathOf(ctx.req.url ?? '');
    if (path !== '/healthz' && path !== '/readyz') {
      await next();
      return;
    }
    const problem = hostProblem(ctx.req);
    if (problem !== undefined) throw problem;
    if (!METHODS.includes(ctx.method)) {
      ctx.set('Allow', METHODS.join(', '));
      throw new ApiError('METHOD_NOT_ALLOWED', `${ctx.method} is not allowed here; allowed: ${METHODS.join(', ')}`);
    }
    if (path === '/healthz') return writeAnswer(ctx, 200, { status: 'ok' });
    const look = await readiness.look();
    const { parts, reasons } = look;
    const shown = { parts, ...(Object.keys(reasons).length > 0 && { reasons }) };
    if (look.isReady) return writeAnswer(ctx, 200, { status: 'ready', ...shown });
    ctx.set('Retry-After', '1');
    return writeAnswer(ctx, 503, { ...toEnvelope(notReadyError(look)), status: 'unavailable', ...shown });
  };
}
