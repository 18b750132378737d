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
/** Listing keys requires the right to create them, because the list shows which keys are worth taking over. */
const access = { scope: 'credentials:write' } as const;

const route = routesOf<{ apiKeys: ApiKeys }>({ apiKeys: 'API keys for programs.' });
const params = { apiKeyId: idOf('apiKey') };

export const apiKeyRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    operationId: 'apiKeys.list',
    summary: 'List API keys',
    description: 'API keys of the environment, without the keys themselves.',
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
    summary: 'Create an API key',
    description:
      'The response shows the key; it is never shown again. A key cannot have more rights than its ' +
      'creator. `scopes` and `expiresAt` default to those of the calling key, as does `tier` (`pro` if a ' +
      'person or the command line creates the key).',
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
    description: 'Shows an API key without the key itself.',
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
    description:
      'Changes the fields that are given. Limits are merged; null resets a limit to that of the tier. ' +
      'FORBIDDEN for more scopes, a higher tier or limits, or a later expiry than the calling key has. ' +
      'Takes effect at once in this process and within 5 seconds in all others.',
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
    description: 'Permanently ends the key. It stays in the list.',
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
    description:
      'Creates a new key for the same credential. The old key remains valid for `overlapSeconds`, but ' +
      'cannot manage credentials during that time. Rotating again ends the older of the two keys.',
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
