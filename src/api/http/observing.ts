import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { traceIdOf, type TraceContext } from '../../kernel/values/trace-context.ts';
import type { Middleware, Context } from './route/context.ts';
import { pathOf } from './route/match-route.ts';
import { invalidField } from '../../kernel/errors.ts';
import { HOPS_HEADER, MAX_HOPS, readHops } from '../../kernel/values/http.ts';

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

const PROBES = ['/healthz', '/readyz'];
/** Callers may send any method; each would be a series of its own. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The answer of a request, as its span tells it. `route` is the template of the route table; absent for an unknown path. */
type AnswerOfTrace = { requestId: string; route: string | undefined; status: number };

/** A request whose trace is recorded. `trace` has the span of the request as its parent. */
type RequestSpan = { readonly trace: TraceContext; end(answer: AnswerOfTrace): void };

/** Begins the span of a request, within the caller's trace where it names one. Undefined where nothing is recorded. */
export type TraceRequest = (request: {
  method: string;
  traceparent: string | undefined;
  tracestate: string | undefined;
}) => RequestSpan | undefined;

/** Makes a span of each request but the probes'. A stream's ends when it begins. */
export const traceRequests =
  (begin: TraceRequest): Middleware =>
  (ctx, next) => {
    if (PROBES.includes(pathOf(ctx.req.url ?? ''))) return next();
    const method = METHODS.includes(ctx.method) ? ctx.method : 'other';
    const { traceparent, tracestate } = ctx.req.headers;
    // Two of the first would be no trace; Node joins the second.
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

/** The trace that the work of a request belongs to: its own span's where that is recorded, else its caller's. */
export function traceHeaderOf({ req, state }: Context, name: 'traceparent' | 'tracestate'): string | undefined {
  // Node joins these by a comma where there are several.
  return state.trace === undefined ? req.headersDistinct[name]?.join(', ') : (state.trace[name] ?? undefined);
}

/** An answer as it is measured. `route` is the template of the route table, `none` for an unknown path. */
export type MeasuredAnswer = { method: string; route: string; status: number; seconds: number };

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

/**
 * Reads the mark that a webhook request carries, where a request makes deliveries, and refuses those by which a loop would go
 * on: one that publishes at the end of the longest chain, and one that makes deliveries of stored messages again at all, since
 * these keep the mark they have and would come round for ever. Before the body is read: a loop is fast.
 */
export const loopMark: Middleware = (ctx, next) => {
  const { route } = ctx.state;
  if (route?.isPublish === true || route?.isRedelivery === true) {
    const hops = readHops(ctx.req.headersDistinct[HOPS_HEADER] ?? []);
    if (hops === undefined) throw invalidField(HOPS_HEADER, 'must be a whole number, as the webhook request had it');
    if (route.isPublish === true && hops >= MAX_HOPS) {
      throw invalidField(
        HOPS_HEADER,
        `is ${hops}: a chain of deliveries ends after ${MAX_HOPS}, so that no loop goes on`,
      );
    }
    if (route.isRedelivery === true && hops > 0) {
      throw invalidField(
        HOPS_HEADER,
        `is ${hops}: what a delivery causes may publish, but not send stored messages or samples`,
      );
    }
    ctx.state.hops = hops;
  }
  return next();
};
