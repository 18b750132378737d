import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { createSecretBody, listSecretsQuery, updateSecretBody, workflowSecretAnswer } from './schema.ts';
import type { Secrets } from './service.ts';

const PATH = '/v1/secrets/:secretId';

const route = routesOf<{ secrets: Secrets }>({
  secrets: 'Encrypted values for workflow steps. They can be replaced, but not read.',
});
const params = { secretId: idOf('secret') };
/** One scope for everything: a name reveals what can be reached, although a value is never returned. */
const access = { scope: 'credentials:write' } as const;

export const secretRoutes = [
  route({
    method: 'POST',
    path: '/v1/secrets',
    operationId: 'secrets.create',
    summary: 'Create a secret',
    description:
      'Stores a text, encrypted, under a name. Workflow steps use it as `{{ secrets.NAME }}`. It is never returned.',
    example: { body: { name: 'CRM_TOKEN', value: 'a token of the CRM' } },
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
    operationId: 'secrets.list',
    summary: 'List secrets',
    description: 'Secrets of the environment, newest first, without their values.',
    access,
    query: listSecretsQuery,
    answers: { 200: pageOf(workflowSecretAnswer) },
    handle: ({ caller, query }, { secrets }) => secrets.list(caller, query),
  }),
  route({
    method: 'GET',
    path: PATH,
    operationId: 'secrets.get',
    summary: 'Get a secret',
    description: 'Returns when the secret was created, last set and last used, without its value.',
    params,
    access,
    answers: { 200: workflowSecretAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { secretId } }, { secrets }) => secrets.get(caller, secretId),
  }),
  route({
    method: 'PATCH',
    path: PATH,
    operationId: 'secrets.update',
    summary: 'Set the value of a secret',
    description: 'Replaces the value. Attempts use it from now on, including those of runs in progress.',
    example: { body: { value: 'another token of the CRM' } },
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
    operationId: 'secrets.delete',
    summary: 'Delete a secret',
    description: 'Deletes the secret permanently. A step that still uses it fails with the code SECRET_MISSING.',
    params,
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { secretId } }, { secrets }) => secrets.delete(caller, secretId),
  }),
];
