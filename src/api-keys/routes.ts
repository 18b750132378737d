import { type Route, route } from '../http/route.ts';
import { createApiKeyBody, listApiKeysQuery, updateApiKeyBody } from './schema.ts';

const COLLECTION = '/v1/api-keys';
const ONE = '/v1/api-keys/:apiKeyId';
/** Who may see keys may make them as well: their list tells what there is to take over. */
const scope = 'credentials:write';

export const apiKeyRoutes: Route[] = [
  route({
    method: 'GET',
    path: COLLECTION,
    scope,
    query: listApiKeysQuery,
    status: 200,
    handle: ({ caller, query }, { apiKeys }) => apiKeys.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    scope,
    body: createApiKeyBody,
    status: 201,
    handle: ({ caller, body }, { apiKeys }) => apiKeys.create(caller, body),
  }),
  route({
    method: 'GET',
    path: ONE,
    scope,
    status: 200,
    handle: ({ caller, params }, { apiKeys }) => apiKeys.get(caller, params['apiKeyId'] ?? ''),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    scope,
    body: updateApiKeyBody,
    status: 200,
    handle: ({ caller, params, body }, { apiKeys }) => apiKeys.update(caller, params['apiKeyId'] ?? '', body),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    scope,
    status: 204,
    handle: ({ caller, params }, { apiKeys }) => apiKeys.revoke(caller, params['apiKeyId'] ?? ''),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rotate`,
    scope,
    status: 200,
    handle: ({ caller, params }, { apiKeys }) => apiKeys.rotate(caller, params['apiKeyId'] ?? ''),
  }),
];
