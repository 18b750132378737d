import { idOf, noBody, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import {
  apiKeyAnswer,
  createApiKeyBody,
  listApiKeysQuery,
  newApiKeyAnswer,
  rotateApiKeyBody,
  updateApiKeyBody,
} from './schema.ts';
import type { ApiKeys } from './service.ts';

const COLLECTION = '/v1/api-keys';
const ONE = '/v1/api-keys/:apiKeyId';
/** Who may see keys may make them as well: their list tells what there is to take over. */
const access = { scope: 'credentials:write' } as const;

const route = routesOf<{ apiKeys: ApiKeys }>();
const params = { apiKeyId: idOf('apiKey') };

export const apiKeyRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    access,
    query: listApiKeysQuery,
    answers: { 200: pageOf(apiKeyAnswer) },
    handle: ({ caller, query }, { apiKeys }) => apiKeys.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    access,
    isDangerous: true,
    consumes: 'json',
    body: createApiKeyBody,
    answers: { 201: newApiKeyAnswer },
    handle: ({ caller, body }, { apiKeys }) => apiKeys.create(caller, body),
  }),
  route({
    method: 'GET',
    path: ONE,
    params,
    access,
    answers: { 200: apiKeyAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { apiKeyId } }, { apiKeys }) => apiKeys.get(caller, apiKeyId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    params,
    access,
    isDangerous: true,
    consumes: 'json',
    body: updateApiKeyBody,
    answers: { 200: apiKeyAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { apiKeyId }, body }, { apiKeys }) => apiKeys.update(caller, apiKeyId, body),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    params,
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { apiKeyId } }, { apiKeys }) => apiKeys.revoke(caller, apiKeyId),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rotate`,
    params,
    access,
    consumes: 'json',
    body: rotateApiKeyBody,
    isDangerous: true,
    answers: { 200: newApiKeyAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { apiKeyId }, body }, { apiKeys }) => apiKeys.rotate(caller, apiKeyId, body),
  }),
];
