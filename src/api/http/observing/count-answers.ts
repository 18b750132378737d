import type { Middleware } from '../route/context.ts';
import { pathOf } from '../route/match-route.ts';

/** An answer as it is measured. `route` is the template of the route table, `none` for an unknown path. */
export type MeasuredAnswer = { method: string; route: string; status: number; seconds: number };

export const PROBES = ['/healthz', '/readyz'];
/** Callers may send any method; each would be a series of its own. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Tells of each answer. A stream is told of when it begins. */
export const countAnswers =
  (tell: (answered: MeasuredAnswer) => void): Middleware =>
  async (ctx, next) => {
    const startedAt = performance.now();
    try {
      await next();
    } finally {
      const { route } = ctx.state;
      const path = route === undefined ? pathOf(ctx.req.url ?? '') : '';
      tell({
        method: METHODS.includes(ctx.method) ? ctx.method : 'other',
        route: route?.path ?? (PROBES.includes(path) ? path : 'none'),
        status: ctx.status,
        seconds: (performance.now() - startedAt) / 1_000,
      });
    }
  };
