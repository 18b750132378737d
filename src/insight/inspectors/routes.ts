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

// An inspector is a receiver of one's own: whoever may point subscriptions somewhere may make one.
const read = { scope: 'subscriptions:read' } as const;
const write = { scope: 'subscriptions:write' } as const;
// Bodies of arrived requests are those of messages.
const readMessages = { scope: 'messages:read' } as const;

const route = routesOf<{ inspectors: Inspectors }>({ inspectors: 'Addresses that record the requests they receive.' });
const params = { inspectorId: idOf('inspector').describe('Prefix `ins_` and 26 characters, of 128 random bits.') };

export const inspectorRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    operationId: 'inspectors.list',
    summary: 'List inspectors',
    description: 'Inspectors of the environment, the newest first.',
    access: read,
    query: listInspectorsQuery,
    answers: { 200: pageOf(inspectorAnswer) },
    handle: ({ caller, query }, { inspectors }) => inspectors.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    operationId: 'inspectors.create',
    summary: 'Make an inspector',
    description:
      'Gives an address of this service that shows what arrives, and answers as you say. A subscription may have it as its target. An ' +
      'environment has at most 20.',
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
    description: 'Shows one inspector.',
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
    description:
      'Changes the fields that are given, those of `answer` one by one. The next request gets the new answer.',
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
    description: 'Its address is unknown from now on, and its requests are gone.',
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
    summary: 'List requests that arrived',
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
    summary: 'Get a request that arrived',
    description: 'Shows its headers and its exact body, with the status of its signature.',
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
    summary: 'Forget requests that arrived',
    description: 'Empties the inspector. New requests are shown again.',
    params,
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectorId } }, { inspectors }) => inspectors.clear(caller, inspectorId),
  }),
];
