import type { Authorizer, Credentials, MachineCredentials, SessionPlace } from './credentials.ts';
import { createMachineAuthorizer, type TokenExchange } from './machine.ts';

/** The authorizer of these credentials. `exchange` does the request for a token. */
export function authorizerOf(
  credentials: Credentials | undefined,
  baseUrl: string,
  exchange: TokenExchange,
): Authorizer {
  // A page may sign somebody in with a client that has no credentials, and keeps the cookie then.
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
 * An environment variable that is not set would go out as the text `undefined`. A header has no line breaks, and fetch would show the
 * whole key in its error: a key of a file ends in one. The error here does not repeat what was given.
 */
function needed(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text that is not empty`);
  if (!/^[\x21-\x7e]+$/.test(value))
    throw new TypeError(`${name} must be visible ASCII characters, without spaces and line breaks`);
  return value;
}

const placeHeaders = ({ organisationId, appId, environment }: SessionPlace): Record<string, string> => ({
  ...(organisationId !== undefined && { 'posthorn-organisation': organisationId }),
  ...(appId !== undefined && { 'posthorn-app': appId }),
  ...(environment !== undefined && { 'posthorn-environment': environment }),
});
