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

const route = routesOf<{ apiKeys: ApiKeys }>({ apiKeys: 'API keys for programs.' });
const params = { apiKeyId: idOf('apiKey') };

export const apiKeyRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    operationId: 'apiKeys.list',
    summary: 'List API keys',
    description: 'API keys of the environment, without their texts.',
    example: { query: { status: 'active' } },
    access,
    query: listApiKeysQuery,
    answers: { 200: pageOf(apiKeyAnswer) },
    handle: ({ caller, query }, { apiKeys }) => apiKeys.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    operationId: 'apiKeys.create',
    summary: 'Make an API key',
    description:
      "The answer shows the key, and nothing ever shows it again. The key never has more rights than its maker; fields that are left out are the maker's.",
    example: { body: { name: 'till', scopes: ['messages:write'] } },
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
    operationId: 'apiKeys.get',
    summary: 'Get an API key',
    description: 'Shows an API key without its text.',
    params,
    access,
    answers: { 200: apiKeyAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { apiKeyId } }, { apiKeys }) => apiKeys.get(caller, apiKeyId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    operationId: 'apiKeys.update',
    summary: 'Change an API key',
    description: 'Changes the fields that are given. Limits are merged, and null gives one back to the tier.',
    example: { body: { name: 'till 2', limits: { requestsPerMinute: 600 } } },
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
    operationId: 'apiKeys.revoke',
    summary: 'Revoke an API key',
    description: 'Ends the key for ever. The list still shows it.',
    params,
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { apiKeyId } }, { apiKeys }) => apiKeys.revoke(caller, apiKeyId),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rotate`,
    operationId: 'apiKeys.rotate',
    summary: 'Rotate an API key',
    description: 'Gives the key a new text. The old one is taken for `overlapSeconds` more.',
    example: { body: { overlapSeconds: 3_600 } },
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
