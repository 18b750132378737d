import type { z } from 'zod';
import type { KeepInPublish } from '../../idempotency/kept-answers.ts';
import type { Caller, EnvironmentCaller, TenantCaller, RequestHead, Visit } from '../../caller.ts';
import type { AddressLimit, Bucket, ThingLimit } from '../../../platform/rate-limits/limiter.ts';
import type { ErrorCode, BodyMisfit } from '../../../kernel/errors.ts';
import type { IdKind } from '../../../kernel/values/ids.ts';
import type { Scope } from '../../../kernel/words/rights.ts';
import { type Deprecation, deprecationHeaders } from './deprecation.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
type Status = 200 | 201 | 202 | 204 | 303;

/**
 * Who may call a route: a caller with a scope; a signed-in user, within an organisation that the request names (`session`) or without
 * one (`person`); or anyone. A scope applies to an environment, unless `level` says that the route is above environments, or both.
 */
export type Access =
  | { readonly scope: Scope; readonly level?: 'organisation' | 'any' }
  | 'session'
  | 'person'
  | 'public';

/** How the body is read: as JSON, as the fields of an HTML form, as either of the two, not at all, or as raw bytes of these media types. */
export type Consumes = 'json' | 'form' | 'parameters' | 'none' | { readonly raw: readonly string[] };

/** Limits of a body that publishes: on the number of `messages`, and on the text of `payload` and `messages[n].payload`. */
export type MessageBounds = { readonly messages: number; readonly payloadBytes: number };

/** A limit per resource that the path names with this parameter. Requests with a malformed id count for their address. */
type OwnLimit = ThingLimit & { readonly parameter: string; readonly kind: IdKind };

