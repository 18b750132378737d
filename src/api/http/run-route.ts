import type { IncomingMessage } from 'node:http';
import { writeAnswer, createWriteRead } from './answers/answer.ts';
import type { Slices } from '../../platform/slices.ts';
import { type Context, type Middleware, turnOwnerOf } from './route/context.ts';
import { headOf, visitOf } from './access/request-head.ts';
import { EventStream, type EventStreams, type StreamTimings } from './event-stream.ts';
import { LineStream, writeLines } from './line-stream.ts';
import { traceHeaderOf } from './observing.ts';

/** What handlers can use of the HTTP layer. */
export type Edge = {
  costly: Slices;
  count: (name: string, perMinute: number) => Promise<void>;
  addressOf: (request: IncomingMessage) => string;
  trustedProxyHops: number;
  /** How often long-lived responses check their callers again, and how long they wait for a reader. */
  timings: StreamTimings;
};

/** Runs the route's handler and writes what it returns. */
export function runRoute(
  streams: EventStreams,
  { costly, count, addressOf, trustedProxyHops, timings }: Edge,
): Middleware {
  const writeRead = createWriteRead(costly, { beatMs: timings.heartbeatMs });
  return async (ctx) => {
    const { route, caller, params = {}, body, query, bodyText = '', bytes, hops, keep } = ctx.state;
    if (route === undefined || (caller === undefined && route.access !== 'public'))
      throw new Error('A request without route or caller got past the middleware');
    const result = await route.handle({
      caller,
      params,
      body,
      query,
      bodyText,
      bytes,
      header: (name) => (name === 'last-event-id' ? headerOf(ctx, name) : traceHeaderOf(ctx, name)),
      head: () => headOf(ctx.req, trustedProxyHops),
      address: () => addressOf(ctx.req),
      countAgainst: count,
      setNonce: (nonce) => ctx.set('DPoP-Nonce', nonce),
      visit: () => visitOf(ctx.req, trustedProxyHops),
      setLocation: (url) => ctx.set('Location', url),
      setCookie: (cookie) => ctx.append('Set-Cookie', cookie),
      ...(hops !== undefined && { hops }),
      ...(keep && { keep }),
    });
    if (result instanceof EventStream) return streams.answer(ctx, result);
    if (result instanceof LineStream) return writeLines(ctx, result, timings, costly);
    const hasNoBody = [204, 303].includes(route.status) || result === undefined;
    // Other responses may be stored under their Idempotency-Key, and contain no lists.
    if (route.method === 'GET' && !hasNoBody) await writeRead(ctx, route.status, result, turnOwnerOf(caller));
    else writeAnswer(ctx, route.status, hasNoBody ? undefined : result);
    if (route.headers !== undefined) ctx.set(route.headers);
  };
}

/** Join several values with commas, as Node does. */
const headerOf = ({ req }: Context, name: string): string | undefined => req.headersDistinct[name]?.join(', ');
