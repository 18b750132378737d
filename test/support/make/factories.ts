import type { Delivery } from '../../../src/delivery/record/schema.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { waitFor } from '../check/wait-for.ts';

/** A delivery as JSON: its times are strings. */
export type DeliveryJson = Omit<Delivery, 'createdAt' | 'lastAttemptAt' | 'nextRetryAt' | 'held'> & {
  createdAt: string;
  lastAttemptAt?: string;
  nextRetryAt?: string;
  held?: { reason: string; since: string; until?: string };
};

export type PageJson<T> = { data: T[]; pagination: { cursor?: string; hasMore: boolean } };

async function created<T>(posthorn: TestPosthorn, path: string, body: unknown, status: number): Promise<T> {
  const answer = await posthorn.request<T>('POST', path, body);
  if (answer.status !== status)
    throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export const createChannel = (posthorn: TestPosthorn, fields: Record<string, unknown> = {}): Promise<{ id: string }> =>
  created(posthorn, '/v1/channels', { name: 'orders', ...fields }, 201);

export const createSubscription = (
  posthorn: TestPosthorn,
  fields: { channelId: string; webhookUrl: string } & Record<string, unknown>,
): Promise<{ id: string }> => created(posthorn, '/v1/subscriptions', fields, 201);

/** Publishes one message, `order.created` unless told otherwise. */
export const publish = (
  posthorn: TestPosthorn,
  channelId: string,
  message: Record<string, unknown> = {},
): Promise<{ id: string; deliveryStatus: string; publishedAt: string }> =>
  created(
    posthorn,
    `/v1/channels/${channelId}/messages`,
    { eventType: 'order.created', payload: { n: 1 }, ...message },
    202,
  );

/** Publishes a batch of `count` messages; returns their ids. */
export async function publishBatch(posthorn: TestPosthorn, channelId: string, count: number): Promise<string[]> {
  const messages = Array.from({ length: count }, (_, n) => ({ eventType: 'order.created', payload: { n } }));
  return (await created<{ ids: string[] }>(posthorn, `/v1/channels/${channelId}/messages/batch`, { messages }, 202))
    .ids;
}

/** Returns the only delivery of a message with one subscriber. */
export async function deliveryOf(posthorn: TestPosthorn, messageId: string): Promise<DeliveryJson | undefined> {
  const { body } = await posthorn.request<PageJson<DeliveryJson>>('GET', `/v1/deliveries?messageId=${messageId}`);
  return body.data[0];
}

/** Waits until the message's delivery has that status. */
export const waitForDelivery = (
  posthorn: TestPosthorn,
  messageId: string,
  status: DeliveryJson['status'],
  withinMs?: number,
): Promise<DeliveryJson> =>
  waitFor(
    `delivery of ${messageId} ${status}`,
    async () => {
      const delivery = await deliveryOf(posthorn, messageId);
      return delivery?.status === status && delivery;
    },
    withinMs,
  );
