import Koa from 'koa';
import type { Dependencies } from './dependencies.ts';
import { writeAnswer } from './http/answer.ts';
import { authenticate } from './http/authenticate.ts';
import type { Context, Middleware, RequestState } from './http/context.ts';
import { errors } from './http/errors.ts';
import { createEventStreams, EventStream, type EventStreams, STREAM_TIMINGS } from './http/event-stream.ts';
import { health } from './http/health.ts';
import { idempotency } from './http/idempotency.ts';
import { loopMark } from './http/loop-mark.ts';
import { matchRoute, refuseUnrouted } from './http/match-route.ts';
import { rateLimit } from './http/rate-limit.ts';
import { rawBody } from './http/raw-body.ts';
import { requestId } from './http/request-id.ts';
import { requireReady } from './http/require-ready.ts';
import { requireScope } from './http/require-scope.ts';
import type { Route } from './http/route.ts';
import { validate } from './http/validate.ts';
import type { Limiter, RateHeaders } from './limits/limiter.ts';
import { type Check, createReadiness, type Readiness } from './readiness/readiness.ts';
import { startChecks } from './readiness/start-checks.ts';
import type { Services } from './services.ts';
import { NotReady } from './shared/not-ready.ts';

export type AppOptions = {
  deps: Pick<Dependencies, 'config' | 'log' | 'pool'>;
  services: Services;
  routes: readonly Route[];
  limiter: Limiter;
  /** Checks of /readyz, beside that of the limits. Absent: those of every role. */
  checks?: readonly Check[];
  /** Absent: the default of http/event-stream.ts. */
  streamTimings?: typeof STREAM_TIMINGS;
};

/**
 * The edge. `countBroken` counts a request that Node could not read; http/server.ts answers it. `endStreams` ends the open streams for
 * good, when a drain begins.
 */
export type App = Koa<RequestState> & {
  countBroken: (address: string) => Promise<RateHeaders>;
  endStreams: () => void;
  readiness: Readiness;
};

/**
 * The middleware in its order (docs/security.md). A step that can refuse without the body comes before the body is read. The rate
 * limit comes before every refusal, so that each answer carries its headers.
 */
export function createApp({
  deps,
  services,
  routes,
  limiter,
  checks = startChecks(deps),
  streamTimings = STREAM_TIMINGS,
}: AppOptions): App {
  const streams = createEventStreams(streamTimings);
  const { config, log } = deps;
  const koa = new Koa<RequestState>();
  koa.use(requestId(log));
  koa.use(errors(log));
  const readiness = createReadiness([...checks, ...limitsChecks(limiter)]);
  koa.use(health(readiness));
  koa.use(matchRoute(routes));
  koa.use(authenticate((key) => services.apiKeys.authenticate(key)));
  koa.use(rateLimit(limiter, config.trustedProxyHops));
  koa.use(requireReady(readiness));
  koa.use(refuseUnrouted);
  koa.use(requireScope);
  koa.use(loopMark);
  koa.use(rawBody);
  koa.use(validate);
  koa.use(idempotency(services));
  koa.use(answerRoute(services, streams));
  // Koa's own handler deletes every header and answers in plain text. `errors` lets nothing through, so only connections that broke
  // during an answer come here.
  koa.context.onerror = function (this: Koa.Context, error: Error | null | undefined) {
    if (error === null || error === undefined) return;
    log.debug({ err: error }, 'a connection of a caller broke before its answer was sent');
    this.res.destroy();
  };
  return Object.assign(koa, {
    readiness,
    endStreams: () => streams.endAll(),
    countBroken: async (address: string) => (await limiter.admitStranger(address)).headers,
  });
}

/** Redis is shown but not required: without it limits hold per process, and taking every process out would help nobody. */
const limitsChecks = ({ isShared }: Limiter): Check[] =>
  isShared === undefined
    ? []
    : [
        {
          name: 'redis',
          isRequired: false,
          async run() {
            if (!isShared())
              throw new NotReady('Redis cannot be reached: limits are counted per process', {
                advice: 'REDIS_URL: Redis cannot be reached; limits are counted per process',
              });
          },
        },
      ];

function answerRoute(services: Services, streams: EventStreams): Middleware {
  return async (ctx) => {
    const { route, caller, params = {}, body, query, bodyText = '', hops, keep } = ctx.state;
    if (route === undefined || caller === undefined)
      throw new Error('A request without route or caller got past the middleware');
    // `as never`: a row's handler takes exactly what its own schemas return, and validate.ts has put just that here.
    const result = await route.handle(
      {
        caller,
        params,
        body: body as never,
        query: query as never,
        bodyText,
        header: (name) => headerOf(ctx, name),
        ...(hops !== undefined && { hops }),
        ...(keep && { keep }),
      },
      services,
    );
    if (result instanceof EventStream) return streams.answer(ctx, result);
    return writeAnswer(ctx, route.status, route.status === 204 ? undefined : result);
  };
}

/** Node joins these by a comma where there are several. */
const headerOf = ({ req }: Context, name: string): string | undefined => req.headersDistinct[name]?.join(', ');
