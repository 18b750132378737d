import { z } from 'zod';
import { parseUrl } from '../../../kernel/values/http.ts';
import { headerNameProblem } from '../../../platform/outbound/headers.ts';
import type { Connector, Operation } from './connector.ts';
import { client, object, secret, text } from './fields.ts';

// A client takes `..` for a step out of the base address, also between backslashes, written as %2e%2e, or around a line break. Many
// servers decode %2f and %5c as well before they look for steps, and some drop what follows a `;`.
const STEP_ASIDE = /^[^?#]*(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\?#;]|%2f|%5c|%3b|$)/i;

/** Whether a client or a server may take a part of an address, before its query, for a step out of what stands before it. */
const stepsAside = (address: string): boolean => STEP_ASIDE.test(address.replaceAll(/[\t\n\r]/g, ''));

const path = z
  .string()
  .regex(/^\/(?!\/)/, 'must begin with one /')
  .refine((given) => !stepsAside(given), 'must not have . or .. as a part')
  .describe('Path behind the base address.');
const query = object('Parameters of the address.').exactOptional();
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
  operation('POST', 'Make', 'Sends a POST request.'),
  operation('PUT', 'Replace', 'Sends a PUT request.'),
  operation('PATCH', 'Change', 'Sends a PATCH request.'),
  operation('DELETE', 'Delete', 'Sends a DELETE request.'),
];

const baseUrl = z
  .url({ protocol: /^https?$/ })
  .regex(/^[^?#]*[^/?#]$/, 'must end without /, ? and #')
  // A path behind `/v2/..` would not stand below it.
  .refine((given) => !stepsAside(given), 'must not have . or .. as a part')
  .describe('Address before all paths, such as `https://api.example.com/v2`.');

/** For services without a connector of their own, and for an author's own services. */
export const http: Connector = {
  id: 'http',
  name: 'HTTP',
  description: 'Call any JSON API that takes a key in a header.',
  category: 'general',
  colour: '5a6470',
  auth: {
    type: 'api_key',
    credentials: z.strictObject({
      baseUrl,
      header: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header')
        .superRefine((name, context) => {
          const message = headerNameProblem(name);
          if (message !== undefined) context.addIssue({ code: 'custom', message });
        })
        .default('Authorization')
        .describe('Header that has the key.'),
      value: secret('Value of the header, such as `Bearer …`.'),
    }),
    headers: { '{header}': '{value}' },
  },
  test: { method: 'GET', url: '{+connection.baseUrl}' },
  operations,
};

const provider = (description: string) => z.url({ protocol: /^https?$/ }).describe(description);

/** Parameters that the service sends to a provider with each request for consent (RFC 6749 §4.1.1, RFC 7636 §4.3). */
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

/** The same for services that take access tokens of OAuth 2.0. */
export const httpOAuth: Connector = {
  id: 'http-oauth',
  name: 'HTTP with OAuth 2.0',
  description: 'Call any JSON API that takes OAuth 2.0 access tokens.',
  category: 'general',
  colour: '4a5a78',
  auth: {
    type: 'oauth2',
    credentials: z.strictObject({
      baseUrl,
      authorizationUrl: provider('Address at the provider where a person consents.').superRefine((address, context) => {
        const name = ownParameterIn(address);
        if (name !== undefined)
          context.addIssue({ code: 'custom', message: `must not have the parameter ${name}, which the service sets` });
      }),
      tokenUrl: provider('Token endpoint of the provider.'),
      issuer: text('Name that the provider gives itself. Default: the origin of `authorizationUrl`.').exactOptional(),
      scope: text('Scopes, with spaces between them.').exactOptional(),
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
