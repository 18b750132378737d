import { pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { connectorAnswer, connectorId, listConnectorsQuery, connectorDetailAnswer } from './schema.ts';
import type { Connectors } from './service.ts';

const route = routesOf<{ connectors: Connectors }>({ connectors: 'Services that workflow steps can call.' });
const access = { scope: 'workflows:read' } as const;

export const connectorRoutes = [
  route({
    method: 'GET',
    path: '/v1/connectors',
    operationId: 'connectors.list',
    summary: 'List connectors',
    description: 'Services that workflow steps can call, by name. Their icons are public.',
    example: { query: { category: 'email' } },
    access,
    query: listConnectorsQuery,
    answers: { 200: pageOf(connectorAnswer) },
    handle: async ({ caller, query }, { connectors }) => connectors.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/connectors/:connectorId',
    operationId: 'connectors.get',
    summary: 'Get a connector',
    description:
      'Returns a connector with its operations and the JSON Schemas of their parameters and of the credentials.',
    params: { connectorId },
    access,
    answers: { 200: connectorDetailAnswer },
    errors: ['NOT_FOUND'],
    handle: async ({ params: { connectorId } }, { connectors }) => connectors.get(connectorId),
  }),
];
