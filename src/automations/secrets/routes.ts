import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { createSecretBody, listSecretsQuery, updateSecretBody, workflowSecretAnswer } from './schema.ts';
import type { Secrets } from './service.ts';

const PATH = '/v1/secrets/:secretId';

const route = routesOf<{ secrets: Secrets }>();
const params = { secretId: idOf('secret') };
/** One right for all: a name tells what somebody can reach, and a value is never shown. */
const access = { scope: 'credentials:write' } as const;

export const secretRoutes = [
  route({
    method: 'POST',
    path: '/v1/secrets',
    access,
    consumes: 'json',
    body: createSecretBody,
    answers: { 201: workflowSecretAnswer },
    errors: ['CONFLICT'],
    handle: ({ caller, body }, { secrets }) => secrets.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/secrets',
    access,
    query: listSecretsQuery,
    answers: { 200: pageOf(workflowSecretAnswer) },
    handle: ({ caller, query }, { secrets }) => secrets.list(caller, query),
  }),
  route({
    method: 'GET',
    path: PATH,
    params,
    access,
    answers: { 200: workflowSecretAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { secretId } }, { secrets }) => secrets.get(caller, secretId),
  }),
  route({
    method: 'PATCH',
    path: PATH,
    params,
    access,
    consumes: 'json',
    body: updateSecretBody,
    answers: { 200: workflowSecretAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { secretId }, body }, { secrets }) => secrets.update(caller, secretId, body),
  }),
  route({
    method: 'DELETE',
    path: PATH,
    params,
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { secretId } }, { secrets }) => secrets.delete(caller, secretId),
  }),
];
