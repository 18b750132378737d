import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import type { Middleware } from './context.ts';
import type { BoundRoute } from './route.ts';

type RouteOrProblem = { route: BoundRoute; params: Record<string, string> } | { problem: ApiError; allow?: string };

/**
 * Finds the row of the route table, or the reason why there is none: unknown path, wrong method (with Allow), or an invalid request
 * target or Host. Trailing slashes and case are significant, so that a resource has a single address; only an address that other
 * services call (`isOthers`) may have a trailing slash. `refuseUnrouted` throws the problem after the rate limit.
 */
export function matchRoute(routes: readonly BoundRoute[]): Middleware {
  const find = createFinder(routes);
  return (ctx, next) => {
    const match = find(ctx.req.url ?? '', ctx.method);
    if ('route' in match) {
      ctx.state.route = match.route;
      ctx.state.params = match.params;
    } else {
      ctx.state.routeProblem = match.problem;
      if (match.allow !== undefined) ctx.set('Allow', match.allow);
    }
    const problem = hostProblem(ctx.req);
    if (problem !== undefined) ctx.state.routeProblem = problem;
    return next();
  };
}

/** Throws the problem that `matchRoute` found. */
export const refuseUnrouted: Middleware = (ctx, next) => {
  if (ctx.state.routeProblem !== undefined) throw ctx.state.routeProblem;
  return next();
};

/** Every path of the table has this many literal parts before its first parameter: /v1/channels. */
const LITERAL_PARTS = 2;

/** Number of a path's parts, and its first parts. Two paths that match the same route have the same kind. */
function kindOf(path: string): string {
  const parts = path.split('/');
  return `${parts.length} ${parts[1]} ${parts[LITERAL_PARTS]}`;
}

function createFinder(routes: readonly BoundRoute[]): (target: string, method: string) => RouteOrProblem {
  // A router tries its routes one after the other, at a third of a microsecond each. Grouping by kind leaves only a few per router.
  const routers = new Map<string, Router>();
  const rows = new Map<unknown, BoundRoute>();
  for (const route of routes) {
    if (
      route.path
        .split('/', LITERAL_PARTS + 1)
        .join()
        .includes(':') ||
      /[*{]/.test(route.path)
    )
      throw new Error(
        `The path ${route.path} has a parameter among its first ${LITERAL_PARTS} parts, or one that spans several parts`,
      );
    const kind = kindOf(route.path);
    const router = routers.get(kind) ?? new Router({ strict: true, sensitive: true });
    routers.set(kind, router);
    // The router only matches; its handlers never run.
    rows.set(
      router.register(route.path, [route.method.toLowerCase()], () => undefined),
      route,
    );
  }
  const unknownPath = (): RouteOrProblem => ({ problem: new ApiError('NOT_FOUND', 'This path does not exist') });

  const find = (path: string, method: string): RouteOrProblem => {
    const found = routers.get(kindOf(path))?.match(path, method);
    if (found === undefined) return unknownPath();
    // /v1/messages/batch is never an id of /v1/messages/:messageId, whatever the method: otherwise Allow would list methods that it
    // does not support.
    const fewest = Math.min(...found.path.map(({ paramNames }) => paramNames.length));
    const isMeant = ({ paramNames }: { paramNames: readonly unknown[] }): boolean => paramNames.length === fewest;
    const layers = found.path.filter(isMeant);
    if (layers.length === 0) return unknownPath();
    const layer = found.pathAndMethod.find(isMeant);
    const route = rows.get(layer);
    if (layer === undefined || route === undefined) {
      const allow = [...new Set(layers.flatMap(({ methods }) => methods))].toSorted().join(', ');
      return { problem: new ApiError('METHOD_NOT_ALLOWED', `${method} is not allowed here; allowed: ${allow}`), allow };
    }
    const params: Record<string, string> = {};
    for (const [index, capture] of layer.captures(path).entries()) {
      const value = decodeSegment(capture);
      if (value === undefined) return unknownPath();
      params[String(layer.paramNames[index]?.name)] = value;
    }
    return { route, params };
  };
  return (target, method) => {
    const path = pathOf(target);
    const match = find(path, method);
    if ('route' in match || !path.endsWith('/')) return match;
    // Some services append a slash to the address they were given.
    const bare = find(path.slice(0, -1), method);
    return 'route' in bare && bare.route.isOthers === true ? bare : match;
  };
}

/** Returns the path of a request target: without its query and, in absolute form (RFC 9112 §3.2.2), without scheme and host. */
export function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = path.indexOf('?');
  return mark === -1 ? path : path.slice(0, mark);
}

/** Returns the query of a request target, without the question mark. */
export function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark === -1 ? '' : target.slice(mark + 1);
}

/** Returns undefined for a broken percent-escape, and for a NUL, which PostgreSQL would reject with 22021; no id contains either. */
function decodeSegment(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** `uri-host [ ":" port ]` of RFC 9110 §7.2: a name (RFC 3986 §3.2.2), an IPv4 address, or an IPv6 address in brackets. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::(?<port>\d{0,5}))?$/i;
const MAX_PORT = 65_535;

/**
 * Why the Host of a request is rejected (RFC 9112 §3.2): missing in HTTP/1.1, given more than once, empty, or not a host. With two of
 * them, a proxy in front and this service could each use a different one; Node uses the first. Node's own check for a missing Host,
 * whose response has no body, is switched off (http/server.ts).
 */
export function hostProblem({ headersDistinct, httpVersion }: IncomingMessage): ApiError | undefined {
  const [host, ...others] = headersDistinct['host'] ?? [];
  if (others.length > 0) return invalidField('Host', 'must be given only once');
  if (host === undefined) return httpVersion === '1.1' ? invalidField('Host', 'is required') : undefined;
  const match = HOST.exec(host);
  const isHost = match !== null && Number(match.groups?.['port'] ?? 0) <= MAX_PORT;
  return isHost ? undefined : invalidField('Host', 'must be a host name or an address, with or without a port');
}
