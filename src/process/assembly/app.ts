import Koa from 'koa';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { RequestState } from '../../api/http/route/context.ts';
import { clientAddress } from '../../api/http/access/request-head.ts';
import {
  type MeasuredAnswer,
  countAnswers,
  requestId,
  type TraceRequest,
  traceRequests,
  loopMark,
} from '../../api/http/observing.ts';
import { allowDashboard, answerPreflight, refuseForeignOrigin } from '../../api/http/access/cors.ts';
import { announceEnd } from '../../api/http/answers/answer.ts';
import { errors } from '../../api/http/answers/errors.ts';
import { createEventStreams, STREAM_TIMINGS } from '../../api/http/event-stream.ts';
import { health, requireReady } from '../../api/http/health.ts';
import { idempotency } from '../../api/http/idempotency.ts';
import { identify, requireAccess, prove } from '../../api/http/access/require-access.ts';
import { matchRoute, refuseUnrouted } from '../../api/http/route/match-route.ts';
import { parseBody } from '../../api/http/reading/parse-body.ts';
import { servePublicFiles } from '../../api/http/public-files.ts';
import { rateLimit } from '../../api/http/access/rate-limit.ts';
import { rawBytes } from '../../api/http/reading/raw-bytes.ts';
import { bindRoutes, type Route } from '../../api/http/route/route.ts';
import { runRoute } from '../../api/http/run-route.ts';
import type { ServedApp } from '../../api/http/server.ts';
import { validate } from '../../api/http/reading/validate.ts';
import type { Idempotency } from '../../api/idempotency/service.ts';
import type { Changes } from '../../insight/changes/service.ts';
import { createInspectorAddress } from '../../insight/inspectors/inspector-address.ts';
import type { Inspectors } from '../../insight/inspectors/service.ts';
import { createOutcomePages } from '../../automations/connections/authorizations.ts';
import { createDashboardFiles, leadToDashboard } from '../../api/dashboard-files.ts';
import { createConnectorIcons } from '../../automations/connectors/connector-icons.ts';
import { createPages, type DocumentPages } from '../../api/openapi/pages.ts';
import type { Scheme } from '../../api/caller.ts';
import { addressBucket, type Limiter } from '../../platform/rate-limits/limiter.ts';
import {
  type ReadinessCheck,
  createReadiness,
  type ProcessState,
  type Readiness,
} from '../../platform/readiness/readiness.ts';
import { startChecks } from '../../platform/readiness/start-checks.ts';
import { NotReady } from '../../kernel/errors.ts';
import { ownOriginsOf } from '../../kernel/values/http.ts';

export type AppOptions<Services> = {
  deps: Pick<Dependencies, 'config' | 'log' | 'pool' | 'costly'>;
  services: Services;
  routes: readonly Route<Services>[];
  /** Authentication schemes; the first that recognises a request's credential is used. */
  schemes: readonly Scheme[];
  limiter: Limiter;
  /** Checks of /readyz, in addition to that of the rate limits. Default: those of every command. */
  checks?: readonly ReadinessCheck[];
  /** The service processes behind this port. Absent if there is only this one. */
  processTable?: () => readonly ProcessState[];
  /** Default: those of http/event-stream.ts. */
  streamTimings?: typeof STREAM_TIMINGS;
  /** Reports each response, for the metrics. */
  onAnswered?: ((answered: MeasuredAnswer) => void) | undefined;
  /** Starts the span of a request. If absent, nothing is traced. */
  traceRequest?: TraceRequest | undefined;
};

/** The HTTP layer. */
export type HttpApp = Koa<RequestState> & ServedApp & { readiness: Readiness; prepare: DocumentPages['prepare'] };

/**
 * Builds the app with its middleware in order (docs/explanation/security-model.md). A step that can reject a request without its body
 * runs before the body is read. The rate limit runs before every rejection, so that each response carries its headers.
 */
