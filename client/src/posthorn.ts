import { authorizerOf } from './credentials/authorizer.ts';
import type { Authorizer } from './credentials/credentials.ts';
import type { TokenExchange } from './credentials/machine.ts';
import { Call } from './call.ts';
import type { Resources } from './generated/resources.ts';
import { checkOptions, type PosthornOptions, type RequestOptions } from './options.ts';
import { createResources, outgoingOf, targetOf } from './resources.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';

/** A request to an endpoint that this version of the library has no method for. */
export type RawRequest = {
  method: string;
  /** Such as `/v1/channels`, with its ids in it. */
  path: string;
  query?: object;
  body?: unknown;
  /** The endpoint is a POST that takes an idempotency key. */
  isKeyed?: boolean;
};

/** A client of one Posthorn with one kind of credentials: a method for every endpoint, by resource. */
export type Posthorn = Resources & {
  /** Any other request, with the same credentials, retries and errors. */
  request(request: RawRequest, options?: RequestOptions): Call<unknown>;
};

const DEFAULT_TIMEOUT_MS = 30_000;

function createPosthorn({ baseUrl, credentials, timeoutMs, retries, fetch }: PosthornOptions): Posthorn {
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('baseUrl must begin with https:// or http://');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must be an address without a user, a query and a fragment');
  checkOptions({ timeoutMs, retries });
  const common: Omit<TransportOptions, 'authorizer'> = {
    baseUrl: url.href.replace(/\/+$/, ''),
    // A browser's fetch wants to be called on its window.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    retries: retries ?? {},
  };
  const authorizer = authorizerOf(credentials, common.baseUrl, exchangeOf(common));
  const transport = createTransport({ ...common, authorizer });
  return { ...createResources(transport), request: requestOf(transport) };
}

const requestOf =
  (transport: Transport): Posthorn['request'] =>
  ({ method, path, query, body, isKeyed = false }, options = {}) => {
    // Without a slash the path would go on with the name of the host: credentials would be sent to another one.
    if (!path.startsWith('/')) throw new TypeError('path must begin with a slash');
    checkOptions(options);
    const target = targetOf(path.replaceAll(':', '%3A'), [], query);
    return new Call(transport.call(outgoingOf({ method, target, body, isKeyed }, options), options));
  };

/** Each try of a token request has a proof of its own, so it may come again however the last one ended. */
const exchangeOf =
  (common: Omit<TransportOptions, 'authorizer'>): TokenExchange =>
  async ({ path, make, seen }) => {
    const authorizer: Authorizer = { headersOf: () => Promise.resolve({}), cookies: 'omit', seen };
    const made = async () => {
      const { headers, body } = await make();
      return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
    };
    const outgoing = { method: 'POST', target: path, place: undefined, isRepeatable: true, isKeyed: false, make: made };
    return (await createTransport({ ...common, authorizer }).call(outgoing, {})).data;
  };

/** Throws TypeError for options that can be of no use. */
export const Posthorn = class {
  constructor(options: PosthornOptions) {
    Object.assign(this, createPosthorn(options));
  }
  // `as`: the constructor puts every method of the type on the object.
} as unknown as new (
  options: PosthornOptions,
) => Posthorn;
