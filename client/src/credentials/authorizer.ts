import type { Authorizer, Credentials, MachineCredentials, SessionPlace } from './credentials.ts';
import { createMachineAuthorizer, type TokenExchange } from './machine.ts';

/** Creates the authorizer for these credentials. `exchange` sends the request for a token. */
export function authorizerOf(
  credentials: Credentials | undefined,
  baseUrl: string,
  exchange: TokenExchange,
): Authorizer {
  // A page may sign in a user with a client without credentials, and keeps the cookie.
  if (credentials === undefined) return { ...plain(() => ({})), cookies: 'same-origin' };
  if ('apiKey' in credentials) {
    const authorization = `Bearer ${needed(credentials.apiKey, 'credentials.apiKey')}`;
    return plain(() => ({ authorization }));
  }
  if ('session' in credentials) {
    const own = credentials.session;
    return { ...plain((place) => placeHeaders({ ...own, ...place })), cookies: 'include' };
  }
  return createMachineAuthorizer(checked(credentials, baseUrl), exchange);
}

const plain = (headers: (place: SessionPlace | undefined) => Record<string, string>): Authorizer => ({
  headersOf: (_request, place) => Promise.resolve(headers(place)),
  cookies: 'omit',
  seen: () => false,
});

const checked = (given: MachineCredentials, baseUrl: string): MachineCredentials & { publicBaseUrl: string } => ({
  ...given,
  clientId: needed(given.clientId, 'credentials.clientId'),
  clientSecret: needed(given.clientSecret, 'credentials.clientSecret'),
  publicBaseUrl: (given.publicBaseUrl ?? baseUrl).replace(/\/+$/, ''),
});

/**
 * Validates a credential. Without this an unset environment variable would be sent as the text `undefined`, and a key
 * read from a file with its line break would appear in the error of fetch, which shows the whole header. The error here
 * does not repeat the value.
 */
function needed(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a non-empty string`);
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new TypeError(`${name} must only have visible ASCII characters, without spaces and line breaks`);
  return value;
}

const placeHeaders = ({ organisationId, appId, environment }: SessionPlace): Record<string, string> => ({
  ...(organisationId !== undefined && { 'posthorn-organisation': organisationId }),
  ...(appId !== undefined && { 'posthorn-app': appId }),
  ...(environment !== undefined && { 'posthorn-environment': environment }),
});
