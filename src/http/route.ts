import type { z } from 'zod';
import type { KeepInPublish } from '../db/idempotency-keys.ts';
import type { Services } from '../services.ts';
import type { Scope } from '../shared/scopes.ts';
import type { Bucket, Caller } from './context.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The parameters a path names: `/v1/channels/:channelId` gives `{ channelId: string }`. */
type ParamsOf<P extends string> = P extends `${string}/:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<`/${Rest}`>
  : P extends `${string}/:${infer Name}`
    ? { [K in Name]: string }
    : unknown;

/** What a handler is given: everything already authenticated, allowed and validated. */
export type RouteRequest<B, Q, P> = {
  caller: Caller;
  /** Path parameters, by name. Any text: the service answers NOT_FOUND for one that is no id. */
  params: P;
  body: B;
  query: Q;
  /** The request body's exact text; '' when there was none. */
  bodyText: string;
  /** On routes that publish, with an Idempotency-Key: the service keeps its answer in the transaction that publishes. */
  keep?: KeepInPublish;
  /** On routes that publish: how many deliveries stand one behind the other before this request. */
  hops?: number;
  /** A request header by its lower-case name; several of the name are joined as Node joins them. */
  header: (name: 'last-event-id' | 'traceparent' | 'tracestate') => string | undefined;
};

/** One row of the route table. `scope` is compulsory, so a route without authorisation cannot be written by accident. */
export type Route = {
  method: Method;
  /** As @koa/router writes it: /v1/channels/:channelId */
  path: string;
  scope: Scope;
  /** Which further bucket the route draws from; its headers win there. */
  bucket?: Bucket;
  /** Its service takes `keep`: the answer to an Idempotency-Key is stored with what is published. */
  isPublish?: true;
  /** It makes deliveries of messages that are stored: not for a request that is itself the consequence of a delivery. */
  isRedelivery?: true;
  /** Largest request body in bytes: `control` 256 KiB (default), `publish` 5 MiB. */
  size?: 'control' | 'publish';
  body?: z.ZodType;
  query?: z.ZodType;
  status: 200 | 201 | 202 | 204;
  handle: (request: RouteRequest<unknown, unknown, Record<string, string>>, services: Services) => Promise<unknown>;
};

type TypedRoute<P extends string, B extends z.ZodType, Q extends z.ZodType> = Omit<
  Route,
  'path' | 'body' | 'query' | 'handle'
> & {
  path: P;
  body?: B;
  query?: Q;
  handle: (request: RouteRequest<z.output<B>, z.output<Q>, ParamsOf<P>>, services: Services) => Promise<unknown>;
};

/** Writes one row with its handler's types taken from its path and schemas. */
export const route = <
  const P extends string,
  B extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
>(
  row: TypedRoute<P, B, Q>,
  // The handler's parameter is narrower than Route's; validate.ts gives it exactly what its schemas return.
): Route => row as unknown as Route;
