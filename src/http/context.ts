import type { ParameterizedContext, Middleware as KoaMiddleware } from 'koa';
import type { KeepInPublish } from '../db/idempotency-keys.ts';
import type { ApiError } from '../shared/api-error.ts';
import type { Scope } from '../shared/scopes.ts';
import type { Route } from './route.ts';

/** The two environments of an app (spec §5): the API key's prefix names one of them. */
export const ENVIRONMENT_KINDS = ['live', 'test'] as const;
export type EnvironmentKind = (typeof ENVIRONMENT_KINDS)[number];

/** What one credential may use per minute, per second and at a time (spec §8). */
export type Limits = {
  /** Requests per window of 60 s. */
  requestsPerMinute: number;
  /** Requests in one second. */
  burst: number;
  /** Requests in flight. */
  concurrent: number;
  /** Requests to the batch paths per 60 s, shared by both of them; and as many to the transactional one, counted apart. */
  batchPerMinute: number;
};

/** The buckets of `batchPerMinute`. */
export type Bucket = 'batch' | 'transactional';

/** Who is calling. Every query is bound to `environmentId`; another environment's ids are NOT_FOUND. */
export type Caller = {
  organisationId: string;
  appId: string;
  environmentId: string;
  environment: EnvironmentKind;
  /** Id of the API key (later: of the machine credential). Names the caller in records such as replayedBy. */
  credentialId: string;
  scopes: ReadonlySet<Scope>;
  limits: Limits;
};

/** What the middleware leaves on ctx.state, in the order in which it is set. */
export type RequestState = {
  requestId: string;
  /** The row of the route table; absent on unknown paths and wrong methods. */
  route?: Route;
  /** Path parameters by name, decoded. */
  params?: Record<string, string>;
  /** Why there is no route. Thrown behind the rate limit, so that this answer carries its headers too. */
  routeProblem?: ApiError;
  /** Set on every route: handlers never run without one. */
  caller?: Caller;
  /** Looks the credential up once more, for answers that last: undefined when it is revoked or expired since. */
  findCallerAgain?: () => Promise<Caller | undefined>;
  /** Why there is no caller. Thrown behind the rate limit as well. */
  callerProblem?: ApiError;
  /** How many deliveries stand before this request; on routes that make deliveries. */
  hops?: number;
  /** The exact text of a JSON body, for payloads that are kept digit for digit. */
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
