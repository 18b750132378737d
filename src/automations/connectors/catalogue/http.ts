import { z } from 'zod';
import { parseUrl } from '../../../kernel/values/http.ts';
import { headerNameProblem } from '../../../platform/outbound/headers.ts';
import type { Connector, Operation } from './connector.ts';
import { client, object, secret, text } from './fields.ts';

// Clients interpret `..` as a step out of the base address, also between backslashes, written as %2e%2e, or around a
// line break. Many servers also decode %2f and %5c before they resolve such steps, and some drop what follows a `;`.
const STEP_ASIDE = /^[^?#]*(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\?#;]|%2f|%5c|%3b|$)/i;

/**
 * Whether a client or server may interpret a part of an address, before its query, as a step out of the path before it.
 */
const stepsAside = (address: string): boolean => STEP_ASIDE.test(address.replaceAll(/[\t\n\r]/g, ''));

const path = z
  .string()
  .regex(/^\/(?!\/)/, 'must begin with one /')
  .refine((given) => !stepsAside(given), 'must not have . or .. as a path segment')
  .describe('Path after the base address.');
const query = object('Query parameters.').exactOptional();
const body = z.unknown().optional().describe('Body, sent as JSON.');

const operation = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  name: string,
  description: string,
): Operation => {
  const takesBody = method !== 'GET' && method !== 'DELETE';
  return {
    id: method.toLowerCase(),
    name,
    description,
    input: z.strictObject({ path, query, ...(takesBody && { body }) }),
    request: {
      method,
      url: '{+connection.baseUrl}{+path}',
      query: '$query',
      ...(takesBody && { json: '$body' }),
      ...(method !== 'GET' && { idempotencyHeader: 'idempotency-key' }),
    },
  };
};

const operations = [
  operation('GET', 'Read', 'Sends a GET request.'),
  operation('POST', 'Create', 'Sends a POST request.'),
  operation('PUT', 'Replace', 'Sends a PUT request.'),
  operation('PATCH', 'Update', 'Sends a PATCH request.'),
  operation('DELETE', 'Delete', 'Sends a DELETE request.'),
];

const baseUrl = z
  .url({ protocol: /^https?$/ })
  .regex(/^[^?#]*[^/?#]$/, 'must end without /, ? and #')
  // Paths after `/v2/..` would not be below it.
  .refine((given) => !stepsAside(given), 'must not have . or .. as a path segment')
  .describe('Address that all paths are appended to, such as `https://api.example.com/v2`.');

/** For services without their own connector, and for the author's own services. */
export const http: Connector = {
  id: 'http',
  name: 'HTTP',
  description: 'Call any JSON API that accepts a key in a header.',
  category: 'general',
  colour: '5a6470',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({
      baseUrl,
      header: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a header name')
        .superRefine((name, context) => {
          const message = headerNameProblem(name);
          if (message !== undefined) context.addIssue({ code: 'custom', message });
        })
        .default('Authorization')
        .describe('Header with the key.'),
      value: secret('Value of the header, such as `Bearer …`.'),
    }),
    headers: { '{header}': '{value}' },
  },
  test: { method: 'GET', url: '{+connection.baseUrl}' },
  operations,
};

const provider = (description: string) => z.url({ protocol: /^https?$/ }).describe(description);

/** Parameters that the service itself sets in every request for consent (RFC 6749 §4.1.1, RFC 7636 §4.3). */
const OWN_PARAMETERS = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
];
const ownParameterIn = (address: string): string | undefined => {
  const parameters = parseUrl(address)?.searchParams;
  return OWN_PARAMETERS.find((name) => parameters?.has(name) === true);
};

/** The same for services that accept OAuth 2.0 access tokens. */
export const httpOAuth: Connector = {
  id: 'http-oauth',
  name: 'HTTP with OAuth 2.0',
  description: 'Call any JSON API that accepts OAuth 2.0 access tokens.',
  category: 'general',
  colour: '4a5a78',
  auth: {
    type: 'oauth2',
    credentials: z.strictObject({
      baseUrl,
      authorizationUrl: provider('Address at the provider where a person gives consent.').superRefine(
        (address, context) => {
          const name = ownParameterIn(address);
          if (name !== undefined)
            context.addIssue({
              code: 'custom',
              message: `must not have the parameter ${name}, which the service sets`,
            });
        },
      ),
      tokenUrl: provider('Token endpoint of the provider.'),
      issuer: text('Issuer of the provider. Default: the origin of `authorizationUrl`.').exactOptional(),
      scope: text('Scopes, separated by spaces.').exactOptional(),
      ...client,
    }),
    issuer: '{+connection.issuer}',
    authorizationUrl: '{+connection.authorizationUrl}',
    tokenUrl: '{+connection.tokenUrl}',
    scope: '{+connection.scope}',
    secretIn: 'header',
  },
  test: { method: 'GET', url: '{+connection.baseUrl}' },
  operations,
};
