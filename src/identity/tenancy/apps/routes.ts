import { idOf, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { appAnswer, createAppBody, listAppsQuery, updateAppBody } from './schema.ts';
import type { Apps } from './service.ts';

const COLLECTION = '/v1/apps';
const ONE = '/v1/apps/:appId';

const route = routesOf<{ apps: Apps }>({ apps: 'Apps of the organisation, each with a live and a test environment.' });
const params = { appId: idOf('app') };

export const appRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    operationId: 'apps.list',
    summary: 'List apps',
    description: 'Apps of the organisation, newest first.',
    example: { query: { status: 'active' } },
    access: { scope: 'apps:read', level: 'organisation' },
    query: listAppsQuery,
    answers: { 200: pageOf(appAnswer) },
    handle: ({ caller, query }, { apps }) => apps.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    operationId: 'apps.create',
    summary: 'Create an app',
    description:
      'Creates an app with the environments `live` and `test`. A `slug` that is taken in the ' +
      'organisation is CONFLICT. API keys cannot create or list apps, because apps are above ' +
      'environments.',
    example: { body: { name: 'Shop', settings: { retentionDays: 30 } } },
    access: { scope: 'apps:write', level: 'organisation' },
    consumes: 'json',
    body: createAppBody,
    answers: { 201: appAnswer },
    errors: ['CONFLICT'],
    handle: ({ caller, body }, { apps }) => apps.create(caller, body),
  }),
  route({
    method: 'GET',
    path: ONE,
    operationId: 'apps.get',
    summary: 'Get an app',
    description:
      'Shows an app with its effective defaults. An API key can see and change only its own app; a ' +
      'credential of the test environment cannot change it (FORBIDDEN).',
    params,
    access: { scope: 'apps:read', level: 'any' },
    answers: { 200: appAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { appId } }, { apps }) => apps.get(caller, appId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    operationId: 'apps.update',
    summary: 'Change an app',
    description:
      'Changes the fields that are given. Settings are merged; null resets one to the default of the ' + 'service.',
    example: { body: { description: 'The shop', settings: { timeoutMs: 10_000 } } },
    params,
    access: { scope: 'apps:write', level: 'any' },
    consumes: 'json',
    body: updateAppBody,
    answers: { 200: appAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { appId }, body }, { apps }) => apps.update(caller, appId, body),
  }),
];
