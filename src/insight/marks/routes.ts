import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { createMarkBody, listMarksQuery, markAnswer } from './schema.ts';
import type { Marks } from './service.ts';

const route = routesOf<{ marks: Marks }>();

// A program that deploys a publisher has this right already, and a mark changes no delivery.
const write = { scope: 'messages:write' } as const;

export const markRoutes = [
  route({
    method: 'GET',
    path: '/v1/marks',
    access: { scope: 'deliveries:read' },
    query: listMarksQuery,
    answers: { 200: pageOf(markAnswer) },
    handle: ({ caller, query }, { marks }) => marks.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/v1/marks',
    access: write,
    consumes: 'json',
    body: createMarkBody,
    answers: { 201: markAnswer },
    handle: ({ caller, body }, { marks }) => marks.create(caller, body),
  }),
  route({
    method: 'DELETE',
    path: '/v1/marks/:markId',
    params: { markId: idOf('mark') },
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { markId } }, { marks }) => marks.delete(caller, markId),
  }),
];
