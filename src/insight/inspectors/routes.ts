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

const route = routesOf<{ inspectors: Inspectors }>();
const params = { inspectorId: idOf('inspector').describe('Prefix `ins_` and 26 characters, of 128 random bits.') };

export const inspectorRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: read,
    query: listInspectorsQuery,
    answers: { 200: pageOf(inspectorAnswer) },
    handle: ({ caller, query }, { inspectors }) => inspectors.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
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
    params,
    access: read,
    answers: { 200: inspectorAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectorId } }, { inspectors }) => inspectors.get(caller, inspectorId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
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
    params,
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectorId } }, { inspectors }) => inspectors.delete(caller, inspectorId),
  }),
  route({
    method: 'GET',
    path: `${ONE}/requests`,
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
    params,
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { inspectorId } }, { inspectors }) => inspectors.clear(caller, inspectorId),
  }),
];
