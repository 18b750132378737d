import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { createViewBody, listViewsQuery, updateViewBody, viewAnswer } from './schema.ts';
import type { Views } from './service.ts';

const VIEWS = '/v1/views';
const route = routesOf<{ views: Views }>({ views: 'Saved filters of the user.' });
const access = 'person';
const params = { viewId: idOf('view') };

export const viewRoutes = [
  route({
    method: 'POST',
    path: VIEWS,
    operationId: 'views.create',
    summary: 'Save a view',
    description:
      'Saves filters of a dashboard list under a name, for this person only. A person can have 100; names are unique within a page (CONFLICT).',
    example: { body: { page: 'deliveries', name: 'Failed at the till', search: { status: 'failed', since: '24h' } } },
    access,
    consumes: 'json',
    body: createViewBody,
    answers: { 201: viewAnswer },
    errors: ['CONFLICT'],
    handle: ({ caller, body }, { views }) => views.create(caller, body),
  }),
  route({
    method: 'GET',
    path: VIEWS,
    operationId: 'views.list',
    summary: 'List views',
    description: 'Views of the person, newest first.',
    access,
    query: listViewsQuery,
    answers: { 200: pageOf(viewAnswer) },
    handle: ({ caller, query }, { views }) => views.list(caller, query),
  }),
  route({
    method: 'PATCH',
    path: `${VIEWS}/:viewId`,
    operationId: 'views.update',
    summary: 'Change a view',
    description: 'Changes the name or the filters of a view.',
    example: { body: { name: 'Failed today' } },
    params,
    access,
    consumes: 'json',
    body: updateViewBody,
    answers: { 200: viewAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { viewId }, body }, { views }) => views.update(caller, viewId, body),
  }),
  route({
    method: 'DELETE',
    path: `${VIEWS}/:viewId`,
    operationId: 'views.delete',
    summary: 'Delete a view',
    description: 'Deletes a saved view.',
    params,
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { viewId } }, { views }) => views.remove(caller, viewId),
  }),
];
