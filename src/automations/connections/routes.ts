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

const route = routesOf<{ connections: Connections }>();
const params = { connectionId: idOf('connection') };
/** As secrets: a connection tells what somebody can reach, and its credentials are never shown. */
const access = { scope: 'credentials:write' } as const;

export const connectionRoutes = [
  route({
    method: 'POST',
    path: '/v1/connections',
    access,
    consumes: 'json',
    body: createConnectionBody,
    answers: { 201: connectionAnswer },
    handle: ({ caller, body }, { connections }) => connections.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/connections',
    access,
    query: listConnectionsQuery,
    answers: { 200: pageOf(connectionAnswer) },
    handle: ({ caller, query }, { connections }) => connections.list(caller, query),
  }),
  route({
    method: 'GET',
    path: PATH,
    params,
    access,
    answers: { 200: connectionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { connectionId } }, { connections }) => connections.get(caller, connectionId),
  }),
  route({
    method: 'PATCH',
    path: PATH,
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
    params,
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { connectionId } }, { connections }) => connections.delete(caller, connectionId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/test`,
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
