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
/** As secrets: a connection tells what somebody can reach, and its credentials are never shown. */
const access = { scope: 'credentials:write' } as const;

export const connectionRoutes = [
  route({
    method: 'POST',
    path: '/v1/connections',
    operationId: 'connections.create',
    summary: 'Make a connection',
    description: 'Keeps credentials for a connector sealed. No answer shows them again.',
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
      'Connections of the environment and those that the other one of its app shares, the newest first, without their credentials.',
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
      'Shows one connection, without its credentials. The other environment of the app may see it if it is shared.',
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
      'Changes the name, shares it with the other environment of the app, or replaces all credentials. Attempts of steps use new ones from now on. FORBIDDEN for a connection that the other environment shares.',
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
      'Removes a connection for good. A step that still names it fails with the code CONNECTION_MISSING. FORBIDDEN for a connection that the other environment shares.',
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
      'Sends a request that changes nothing, and says whether the service takes the credentials. CONFLICT where the service has no such request.',
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
      'Gives the address at the provider where somebody consents, good once and for ten minutes. CONFLICT where the connector needs no authorization, FORBIDDEN for a connection that the other environment shares.',
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
      'The redirect URI of clients at providers, which send browsers back here with parameters of their own. The browser is sent on to a page that says how it went.',
    example: { query: { state: 'of the authorization', code: 'of the provider' } },
    access: 'public',
    addressLimit: { name: 'connection-callback', perMinute: 30 },
    isOthers: true,
    answers: { 303: noBody },
    // The page of the provider is nobody's business, and neither is the code in this address.
    headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    async handle({ head, setLocation }, { connections }) {
      setLocation(await connections.comeBack(head().target));
    },
  }),
];
