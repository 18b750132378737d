import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { traceIdOf, type TraceContext } from '../../kernel/values/trace-context.ts';
import type { Middleware, Context } from './route/context.ts';
import { pathOf } from './route/match-route.ts';
import { invalidField } from '../../kernel/errors.ts';
import { HOPS_HEADER, MAX_HOPS, readHops } from '../../kernel/values/http.ts';

/**
 * Returns a new request id. Never the caller's: it must name a single request in the log, and callers must not be able to choose what
 * is logged.
 */
export const newRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`;

/** Assigns a request id: to ctx.state, the header X-Request-Id and the log line of the finished request. */
export const requestId =
  (log: Logger): Middleware =>
  async (ctx, next) => {
    const id = newRequestId();
    const startedAt = performance.now();
    ctx.state.requestId = id;
    ctx.res.setHeader('X-Request-Id', id);
    await next();
    // At the usual level nobody reads the line, so don't build it.
    if (!log.isLevelEnabled('debug')) return;
    const { method, status, state } = ctx;
    // The route's pattern, not the path, because paths contain whatever a caller typed.
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

const PROBES = ['/healthz', '/readyz'];
/** Callers may send any method, and each would become a time series. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The response as recorded in its span. `route` is the template of the route table; absent for an unknown path. */
type AnswerOfTrace = { requestId: string; route: string | undefined; status: number };

/** A request whose trace is recorded. `trace` has the span of the request as its parent. */
type RequestSpan = { readonly trace: TraceContext; end(answer: AnswerOfTrace): void };

/** Starts the span of a request, within the caller's trace if it names one. Returns undefined if nothing is recorded. */
export type TraceRequest = (request: {
  method: string;
  traceparent: string | undefined;
  tracestate: string | undefined;
}) => RequestSpan | undefined;

/** Creates a span for each request except probes. The span of a stream ends when the stream begins. */
export const traceRequests =
  (begin: TraceRequest): Middleware =>
  (ctx, next) => {
    if (PROBES.includes(pathOf(ctx.req.url ?? ''))) return next();
    const method = METHODS.includes(ctx.method) ? ctx.method : 'other';
    const { traceparent, tracestate } = ctx.req.headers;
    // Two traceparent headers would be invalid; Node joins those of tracestate.
    const span = begin({ method, traceparent: textOf(traceparent), tracestate: textOf(tracestate) });
    if (span === undefined) return next();
    ctx.state.trace = span.trace;
    return next().finally(() => {
      const { requestId, route } = ctx.state;
      span.end({ requestId, route: route?.path, status: ctx.status });
    });
  };

const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : header?.join(', ');

/** The trace that the work of a request belongs to: its own span if recorded, otherwise its caller's. */
export function traceHeaderOf({ req, state }: Context, name: 'traceparent' | 'tracestate'): string | undefined {
  // Join several values with commas, as Node does.
  return state.trace === undefined ? req.headersDistinct[name]?.join(', ') : (state.trace[name] ?? undefined);
}

/** A measured response. `route` is the template of the route table, or `none` for an unknown path. */
export type MeasuredAnswer = { method: string; route: string; status: number; seconds: number };

/** Reports each response. A stream is reported when it begins. */
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

/**
 * Reads the hop count that a webhook request carries, on requests that create deliveries, and rejects those that would continue a loop:
 * a publish at the end of the longest allowed chain, and any request that redelivers stored messages, because these keep their hop
 * count and would loop for ever. Runs before the body is read, because a loop is fast.
 */
export const loopMark: Middleware = (ctx, next) => {
  const { route } = ctx.state;
  if (route?.isPublish === true || route?.isRedelivery === true) {
    const hops = readHops(ctx.req.headersDistinct[HOPS_HEADER] ?? []);
    if (hops === undefined) throw invalidField(HOPS_HEADER, 'must be a whole number, taken from the webhook request');
    if (route.isPublish === true && hops >= MAX_HOPS) {
      throw invalidField(
        HOPS_HEADER,
        `must be less than ${MAX_HOPS}, but is ${hops}: longer chains of deliveries are rejected because they may be loops`,
      );
    }
    if (route.isRedelivery === true && hops > 0) {
      throw invalidField(
        HOPS_HEADER,
        `must be absent or 0, but is ${hops}: a request caused by a delivery may publish, but not resend stored messages or send samples`,
      );
    }
    ctx.state.hops = hops;
  }
  return next();
};
