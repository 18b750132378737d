import { z } from 'zod';
import { headerNameProblem } from '../../../outbound/request-headers.ts';
import type { Connector, Operation } from './connector.ts';
import { client, object, secret, text } from './fields.ts';

// A client takes `..` for a step out of the base address, also between backslashes, written as %2e%2e, or around a line break. Many
// servers decode %2f and %5c as well before they look for steps, and some drop what follows a `;`.
const STEP_ASIDE = /^[^?#]*(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?:[/\\?#;]|%2f|%5c|%3b|$)/i;

const path = z
  .string()
  .regex(/^\/(?!\/)/, 'must begin with one /')
  .refine((given) => !STEP_ASIDE.test(given.replaceAll(/[\t\n\r]/g, '')), 'must not have . or .. as a part')
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
  .describe('Address before all paths, such as `https://api.example.com/v2`.');

/** For services without a connector of their own, and for an author's own services. */
export const http: Connector = {
  id: 'http',
  name: 'HTTP',
  description: 'Any service that takes a key in a header and speaks JSON.',
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

/** The same for services that take access tokens of OAuth 2.0. */
export const httpOAuth: Connector = {
  id: 'http-oauth',
  name: 'HTTP with OAuth 2.0',
  description: 'Any service that takes access tokens of an OAuth 2.0 provider and speaks JSON.',
  category: 'general',
  colour: '4a5a78',
  auth: {
    type: 'oauth2',
    credentials: z.strictObject({
      baseUrl,
      authorizationUrl: provider('Address at the provider where a person consents.'),
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
