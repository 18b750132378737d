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
 * Who may ask: one with a right; a person who is signed in, in the organisation that they name (`session`) or in none yet (`person`);
 * or anyone. The right holds in an environment, unless `level` says that the route is above environments, or that it is both there and
 * in one.
 */
export type Access =
  | { readonly scope: Scope; readonly level?: 'organisation' | 'any' }
  | 'session'
  | 'person'
  | 'public';

/**
 * A body is read as JSON, as the fields of an HTML form, as either of the two, as nothing, or as the bytes that came, of these media
 * types.
 */
export type Consumes = 'json' | 'form' | 'parameters' | 'none' | { readonly raw: readonly string[] };

/** Bounds of a body that publishes: on the elements of `messages`, and on the text of `payload` and `messages[n].payload`. */
export type MessageBounds = { readonly messages: number; readonly payloadBytes: number };

/** A limit of each thing that a path names by this parameter. Texts that are no ids of the kind count for their address. */
type OwnLimit = ThingLimit & { readonly parameter: string; readonly kind: IdKind };

/** The parameters a path names: `/v1/channels/:channelId` gives `{ channelId: string }`. */
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

/** A request as a handler gets it: authenticated, allowed and validated. */
type RouteRequest<B, Q, P, C> = {
  caller: C;
  /** Path parameters, by name. Any text: the service answers NOT_FOUND for one that is no id. */
  params: P;
  body: B;
  query: Q;
  /** The request body's exact text; '' when there was none, or it is taken raw. */
  bodyText: string;
  /** The request body's exact bytes; empty when there was none. */
  bytes: Buffer;
  /** On routes that publish, with an Idempotency-Key: the service keeps its answer in the transaction that publishes. */
  keep?: KeepInPublish;
  /** On routes that publish: how many deliveries stand one behind the other before this request. */
  hops?: number;
  /** A request header by its lower-case name; several of the name are joined as Node joins them. */
  header: (name: 'last-event-id' | 'traceparent' | 'tracestate') => string | undefined;
  /** The request as schemes of authentication see it. */
  head: () => RequestHead;
  /** Where the request comes from, as limits count it. */
  address: () => string;
  /** Counts one in the window of that name; throws RATE_LIMITED when there were more than `perMinute` in 60 s. */
  countAgainst: (name: string, perMinute: number) => Promise<void>;
  /** Hands a nonce out with the answer (RFC 9449 §8.2). */
  setNonce: (nonce: string) => void;
  /** Where the request comes from. */
  visit: () => Visit;
  /** Sends the browser on (303). */
  setLocation: (url: string) => void;
  /** Adds a Set-Cookie header to the answer. */
  setCookie: (cookie: string) => void;
};

/** A request and its response as the API document shows them. Ids in them are those of `exampleId`. */
type Example = {
  /** Absent: the request has no body. */
  body?: unknown;
  query?: Readonly<Record<string, string>>;
  /**
   * Status that this very request gets when a test sends it, if it is not the route's own: it belongs to a moment, such as the signature
   * of a passkey, and is refused afterwards.
   */
  status?: number;
  /** The response, if no test can record it (generated/answers.ts). */
  answer?: unknown;
};