export function createHttpApp<
  Services extends {
    idempotency: Pick<Idempotency, 'once'>;
    inspectors?: Pick<Inspectors, 'receive' | 'senderOf'>;
    changes?: Pick<Changes, 'end'>;
  },
>({
  deps,
  services,
  routes,
  schemes,
  limiter,
  checks = startChecks(deps),
  processTable = () => [],
  streamTimings = STREAM_TIMINGS,
  onAnswered,
  traceRequest,
}: AppOptions<Services>): HttpApp {
  const streams = createEventStreams(streamTimings);
  const { config, log } = deps;
  const koa = new Koa<RequestState>();
  if (traceRequest !== undefined) koa.use(traceRequests(traceRequest));
  if (onAnswered !== undefined) koa.use(countAnswers(onAnswered));
  koa.use(requestId(log));
  koa.use(errors(log));
  const readiness = createReadiness([...checks, ...limitsChecks(limiter)]);
  koa.use(health(readiness, processTable));
  const { trustedProxyHops } = config;
  const inspectorAddress =
    services.inspectors &&
    createInspectorAddress({ inspectors: services.inspectors, limiter, readiness, trustedProxyHops });
  if (inspectorAddress !== undefined) koa.use(inspectorAddress.middleware);
  const origins = ownOriginsOf(config);
  const { dashboardOrigin } = origins;
  if (dashboardOrigin !== undefined) koa.use(allowDashboard(dashboardOrigin));
  koa.use(matchRoute(bindRoutes(routes, services)));
  koa.use(announceEnd);
  koa.use(identify(schemes, trustedProxyHops));
  koa.use(rateLimit(limiter, trustedProxyHops));
  if (dashboardOrigin !== undefined) koa.use(answerPreflight(dashboardOrigin));
  const pages = createPages(routes, { publicBaseUrl: config.publicBaseUrl });
  koa.use(servePublicFiles([pages.find, createConnectorIcons(), createOutcomePages(), createDashboardFiles(config)]));
  koa.use(leadToDashboard(config));
  koa.use(requireReady(readiness));
  koa.use(refuseUnrouted);
  koa.use(refuseForeignOrigin(origins));
  koa.use(requireAccess);
  koa.use(loopMark);
  koa.use(rawBytes);
  koa.use(prove(trustedProxyHops));
  koa.use(parseBody(deps.costly));
  koa.use(validate);
  koa.use(idempotency(services.idempotency.once));
  koa.use(
    runRoute(streams, {
      costly: deps.costly,
      count: limiter.countAgainst,
      addressOf: (request) => addressBucket(clientAddress(request, trustedProxyHops)),
      trustedProxyHops,
      timings: streamTimings,
    }),
  );
  // Koa's own handler deletes every header and responds in plain text. `errors` handles everything else, so only connections that broke
  // during a response get here.
  koa.context.onerror = function (this: Koa.Context, error: Error | null | undefined) {
    if (error === null || error === undefined) return;
    log.debug({ err: error }, 'the connection of a caller broke before the response was sent');
    this.res.destroy();
  };
  return Object.assign(koa, {
    readiness,
    prepare: pages.prepare,
    endStreams() {
      streams.endAll();
      services.changes?.end();
      inspectorAddress?.endDelays();
    },
    countBroken: async (address: string) => (await limiter.allowStranger(address)).headers,
  });
}

/**
 * Redis is shown but not required: without it, limits are counted per process, and taking every process out of service would help
 * nobody.
 */
const limitsChecks = ({ isShared }: Limiter): ReadinessCheck[] =>
  isShared === undefined
    ? []
    : [
        {
          name: 'redis',
          isRequired: false,
          async run() {
            if (!isShared())
              throw new NotReady('Redis cannot be reached; rate limits are counted per process', {
                advice: 'REDIS_URL: Redis cannot be reached; rate limits are counted per process until it is back',
              });
          },
        },
      ];
