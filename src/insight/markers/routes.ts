import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { createMarkerBody, listMarkersQuery, markerAnswer } from './schema.ts';
import type { Markers } from './service.ts';

const route = routesOf<{ markers: Markers }>({
  markers: 'Points in time, such as deployments, to compare traffic with.',
});

// Programs that deploy a publisher already have this scope, and a marker does not affect deliveries.
const write = { scope: 'messages:write' } as const;

export const markerRoutes = [
  route({
    method: 'GET',
    path: '/v1/markers',
    operationId: 'markers.list',
    summary: 'List markers',
    description: 'Markers, latest first. `since` and `until` apply to `at`.',
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
    summary: 'Create a marker',
    description:
      'Marks a point in time, usually a deployment, so that you can list the failures since then. `at` is now by default and at most 366 days ago. An environment keeps its latest 1,000 markers.',
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
    description: 'Deletes the marker. Nothing else changes.',
    params: { markerId: idOf('marker') },
    access: write,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { markerId } }, { markers }) => markers.delete(caller, markerId),
  }),
];
