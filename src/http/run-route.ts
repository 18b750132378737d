import type { Visit } from '../identity/scheme.ts';
import { writeAnswer } from './answer.ts';
import { clientAddress } from './client-address.ts';
import type { Context, Middleware } from './context.ts';
import { EventStream, type EventStreams } from './event-stream.ts';

/** Runs the route's handler and writes what it returns. */
export function runRoute(streams: EventStreams, trustedProxyHops: number): Middleware {
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
      header: (name) => headerOf(ctx, name),
      visit: () => visitOf(ctx, trustedProxyHops),
      setCookie: (cookie) => ctx.append('Set-Cookie', cookie),
      ...(hops !== undefined && { hops }),
      ...(keep && { keep }),
    });
    if (result instanceof EventStream) return streams.answer(ctx, result);
    return writeAnswer(ctx, route.status, route.status === 204 ? undefined : result);
  };
}

/** Node joins these by a comma where there are several. */
const headerOf = ({ req }: Context, name: string): string | undefined => req.headersDistinct[name]?.join(', ');

const visitOf = ({ req }: Context, trustedProxyHops: number): Visit => ({
  address: clientAddress(req, trustedProxyHops),
  host: req.headers.host ?? '',
  cookie: req.headersDistinct['cookie'] ?? [],
  userAgent: req.headers['user-agent'],
});
