import { pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { connectorAnswer, connectorId, listConnectorsQuery, wholeConnectorAnswer } from './schema.ts';
import type { Connectors } from './service.ts';

const route = routesOf<{ connectors: Connectors }>();
const access = { scope: 'workflows:read' } as const;

export const connectorRoutes = [
  route({
    method: 'GET',
    path: '/v1/connectors',
    access,
    query: listConnectorsQuery,
    answers: { 200: pageOf(connectorAnswer) },
    handle: async ({ caller, query }, { connectors }) => connectors.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/connectors/:connectorId',
    params: { connectorId },
    access,
    answers: { 200: wholeConnectorAnswer },
    errors: ['NOT_FOUND'],
    handle: async ({ params: { connectorId } }, { connectors }) => connectors.get(connectorId),
  }),
];