/** A row of the route table, but for its handler. */
export type Row = {
  method: Method;
  /** As @koa/router writes it: /v1/channels/:channelId */
  path: string;
  /** `channels.create`: its resource among the document's tags, and the method of the client library that calls it. */
  operationId: string;
  /** A few words, without a full stop. */
  summary: string;
  /** Sentences, in Markdown. */
  description: string;
  example?: Example;
  /** What the row's resource is, for the document. One file of routes says it for each resource. */
  about?: string;
  access: Access;
  consumes: Consumes;
  /** The form of each parameter that the path names. Nothing is checked against it: another text is NOT_FOUND, as a missing id is. */
  params: Readonly<Record<string, z.ZodType>>;
  body?: z.ZodType;
  query?: z.ZodType;
  /** The body of a good answer by its status. Types and tests hold handlers to it; no answer is parsed while it is served. */
  answers: Readonly<Record<number, z.ZodType>>;
  /** The one status among `answers`. */
  status: Status;
  /** Codes of its service, beside those of the edge on every route like it. */
  errors: readonly ErrorCode[];
  /** Which further bucket the route draws from; its headers win there. */
  bucket?: Bucket;
  /** Counted by address alone, whoever asks: what is guessed at here must not be guessed at fast. */
  addressLimit?: AddressLimit;
  /** Counted by the thing that the path names, and by address only where it is refused. */
  ownLimit?: OwnLimit;
  /** A session may ask only while the person has proven lately who they are (POST /v1/session/authenticate). */
  isDangerous?: true;
  /** Refused when a browser says that a page of another site has sent it. Sessions are held to this on every route. */
  isFromOwnPages?: true;
  /** Others write its address: a slash behind the path is not refused, and neither is what they add to the query (validate.ts). */
  isOthers?: true;
  /** Its service takes `keep`: the answer to an Idempotency-Key is stored with what is published. */
  isPublish?: true;
  /** The route makes deliveries of stored messages: refused to a request that is itself the consequence of a delivery. */
  isRedelivery?: true;
  /** The route sends something for its app, or has a run do so: refused to people while the app is suspended, as the two above are. */
  isSending?: true;
  /** Its service gets a body that does not fit as a `BodyMisfit`, adds what else is wrong, and refuses it. */
  looksFurther?: true;
  /** Largest request body in bytes: `parameters` 16 KiB, `control` 256 KiB (default), `inbound` 1 MiB, `publish` 5 MiB. */
  size?: 'parameters' | 'control' | 'inbound' | 'publish';
  /** Bounds of the messages in a body that publishes, which are counted before it is parsed. */
  messageBounds?: MessageBounds;
  /** Refuses a form in the words of RFC 6749 (errors.ts). */
  isOAuth?: true;
  /** Headers of good answers, over those of every answer. */
  headers?: Readonly<Record<string, string>>;
  /** The route will end (docs/reference/api-conventions.md): every answer says so. */
  deprecation?: Deprecation;
};

/** A request as run-route.ts hands it to any handler. */
export type AnyRequest = RouteRequest<unknown, unknown, Record<string, string>, Caller | undefined>;

/** One row of the route table, whose handler calls these services. */
export type Route<Services> = Row & { handle: (request: AnyRequest, services: Services) => Promise<unknown> };

/** A row whose handler has its services. */
export type BoundRoute = Row & { handle: (request: AnyRequest) => Promise<unknown> };

/** The whole table with its services. */
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
 * Writer of rows whose handlers call these services. `about` describes the resources that have their home in this file. A row's
 * handler has its types from the row's own path, access and schemas. `access` is compulsory, so a route without authorisation cannot
 * be written by accident.
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
    // Thrown as the table is loaded: an end that breaks our promise is served to nobody.
    if (row.deprecation !== undefined) deprecationHeaders(row.deprecation);
    const described = about[row.operationId.split('.')[0] ?? ''];
    return {
      ...(described !== undefined && { about: described }),
      consumes: 'none',
      params: {},
      errors: [],
      ...row,
      status: Number(Object.keys(row.answers)[0]),
      // The handler's parameter is narrower than Route's; require-access.ts and validate.ts give it exactly what its row says.
    } as unknown as Route<Services>;
  };

/** Refusals of the edge itself, which every route can give: for how it is asked, how often, and when it cannot be answered. */
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

/** Every code that a route can refuse with, in no order, each once. */
export function errorCodesOf({ access, method, errors }: Pick<Row, 'access' | 'method' | 'errors'>): ErrorCode[] {
  const codes = new Set([...ON_EVERY_ROUTE, ...errors]);
  if (access !== 'public') for (const code of ['UNAUTHORIZED', 'FORBIDDEN'] as const) codes.add(code);
  // Another body under the same Idempotency-Key.
  if (method === 'POST') codes.add('CONFLICT');
  return [...codes];
}
