import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { createMarkBody, listMarksQuery, markAnswer } from './schema.ts';
import type { Marks } from './service.ts';

const route = routesOf<{ marks: Marks }>({ marks: 'Points in time worth remembering, such as deployments.' });

// A program that deploys a publisher has this right already, and a mark changes no delivery.
const write = { scope: 'messages:write' } as const;

export const markRoutes = [
  route({
    method: 'GET',
    path: '/v1/marks',
    operationId: 'marks.list',
    summary: 'List marks',
    description: 'Moments that somebody has marked, the latest first. `since` and `until` are about `at`.',
    example: { query: { since: '2026-01-31T12:00:00Z' } },
    access: { scope: 'deliveries:read' },
    query: listMarksQuery,
    answers: { 200: pageOf(markAnswer) },
    handle: ({ caller, query }, { marks }) => marks.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/v1/marks',
    operationId: 'marks.create',
    summary: 'Mark a moment',
    description:
      'A deployment of a receiver, as a rule. Failures since then can be asked for. An environment keeps its latest 1,000.',
    example: { body: { name: 'Deploy 4.2' } },
    access: write,
    consumes: 'json',
    body: createMarkBody,
    answers: { 201: markAnswer },
    handle: ({ caller, body }, { marks }) => marks.create(caller, body),
  }),
  route({
    method: 'DELETE',
    path: '/v1/marks/:markId',
    operationId: 'marks.delete',
    summary: 'Delete a mark',
    description: 'Nothing else changes.',
    params: { markId: idOf('mark') },
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { markId } }, { marks }) => marks.delete(caller, markId),
  }),
];
