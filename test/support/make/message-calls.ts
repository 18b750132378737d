import type { PageJson } from './factories.ts';
import type { Answer, TestPosthorn } from '../service/posthorn.ts';
import { createDuePublisher, makeDue, publishAllDue } from '../world/scheduled.ts';

export type MessageJson = {
  id: string;
  channelId: string;
  eventType: string;
  payload: Record<string, unknown>;
  metadata?: Record<string, string>;
  publishedAt: string;
  deliverAt?: string;
  deliveryStatus: string;
  cancelledAt?: string;
};
export type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };

type Accepted = { count: number; ids: string[]; status: string };

/** Calls that publish to one channel and read its messages and deliveries. `channelId` is evaluated at each call. */
export const messageCalls = (posthorn: () => TestPosthorn, channelId: () => string) => {
  const path = (): string => `/v1/channels/${channelId()}/messages`;
  return {
    path,
    send: <T = MessageJson>(body: unknown): Promise<Answer<T>> => posthorn().request<T>('POST', path(), body),
    sendBatch: <T = Accepted>(messages: unknown): Promise<Answer<T>> =>
      posthorn().request<T>('POST', `${path()}/batch`, { messages }),
    /** The channel's published messages: at most 100, newest first. */
    list: async (query = ''): Promise<MessageJson[]> =>
      (await posthorn().request<PageJson<MessageJson>>('GET', `${path()}?limit=100&${query}`)).body.data,
  };
};

/** Calls for messages that wait for their scheduled time. */
export const scheduledCalls = (posthorn: () => TestPosthorn, channelId: () => string) => ({
  get: (id: string): Promise<Answer<MessageJson>> => posthorn().request('GET', `/v1/messages/${id}`),
  cancel: (id: string): Promise<Answer<MessageJson & Refusal>> =>
    posthorn().request('POST', `/v1/messages/${id}/cancel`),
  listScheduled: async (query = ''): Promise<MessageJson[]> => {
    const path = `/v1/channels/${channelId()}/scheduled${query}`;
    return (await posthorn().request<PageJson<MessageJson>>('GET', path)).body.data;
  },
  /** Publishes everything scheduled in the channel, as if its time had come. */
  publishDue: async (): Promise<void> => {
    await makeDue(posthorn().deps.pool, channelId());
    await publishAllDue(createDuePublisher(posthorn()));
  },
});
