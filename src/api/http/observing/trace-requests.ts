import type { TraceContext } from '../../../kernel/values/trace-context.ts';
import type { Context, Middleware } from '../route/context.ts';
import { pathOf } from '../route/match-route.ts';
import { METHODS, PROBES } from './count-answers.ts';

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
