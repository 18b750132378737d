import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import {
  authorizationAnswer,
  connectionAnswer,
  connectionTestAnswer,
  createConnectionBody,
  listConnectionsQuery,
  updateConnectionBody,
} from './schema.ts';
import type { Connections } from './service.ts';

const PATH = '/v1/connections/:connectionId';

const route = routesOf<{ connections: Connections }>({ connections: 'Credentials for connectors.' });
const params = { connectionId: idOf('connection') };
/**
 * Same scope as secrets: a connection reveals which services can be reached, although its credentials are never
 * returned.
 */
const access = { scope: 'credentials:write' } as const;

export const connectionRoutes = [
  route({
    method: 'POST',
    path: '/v1/connections',
    operationId: 'connections.create',
    summary: 'Create a connection',
    description: 'Stores credentials for a connector, encrypted. They are never returned.',
    example: {
      body: {
        connectorId: 'http',
        name: 'CRM',
        credentials: { baseUrl: 'https://crm.example.com', value: 'Bearer a token' },
      },
    },
    access,
    consumes: 'json',
    body: createConnectionBody,
    answers: { 201: connectionAnswer },
    handle: ({ caller, body }, { connections }) => connections.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/connections',
    operationId: 'connections.list',
    summary: 'List connections',
    description:
      'Connections of this environment, and those shared by the other environment of the app, newest first and without credentials.',
    example: { query: { connectorId: 'slack' } },
    access,
    query: listConnectionsQuery,
    answers: { 200: pageOf(connectionAnswer) },
    handle: ({ caller, query }, { connections }) => connections.list(caller, query),
  }),
  route({
    method: 'GET',
    path: PATH,
    operationId: 'connections.get',
    summary: 'Get a connection',
    description:
      'Returns one connection without its credentials. The other environment of the app can read it if it is shared.',
    params,
    access,
    answers: { 200: connectionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { connectionId } }, { connections }) => connections.get(caller, connectionId),
  }),
  route({
    method: 'PATCH',
    path: PATH,
    operationId: 'connections.update',
    summary: 'Change a connection',
    description:
      'Changes the name, shares the connection with the other environment of the app, or replaces all credentials. Attempts use new credentials from now on. FORBIDDEN for a connection shared by the other environment.',
    example: { body: { name: 'CRM of the shop' } },
    params,
    access,
    consumes: 'json',
    body: updateConnectionBody,
    answers: { 200: connectionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { connectionId }, body }, { connections }) =>
      connections.update(caller, connectionId, body),
  }),
  route({
    method: 'DELETE',
    path: PATH,
    operationId: 'connections.delete',
    summary: 'Delete a connection',
    description:
      'Deletes the connection permanently. A step that still uses it fails with the code CONNECTION_MISSING. FORBIDDEN for a connection shared by the other environment.',
    params,
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { connectionId } }, { connections }) => connections.delete(caller, connectionId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/test`,
    operationId: 'connections.test',
    summary: 'Test a connection',
    description:
      'Sends a request that changes nothing and returns whether the service accepts the credentials. CONFLICT if the service has no such request (PagerDuty).',
    params,
    access,
    isSending: true,
    answers: { 200: connectionTestAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { connectionId } }, { connections }) => connections.test(caller, connectionId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/authorize`,
    operationId: 'connections.authorize',
    summary: 'Authorize a connection',
    description:
      'Returns the address at the provider where a person gives consent. It works once, for ten minutes. CONFLICT if the connector does not use OAuth, FORBIDDEN for a connection shared by the other environment.',
    params,
    access,
    isSending: true,
    answers: { 200: authorizationAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { connectionId } }, { connections }) => connections.authorize(caller, connectionId),
  }),
  route({
    method: 'GET',
    path: '/oauth/connections/callback',
    operationId: 'oauth.getConnectionsCallback',
    summary: 'Return from a provider',
    description:
      'The redirect URI of OAuth clients. Providers redirect browsers here with their own parameters, and the browser is redirected to a page that shows the result.',
    example: { query: { state: 'of the authorization', code: 'of the provider' } },
    access: 'public',
    addressLimit: { name: 'connection-callback', perMinute: 30 },
    isOthers: true,
    answers: { 303: noBody },
    // The address contains the authorization code, so it must be neither cached nor sent on as a referrer.
    headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    async handle({ head, setLocation }, { connections }) {
      setLocation(await connections.comeBack(head().target));
    },
  }),
];
