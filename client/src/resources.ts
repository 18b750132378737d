import type { Answer } from './answer.ts';
import { randomText } from './bytes.ts';
import { Call } from './call.ts';
import { ENDPOINTS } from './generated/endpoints.ts';
import type { Resources } from './generated/resources.ts';
import { Lines } from './lines.ts';
import { checkOptions, type RequestOptions, type StreamOptions } from './options.ts';
import { type Page, Pages } from './pages.ts';
import { writeBody } from './raw-json.ts';
import { ChangeStream } from './streams/change-stream.ts';
import type { OpenStream } from './streams/followed-stream.ts';
import { MessageStream } from './streams/message-stream.ts';
import type { Outgoing, Transport } from './transport.ts';

/** A row of the generated table. */
type Endpoint = {
  method: string;
  path: string;
  kind: 'json' | 'page' | 'lines' | 'stream' | 'changes';
  hasBody?: boolean;
  hasQuery?: boolean;
  isKeyed?: boolean;
};

/** The parts of one request. */
export type Parts = { method: string; target: string; isKeyed: boolean; body?: unknown };

/** Prepares a request; its idempotency key stays the same for all attempts. */
export function outgoingOf({ method, target, isKeyed, body }: Parts, options: RequestOptions): Outgoing {
  const key = options.idempotencyKey ?? (isKeyed ? randomText() : undefined);
  const text = body === undefined ? undefined : writeBody(body);
  const headers: Record<string, string> = {
    ...options.headers,
    accept: 'application/json',
    ...(key !== undefined && { 'idempotency-key': key }),
    ...(text !== undefined && { 'content-type': 'application/json' }),
  };
  return {
    method,
    target,
    place: options.place,
    isKeyed: isKeyed && key !== undefined,
    isRepeatable: method === 'GET' || isKeyed,
    make: () => Promise.resolve({ headers, body: text }),
  };
}

/** Returns the path with its parameters filled in, followed by the query. */
export function targetOf(path: string, params: readonly unknown[], query: object = {}): string {
  let position = 0;
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => segmentOf(name, params[position++]));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]: [string, unknown]): [string, string][] =>
      value === undefined ? [] : [[name, queryText(value)]],
    ),
  ).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** A missing id, or two dots, would turn the path into that of another endpoint. */
function segmentOf(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..')
    throw new TypeError(`${name} must be the id of a resource, not ${JSON.stringify(value) ?? 'undefined'}`);
  return encodeURIComponent(value);
}

const queryText = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.join(',') : String(value);
};

/** Creates a method for every endpoint of the generated table. */
export function createResources(transport: Transport): Resources {
  const resources = Object.fromEntries(
    Object.entries(ENDPOINTS).map(([resource, endpoints]: [string, Record<string, Endpoint>]) => [
      resource,
      Object.fromEntries(Object.entries(endpoints).map(([name, endpoint]) => [name, methodOf(transport, endpoint)])),
    ]),
  );
  // `as`: table and type are generated from the same rows (test/contract/tables.test.ts).
  return resources as unknown as Resources;
}

type Method = (...given: unknown[]) => unknown;

/** Parameters are in the order of the generated types: those of the path, the body, the query, the options. */
function methodOf(transport: Transport, { method, path, kind, hasBody, hasQuery, isKeyed = false }: Endpoint): Method {
  const count = path.split('/:').length - 1;
  return (...given) => {
    const params = given.slice(0, count);
    const others = given.slice(count);
    const body = hasBody === true ? others.shift() : undefined;
    // `as`: according to the generated types these two are objects.
    const query = (hasQuery === true ? others.shift() : undefined) as object | undefined;
    const options = (others[0] ?? {}) as StreamOptions & RequestOptions;
    checkOptions(options);
    const outgoing = (asked: object | undefined, more: Record<string, string> = {}): Outgoing =>
      outgoingOf(
        { method, target: targetOf(path, params, asked), isKeyed, body },
        { ...options, headers: { ...options.headers, ...more } },
      );
    // Created here so that the call itself rejects a missing id, not only the await.
    const first = outgoing(query);
    const follow: OpenStream = (lastEventId, isFirst) => {
      const place = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      return transport.open(outgoing(query, place), isFirst ? options : { ...options, retries: { max: 0 } });
    };
    switch (kind) {
      case 'page':
        return new Pages((asked) => callOf<Page<unknown>>(transport, outgoing(asked), options), query ?? {});
      case 'lines':
        return new Lines(() => transport.open(first, options));
      case 'stream':
        return new MessageStream(follow, options);
      case 'changes':
        return new ChangeStream(follow, options);
      case 'json':
        return callOf(transport, first, options);
      default:
        return kind satisfies never;
    }
  };
}

/** `T` is the type of the response schema. */
const callOf = <T>(transport: Transport, outgoing: Outgoing, options: RequestOptions): Call<T> =>
  // `as`: the service's own tests check responses against their schemas; the client does not validate them.
  new Call(transport.call(outgoing, options) as Promise<Answer<T>>);
