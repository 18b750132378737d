import { authorizerOf } from './credentials/authorizer.ts';
import type { Authorizer } from './credentials/credentials.ts';
import type { TokenExchange } from './credentials/machine.ts';
import { Call } from './call.ts';
import type { Resources } from './generated/resources.ts';
import { checkOptions, type PosthornOptions, type RequestOptions } from './options.ts';
import { createResources, outgoingOf, targetOf } from './resources.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';

/** A request to an endpoint for which this version of the library has no method. */
export type RawRequest = {
  method: string;
  /** Path with its ids filled in, such as `/v1/channels`. */
  path: string;
  query?: object;
  body?: unknown;
  /** Set if the endpoint is a POST that accepts an idempotency key. */
  isKeyed?: boolean;
};

/** A client of one Posthorn service with one kind of credentials. Has a method for every endpoint, by resource. */
export type Posthorn = Resources & {
  /** Sends any other request, with the same credentials, retries and errors. */
  request(request: RawRequest, options?: RequestOptions): Call<unknown>;
};

const DEFAULT_TIMEOUT_MS = 30_000;

function createPosthorn({ baseUrl, credentials, timeoutMs, retries, fetch }: PosthornOptions): Posthorn {
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('baseUrl must begin with https:// or http://');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must not have a user, a query or a fragment');
  checkOptions({ timeoutMs, retries });
  const common: Omit<TransportOptions, 'authorizer'> = {
    baseUrl: url.href.replace(/\/+$/, ''),
    // Browsers require fetch to be called on the window.
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
    // Without a slash the path would extend the host name, and credentials would be sent to another host.
    if (!path.startsWith('/')) throw new TypeError('path must begin with a slash');
    checkOptions(options);
    const target = targetOf(path.replaceAll(':', '%3A'), [], query);
    return new Call(transport.call(outgoingOf({ method, target, body, isKeyed }, options), options));
  };

/** Each attempt of a token request has its own proof, so it can be repeated regardless of how the last one ended. */
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

/** Creates a client. Throws TypeError for invalid options. */
export const Posthorn = class {
  constructor(options: PosthornOptions) {
    Object.assign(this, createPosthorn(options));
  }
  // `as`: the constructor adds every method of the type to the object.
} as unknown as new (
  options: PosthornOptions,
) => Posthorn;
