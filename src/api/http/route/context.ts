import type { IncomingMessage } from 'node:http';
import type { ParameterizedContext, Middleware as KoaMiddleware } from 'koa';
import type { KeepInPublish } from '../../idempotency/kept-answers.ts';
import type { Caller, Credential } from '../../caller.ts';
import type { ApiError } from '../../../kernel/errors.ts';
import type { TraceContext } from '../../../kernel/values/trace-context.ts';
import type { BoundRoute } from './route.ts';
import { UNPROVEN } from '../../../platform/slices.ts';

/** State of a request on ctx.state, in the order in which the middleware sets it. */
export type RequestState = {
  requestId: string;
  /** The span of the request; absent where it is not recorded. */
  trace?: TraceContext;
  /** The row of the route table; absent on unknown paths and wrong methods. */
  route?: BoundRoute;
  /** Path parameters by name, decoded. */
  params?: Record<string, string>;
  /** Why there is no route. Thrown behind the rate limit, so that this answer carries its headers too. */
  routeProblem?: ApiError;
  /** The credential that the request presents, not yet proven; rate limits count by its principal. */
  credential?: Credential;
  /** When the credential was looked up, ms of `performance.now()`. */
  identifiedAt?: number;
  /** Why the credential of the request is refused. Thrown behind the rate limit as well. */
  credentialProblem?: ApiError;
  /** How many deliveries stand before this request; on routes that make deliveries. */
  hops?: number;
  /** The exact bytes of the body, kept until the answer is made. Empty when the request had none. */
  bytes: Buffer;
  /** Who asks, proven; on every route that is not public. Handlers never run without one there. */
  caller?: Caller;
  /** The exact text of a body that is not taken raw, for payloads that are kept digit for digit. */
  bodyText?: string;
  /** The body: first as parsed, then as the route's schema returns it; undefined when the request had none. */
  body?: unknown;
  /** The query as the route's schema returns it. */
  query?: unknown;
  /** For a publish with an Idempotency-Key. */
  keep?: KeepInPublish;
};

export type Context = ParameterizedContext<RequestState>;
export type Middleware = KoaMiddleware<RequestState>;

export const JSON_TYPE = 'application/json';
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Media type of a request's body in lower case, without its parameters; '' where the request names none. */
export const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Whose turn costly work of a request takes. All who are not known share one: none of them has a reason to cause much. */
export const turnOwnerOf = (caller: Caller | undefined): string =>
  caller === undefined ? UNPROVEN : caller.level === 'environment' ? caller.environmentId : caller.principal.id;
