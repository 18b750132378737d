import type { InspectedRequest, Inspector } from '../../../src/insight/inspectors/schema.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { make } from './seed.ts';

export type Shown = Omit<InspectedRequest, 'arrivedAt'> & { arrivedAt: string };
export type Row = Omit<Shown, 'headers' | 'body' | 'encoding' | 'isCut'>;
export type List<T> = { data: T[]; pagination: { cursor?: string; hasMore: boolean } };
export type Named = { id: string };

/** Sends an unauthenticated request. */
export const post = (url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', body: typeof body === 'string' ? body : new Uint8Array(body), headers });

/** Calls of inspectors, and requests sent to them. */
export function inspectorCalls(posthorn: TestPosthorn) {
  const key = posthorn.keys.live;
  const rowsOf = async (id: string): Promise<Row[]> =>
    (await posthorn.request<List<Row>>('GET', `/v1/inspectors/${id}/requests`)).body.data;
  return {
    rowsOf,
    /** Creates an inspector; returns its address at the port of this test. */
    async makeInspector(fields: object = {}): Promise<{ id: string; url: string; inspector: Inspector }> {
      const made = await make(posthorn, key, '/v1/inspectors', { name: 'see', ...fields });
      // `as`: every response is checked against its schema.
      const inspector = made as unknown as Inspector;
      return { id: inspector.id, url: `${posthorn.url}/inspect/${inspector.id}`, inspector };
    },
    async newestOf(id: string): Promise<Shown> {
      const [row] = await rowsOf(id);
      return (await posthorn.request<Shown>('GET', `/v1/inspected-requests/${row?.id}`)).body;
    },
    /** Creates a subscription to an address, and publishes a message to its channel. */
    async publishTo(webhookUrl: string): Promise<{ channelId: string; subscriptionId: string; messageId: string }> {
      const channel = await make(posthorn, key, '/v1/channels', { name: 'orders' });
      const subscription = await make(posthorn, key, '/v1/subscriptions', { channelId: channel.id, webhookUrl });
      const sent = { eventType: 'order.created', payload: { total: 1 } };
      const message = await make(posthorn, key, `/v1/channels/${channel.id}/messages`, sent);
      return { channelId: channel.id, subscriptionId: subscription.id, messageId: message.id };
    },
  };
}
