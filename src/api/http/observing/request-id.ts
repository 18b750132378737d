import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { traceIdOf } from '../../../kernel/values/trace-context.ts';
import type { Middleware } from '../route/context.ts';
import { traceHeaderOf } from './trace-requests.ts';

/**
 * A new request id. Always ours, whatever the caller sends: it must name one request in the log, and what is in the log
 * must not be a caller's choice.
 */
export const newRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`;

/** Gives the request its id, on ctx.state, in X-Request-Id and in the log line of the finished request. */
export const requestId =
  (log: Logger): Middleware =>
  async (ctx, next) => {
    const id = newRequestId();
    const startedAt = performance.now();
    ctx.state.requestId = id;
    ctx.res.setHeader('X-Request-Id', id);
    await next();
    // Nobody reads the line at the usual level, and what it says would still be put together.
    if (!log.isLevelEnabled('debug')) return;
    const { method, status, state } = ctx;
    // The route's pattern, not the path: paths hold whatever a caller typed.
    const durationMs = Math.round(performance.now() - startedAt);
    log.debug(
      {
        requestId: id,
        traceId: traceIdOf(traceHeaderOf(ctx, 'traceparent')),
        method,
        route: state.route?.path,
        status,
        durationMs,
        credentialId: state.credential?.caller.principal.id,
      },
      'request',
    );
  };
