import { createChannel, type PageJson } from './factories.ts';
import type { Answer, TestPosthorn } from '../service/posthorn.ts';

export type Problem = { field: string; reason: string };
export type Refusal = { error: { code: string; message: string; details?: Problem } };
export type MessageJson = { id: string; warnings?: Problem[] };

export const ORDER = {
  type: 'object',
  required: ['amount'],
  properties: {
    amount: { type: 'number', minimum: 0 },
    currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    lines: { type: 'array', items: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } },
  },
};

/** Calls for channels with schemas and for publishing to them. */
export const schemaCalls = (posthorn: () => TestPosthorn) => ({
  channel: async (fields: Record<string, unknown>): Promise<string> => (await createChannel(posthorn(), fields)).id,
  patch: (id: string, body: unknown) => posthorn().request<Refusal>('PATCH', `/v1/channels/${id}`, body),
  publish: <T = MessageJson>(id: string, payload: unknown, eventType = 'order.created'): Promise<Answer<T>> =>
    posthorn().request<T>('POST', `/v1/channels/${id}/messages`, { eventType, payload }),
  messagesOf: async (id: string): Promise<unknown[]> =>
    (await posthorn().request<PageJson<unknown>>('GET', `/v1/channels/${id}/messages?limit=100`)).body.data,
});
