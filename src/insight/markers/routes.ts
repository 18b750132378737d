import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { createMarkerBody, listMarkersQuery, markerAnswer } from './schema.ts';
import type { Markers } from './service.ts';

const route = routesOf<{ markers: Markers }>({ markers: 'Points in time worth remembering, such as deployments.' });

// A program that deploys a publisher has this right already, and a marker changes no delivery.
const write = { scope: 'messages:write' } as const;

export const markerRoutes = [
  route({
    method: 'GET',
    path: '/v1/markers',
    operationId: 'markers.list',
    summary: 'List markers',
    description: 'Moments that somebody has marked, the latest first. `since` and `until` are about `at`.',
    example: { query: { since: '2026-01-31T12:00:00Z' } },
    access: { scope: 'deliveries:read' },
    query: listMarkersQuery,
    answers: { 200: pageOf(markerAnswer) },
    handle: ({ caller, query }, { markers }) => markers.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/v1/markers',
    operationId: 'markers.create',
    summary: 'Marker a moment',
    description:
      'A deployment of a receiver, as a rule. Failures since then can be asked for. An environment keeps its latest 1,000.',
    example: { body: { name: 'Deploy 4.2' } },
    access: write,
    consumes: 'json',
    body: createMarkerBody,
    answers: { 201: markerAnswer },
    handle: ({ caller, body }, { markers }) => markers.create(caller, body),
  }),
  route({
    method: 'DELETE',
    path: '/v1/markers/:markerId',
    operationId: 'markers.delete',
    summary: 'Delete a marker',
    description: 'Nothing else changes.',
    params: { markerId: idOf('marker') },
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { markerId } }, { markers }) => markers.delete(caller, markerId),
  }),
];
