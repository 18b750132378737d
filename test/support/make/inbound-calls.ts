import { createHmac } from 'node:crypto';
import type { TestPosthorn } from '../service/posthorn.ts';

export type Named = { id: string } & Record<string, unknown>;
export type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };
export type Received = { received: boolean; messageId: string };
export type Arrived = {
  id: string;
  outcome: string;
  isSample: boolean;
  eventId?: string;
  messageId?: string;
  eventType?: string;
  reason?: string;
  receivedAt: string;
};
type Logged = { data: { reason: string; detail: string; eventId?: string }[] };
type Shown = { eventType: string; payload: unknown; metadata: object; deliveryStatus: string };

/** The secret of webhooks for which a test sets none. */
export const SECRET = 'a secret that both sides know';

/** Headers of a request as GitHub sends it. */
export const github = (body: string, id: string, secret = SECRET): Record<string, string> => ({
  'content-type': 'application/json',
  'x-github-event': 'push',
  'x-github-delivery': id,
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

/** Calls of inbound webhooks, and requests sent to them. */
export function inboundCalls(posthorn: TestPosthorn) {
  const make = async (path: string, body: object): Promise<Named> => {
    const { status, body: made } = await posthorn.request<Named>('POST', path, body);
    if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${JSON.stringify(made)}`);
    return made;
  };
  const listOf = async <T>(path: string): Promise<T[]> =>
    (await posthorn.request<{ data: T[] }>('GET', path)).body.data;
  return {
    make,
    /** Creates a channel and a webhook for it: GitHub's scheme unless the fields name another. */
    async makeWebhook(fields: object = {}, channelFields: object = {}): Promise<{ webhook: Named; channelId: string }> {
      const channel = await make('/v1/channels', { name: 'in', ...channelFields });
      const sender = { ...('scheme' in fields ? {} : { provider: 'github' }), secrets: [SECRET] };
      const webhook = await make('/v1/webhooks', { name: 'in', channelId: channel.id, ...sender, ...fields });
      return { webhook, channelId: channel.id };
    },
    send: <T = Received>(webhookId: string, body: string, headers: Record<string, string>, query = '') =>
      posthorn.request<T>('POST', `/v1/webhooks/${webhookId}${query}`, body, { key: null, headers }),
    messageOf: async (id: string): Promise<Shown> => (await posthorn.request<Shown>('GET', `/v1/messages/${id}`)).body,
    messagesIn: (channelId: string) => listOf<{ id: string }>(`/v1/channels/${channelId}/messages?limit=100`),
    requestsTo: (id: string, query = '') => listOf<Arrived>(`/v1/webhooks/${id}/requests${query}`),
    refusalsOf: (id: string, query = '') => listOf<Logged['data'][number]>(`/v1/webhooks/${id}/refusals${query}`),
  };
}
