import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import {
  createInspectorBody,
  inspectedRequestAnswer,
  inspectorAnswer,
  listInspectorsQuery,
  listRequestsQuery,
  inspectedRowAnswer,
  updateInspectorBody,
} from './schema.ts';
import type { Inspectors } from './service.ts';

const COLLECTION = '/v1/inspectors';
const ONE = '/v1/inspectors/:inspectorId';

// An inspector is a receiver, so creating one needs the same scope as choosing a subscription's target.
const read = { scope: 'subscriptions:read' } as const;
const write = { scope: 'subscriptions:write' } as const;
// Bodies of recorded requests contain messages.
const readMessages = { scope: 'messages:read' } as const;

const route = routesOf<{ inspectors: Inspectors }>({ inspectors: 'Addresses that record the requests they receive.' });
const params = { inspectorId: idOf('inspector').describe('Prefix `ins_` and 26 characters (128 random bits).') };

export const inspectorRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    operationId: 'inspectors.list',
    summary: 'List inspectors',
    description: 'Inspectors of the environment, newest first.',
    access: read,
    query: listInspectorsQuery,
    answers: { 200: pageOf(inspectorAnswer) },
    handle: ({ caller, query }, { inspectors }) => inspectors.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    operationId: 'inspectors.create',
    summary: 'Create an inspector',
    description:
      'Creates an address on this service that records requests and returns the response you choose. A subscription can have exactly this address as its target. Up to 20 per environment, and 300 requests a minute per inspector.',
    example: { body: { name: 'First look', answer: { status: 503, failurePercent: 0 } } },
    access: write,
    consumes: 'json',
    body: createInspectorBody,
    answers: { 201: inspectorAnswer },
    errors: ['CONFLICT'],
    handle: ({ caller, body }, { inspectors }) => inspectors.create(caller, body),
  }),
  route({
    method: 'GET',
    path: ONE,
    operationId: 'inspectors.get',
    summary: 'Get an inspector',
    description: 'Returns one inspector.',
    params,
    access: read,
    answers: { 200: inspectorAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectorId } }, { inspectors }) => inspectors.get(caller, inspectorId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    operationId: 'inspectors.update',
    summary: 'Change an inspector',
    description: 'Changes the given fields, and those of `answer` individually. Applies from the next request.',
    example: { body: { answer: { status: 500 } } },
    params,
    access: write,
    consumes: 'json',
    body: updateInspectorBody,
    answers: { 200: inspectorAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectorId }, body }, { inspectors }) => inspectors.update(caller, inspectorId, body),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    operationId: 'inspectors.delete',
    summary: 'Delete an inspector',
    description: 'Its address stops working at once, and its requests are deleted.',
    params,
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectorId } }, { inspectors }) => inspectors.delete(caller, inspectorId),
  }),
  route({
    method: 'GET',
    path: `${ONE}/requests`,
    operationId: 'inspectors.listRequests',
    summary: 'List recorded requests',
    description: 'The newest 200 requests of the last 24 hours, newest first, without headers and bodies.',
    params,
    access: readMessages,
    query: listRequestsQuery,
    answers: { 200: pageOf(inspectedRowAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectorId }, query }, { inspectors }) =>
      inspectors.requests(caller, inspectorId, query),
  }),
  route({
    method: 'GET',
    path: '/v1/inspected-requests/:inspectedRequestId',
    operationId: 'inspectors.getRequest',
    summary: 'Get a recorded request',
    description: 'Returns the headers and exact body of a request, with the result of its signature check.',
    params: { inspectedRequestId: idOf('inspectedRequest') },
    access: readMessages,
    answers: { 200: inspectedRequestAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectedRequestId } }, { inspectors }) =>
      inspectors.request(caller, inspectedRequestId),
  }),
  route({
    method: 'DELETE',
    path: `${ONE}/requests`,
    operationId: 'inspectors.clearRequests',
    summary: 'Delete recorded requests',
    description: 'Empties the inspector. New requests are still recorded.',
    params,
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectorId } }, { inspectors }) => inspectors.clear(caller, inspectorId),
  }),
];
