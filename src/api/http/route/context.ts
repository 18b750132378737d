import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext, Middleware as KoaMiddleware } from 'koa';
import type { KeepInPublish } from '../../idempotency/kept-answers.ts';
import type { Caller, Credential } from '../../caller.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { TraceContext } from '../../../kernel/values/trace-context.ts';
import type { BoundRoute } from './route.ts';
import { UNPROVEN } from '../../../platform/slices.ts';

/** State of a request (ctx.state), in the order in which the middleware sets it. */
export type RequestState = {
  requestId: string;
  /** The span of the request; absent if it is not recorded. */
  trace?: TraceContext;
  /** The row of the route table; absent for unknown paths and wrong methods. */
  route?: BoundRoute;
  /** Path parameters by name, decoded. */
  params?: Record<string, string>;
  /** Why there is no route. Thrown after the rate limit, so that this response has its headers too. */
  routeProblem?: ApiError;
  /** The credential that the request presents, not verified yet; rate limits count by its principal. */
  credential?: Credential;
  /** When the credential was looked up, in ms of `performance.now()`. */
  identifiedAt?: number;
  /** Why the credential of the request was rejected. Also thrown after the rate limit. */
  credentialProblem?: ApiError;
  /** Number of deliveries in the chain that led to this request; on routes that create deliveries. */
  hops?: number;
  /** The exact bytes of the body, kept until the response is ready. Empty if the request had none. */
  bytes: Buffer;
  /** The verified caller, on every route that is not public. Handlers of those never run without one. */
  caller?: Caller;
  /** The exact text of a body, for payloads that are kept digit for digit. Not set on routes that accept raw bytes. */
  bodyText?: string;
  /** The body: first as parsed, then as returned by the route's schema; undefined if the request had none. */
  body?: unknown;
  /** The query as returned by the route's schema. */
  query?: unknown;
  /** For a publish with an Idempotency-Key. */
  keep?: KeepInPublish;
};

export type Context = ParameterizedContext<RequestState>;
export type Middleware = KoaMiddleware<RequestState>;

export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Media type of a request's body in lower case, without its parameters; '' if the request has none. */
export const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/**
 * Whose queue the costly work of a request waits in. All unauthenticated callers share one, because none of them has a reason to cause
 * much work.
 */
export const turnOwnerOf = (caller: Caller | undefined): string =>
  caller === undefined ? UNPROVEN : caller.level === 'environment' ? caller.environmentId : caller.principal.id;