/** The parameters of a path: `/v1/channels/:channelId` gives `{ channelId: string }`. */
type ParamsOf<P extends string> = P extends `${string}/:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<`/${Rest}`>
  : P extends `${string}/:${infer Name}`
    ? { [K in Name]: string }
    : unknown;

type CallerOf<A extends Access> = A extends 'public'
  ? undefined
  : A extends 'person'
    ? Caller
    : A extends 'session' | { readonly level: string }
      ? TenantCaller
      : EnvironmentCaller;

/** A request as a handler gets it: authenticated, authorised and validated. */
type RouteRequest<B, Q, P, C> = {
  caller: C;
  /** Path parameters by name. They may be any text; the service returns NOT_FOUND for one that is not an id. */
  params: P;
  body: B;
  query: Q;
  /** The exact text of the request body; '' if there was none, or the route accepts raw bytes. */
  bodyText: string;
  /** The exact bytes of the request body; empty if there was none. */
  bytes: Buffer;
  /** On routes that publish, with an Idempotency-Key: the service stores its response in the publishing transaction. */
  keep?: KeepInPublish;
  /** On routes that publish: number of deliveries in the chain that led to this request. */
  hops?: number;
  /** Returns a request header by its lower-case name; several values are joined as Node joins them. */
  header: (name: 'last-event-id' | 'traceparent' | 'tracestate') => string | undefined;
  /** The request as authentication schemes see it. */
  head: () => RequestHead;
  /** The address that the request comes from, as rate limits count it. */
  address: () => string;
  /** Counts a request in the window of that name; throws RATE_LIMITED if there were more than `perMinute` in 60 s. */
  countAgainst: (name: string, perMinute: number) => Promise<void>;
  /** Sends a nonce with the response (RFC 9449 §8.2). */
  setNonce: (nonce: string) => void;
  /** Where the request comes from. */
  visit: () => Visit;
  /** Redirects the browser (303). */
  setLocation: (url: string) => void;
  /** Adds a Set-Cookie header to the response. */
  setCookie: (cookie: string) => void;
};

/** A request and its response as the API document shows them. Their ids are those of `exampleId`. */
type Example = {
  /** Absent if the request has no body. */
  body?: unknown;
  query?: Readonly<Record<string, string>>;
  /**
   * Status that this request gets when a test sends it, if it differs from the route's own: the request depends on the moment, such as
   * the signature of a passkey, and is rejected afterwards.
   */
  status?: number;
  /** The response, if no test can record it (generated/answers.ts). */
  answer?: unknown;
};

/** A row of the route table without its handler. */
export type Row = {
  method: Method;
  /** In the syntax of @koa/router: /v1/channels/:channelId */
  path: string;
  /** Resource and method, such as `channels.create`: a tag of the API document, and the method of the client library. */
  operationId: string;
  /** A few words, without a full stop. */
  summary: string;
  /** Sentences, in Markdown. */
  description: string;
  example?: Example;
  /** What the row's resource is, for the API document. One routes file sets it for each resource. */
  about?: string;
  access: Access;
  consumes: Consumes;
  /** Schema of each path parameter, for the document only: a value that does not match is NOT_FOUND, like a missing id. */
  params: Readonly<Record<string, z.ZodType>>;
  body?: z.ZodType;
  query?: z.ZodType;
  /** The body of a successful response by its status. Types and tests check handlers against it; responses are not parsed at run time. */
  answers: Readonly<Record<number, z.ZodType>>;
  /** The only status in `answers`. */
  status: Status;
  /** Error codes of its service, in addition to those that every such route can return. */
  errors: readonly ErrorCode[];
  /** A further rate-limit bucket that the route draws from; its headers take precedence. */
  bucket?: Bucket;
  /** Counted by address alone, whoever the caller is, so that secrets cannot be guessed quickly. */
  addressLimit?: AddressLimit;
  /** Counted by the resource that the path names, and by address only for rejected requests. */
  ownLimit?: OwnLimit;
  /** A session may call it only if the user has authenticated recently (POST /v1/session/authenticate). */
  isDangerous?: true;
  /** Rejected if the browser says that another site's page has sent it. For sessions this applies to every route. */
  isFromOwnPages?: true;
  /** Other services call it: a trailing slash and unknown query parameters are accepted (validate.ts). */
  isOthers?: true;
  /** Its service accepts `keep`: the response for an Idempotency-Key is stored together with what is published. */
  isPublish?: true;
  /** The route redelivers stored messages: rejected for a request that is itself caused by a delivery. */
  isRedelivery?: true;
  /**
   * The route sends something for its app, or makes a run do so: forbidden to users while the app is suspended, like the two kinds
   * above.
   */
  isSending?: true;
  /** Its service gets an invalid body as a `BodyMisfit`, adds further problems, and rejects it. */
  looksFurther?: true;
  /** Maximum request body in bytes: `parameters` 16 KiB, `control` 256 KiB (default), `inbound` 1 MiB, `publish` 5 MiB. */
  size?: 'parameters' | 'control' | 'inbound' | 'publish';
  /** Limits of the messages in a body that publishes, which are checked before it is parsed. */
  messageBounds?: MessageBounds;
  /** Errors for form requests have the format of RFC 6749 (errors.ts). */
  isOAuth?: true;
  /** Headers of successful responses, which override those of every response. */
  headers?: Readonly<Record<string, string>>;
  /** The route is deprecated (docs/reference/api-conventions.md), and every response says so. */
  deprecation?: Deprecation;
};

/** A request as run-route.ts passes it to any handler. */
export type AnyRequest = RouteRequest<unknown, unknown, Record<string, string>, Caller | undefined>;

/** One row of the route table, whose handler calls these services. */
export type Route<Services> = Row & { handle: (request: AnyRequest, services: Services) => Promise<unknown> };

/** A row whose handler already has its services. */
export type BoundRoute = Row & { handle: (request: AnyRequest) => Promise<unknown> };

/** The resource of an operation, which is also the part of the client library that has its method. */
export const resourceOf = ({ operationId }: Pick<Row, 'operationId'>): string => operationId.split('.')[0] ?? '';

/** Binds the whole table to its services. */
export const bindRoutes = <Services>(routes: readonly Route<Services>[], services: Services): BoundRoute[] =>
  routes.map((row) => ({ ...row, handle: (request) => row.handle(request, services) }));

type Taken<B extends z.ZodType> =
  | { consumes: 'json' | 'form' | 'parameters'; body: B }
  | { consumes: { readonly raw: readonly string[] }; body?: never }
  | { consumes?: 'none'; body?: never };

type Named<P extends string> = keyof ParamsOf<P> extends never
  ? { params?: never }
  : { params: { readonly [name in keyof ParamsOf<P>]: z.ZodType<string> } };

type Given<
  Services,
  P extends string,
  A extends Access,
  B extends z.ZodType,
  Q extends z.ZodType,
  R extends { readonly [status in Status]?: z.ZodType },
  L extends true | undefined,
> = Pick<
  Row,
  | 'method'
  | 'operationId'
  | 'summary'
  | 'description'
  | 'example'
  | 'bucket'
  | 'addressLimit'
  | 'ownLimit'
  | 'isDangerous'
  | 'isFromOwnPages'
  | 'isOthers'
  | 'isPublish'
  | 'isRedelivery'
  | 'isSending'
  | 'size'
  | 'messageBounds'
  | 'isOAuth'
  | 'headers'
  | 'deprecation'
> &
  Taken<B> &
  Named<P> & {
    path: P;
    access: A;
    query?: Q;
    looksFurther?: L;
    answers: R;
    errors?: readonly ErrorCode[];
    handle: (
      request: RouteRequest<z.output<B> | (L extends true ? BodyMisfit : never), z.output<Q>, ParamsOf<P>, CallerOf<A>>,
      services: Services,
    ) => Promise<z.output<NonNullable<R[keyof R & Status]>>>;
  };

/**
 * Returns a function that writes rows whose handlers call these services. `about` describes the resources that belong to this file. A
 * handler's types are derived from the row's own path, access and schemas. `access` is required, so that a route cannot be left without
 * authorisation by accident.
 */
export const routesOf =
  <Services>(about: Readonly<Record<string, string>> = {}) =>
  <
    const P extends string,
    const A extends Access,
    const R extends { readonly [status in Status]?: z.ZodType },
    B extends z.ZodType = z.ZodUndefined,
    Q extends z.ZodType = z.ZodUndefined,
    L extends true | undefined = undefined,
  >(
    row: Given<Services, P, A, B, Q, R, L>,
  ): Route<Services> => {
    // Throws while the table is loaded, so that an end that breaks our promise never reaches a caller.
    if (row.deprecation !== undefined) deprecationHeaders(row.deprecation);
    const described = about[resourceOf(row)];
    return {
      ...(described !== undefined && { about: described }),
      consumes: 'none',
      params: {},
      errors: [],
      ...row,
      status: Number(Object.keys(row.answers)[0]),
      // The handler's parameter is narrower than Route's; require-access.ts and validate.ts provide exactly what its row declares.
    } as unknown as Route<Services>;
  };

/** Errors that every route can return before its handler runs. */
const ON_EVERY_ROUTE: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'UNAVAILABLE',
];

/** Returns every code that a route can return, in no particular order, each once. */
export function errorCodesOf({ access, method, errors }: Pick<Row, 'access' | 'method' | 'errors'>): ErrorCode[] {
  const codes = new Set([...ON_EVERY_ROUTE, ...errors]);
  if (access !== 'public') for (const code of ['UNAUTHORIZED', 'FORBIDDEN'] as const) codes.add(code);
  // Another body with the same Idempotency-Key.
  if (method === 'POST') codes.add('CONFLICT');
  return [...codes];
}
