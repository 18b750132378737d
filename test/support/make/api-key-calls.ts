import type { Edge, EdgeAnswer } from '../world/edge.ts';

export const API_KEYS_PATH = '/v1/api-keys';

export type KeyJson = {
  id: string;
  key: string;
  name: string;
  prefix: string;
  last4: string;
  status: string;
  lastUsedAt?: string;
};

// `as`: the fields that each test reads.
export const keyOf = (answer: EdgeAnswer): KeyJson => answer.json as unknown as KeyJson;

/** Calls of the API key endpoints, with the edge's own key unless told otherwise. */
export const apiKeyCalls = (edge: () => Edge) => ({
  create: (body: object = {}, key = edge().key): Promise<EdgeAnswer> =>
    edge().call({ method: 'POST', path: API_KEYS_PATH, key, body: { name: 'ci', ...body } }),
  one: (id: string, method = 'GET', key = edge().key): Promise<EdgeAnswer> =>
    edge().call({ method, path: `${API_KEYS_PATH}/${id}`, key }),
  isAccepted: async (key: string): Promise<boolean> => (await edge().call({ key })).status !== 401,
});
