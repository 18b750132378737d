import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { createViewBody, listViewsQuery, updateViewBody, viewAnswer } from './schema.ts';
import type { Views } from './service.ts';

const VIEWS = '/v1/views';
const route = routesOf<{ views: Views }>();
const access = 'person';
const params = { viewId: idOf('view') };

export const viewRoutes = [
  route({
    method: 'POST',
    path: VIEWS,
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
    access,
    query: listViewsQuery,
    answers: { 200: pageOf(viewAnswer) },
    handle: ({ caller, query }, { views }) => views.list(caller, query),
  }),
  route({
    method: 'PATCH',
    path: `${VIEWS}/:viewId`,
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
    params,
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { viewId } }, { views }) => views.remove(caller, viewId),
  }),
];
