import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Service } from './find-service.ts';

const identified = z.object({ id: z.string() });
const accepted = z.object({ ids: z.array(z.string()) });
const delivery = z.object({ id: z.string(), messageId: z.string(), status: z.string(), attempts: z.number() });
const deadLetter = z.object({ id: z.string(), status: z.string() });
const message = z.object({ id: z.string(), deliveryStatus: z.string() });
const bulkReplay = z.object({ id: z.string(), status: z.string(), matched: z.number(), replayed: z.number() });
const preview = z.object({ matched: z.number() });
const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), pagination: z.object({ cursor: z.string().optional(), hasMore: z.boolean() }) });

export type DeliverySeen = z.output<typeof delivery>;
export type NewSubscription = {
  channelId: string;
  name: string;
  webhookUrl: string;
  eventTypes: string[];
  retryPolicy: { maxRetries: number; initialDelay: number; maxDelay: number; backoffMultiplier: number };
};

// Longer than the API ever takes for one request; it drains for 25 s.
const ANSWER_PATIENCE_MS = 30_000;

/** The endpoints that the demo uses. A refusal is thrown with the API's own sentence. */
export type Api = ReturnType<typeof createApi>;

export function createApi({ url, key }: Pick<Service, 'url' | 'key'>) {
  /** `body` may be a text, which is sent as it is. Waits as long as a 429 says, then asks again. */
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    for (;;) {
      const response = await fetch(url + path, {
        method,
        signal: AbortSignal.timeout(ANSWER_PATIENCE_MS),
        headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }).catch((cause: unknown) => {
        throw new Error(`${url} does not answer`, { cause });
      });
      const text = await response.text();
      if (response.ok) return text === '' ? undefined : JSON.parse(text);
      if (response.status !== 429) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
      await sleep(1000 * Number(response.headers.get('retry-after') ?? 1));
    }
  };
  const get = async <T extends z.ZodType>(schema: T, path: string): Promise<z.output<T>> =>
    schema.parse(await call('GET', path));
  const post = async <T extends z.ZodType>(schema: T, path: string, body?: unknown): Promise<z.output<T>> =>
    schema.parse(await call('POST', path, body));

  const listAll = async <T extends z.ZodType>(item: T, path: string): Promise<z.output<T>[]> => {
    const found: z.output<T>[] = [];
    for (let cursor = ''; ; ) {
      const page = await get(pageOf(item), `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`);
      found.push(...page.data);
      if (!page.pagination.hasMore) return found;
      cursor = `&cursor=${page.pagination.cursor ?? ''}`;
    }
  };

  return {
    createChannel: (name: string) => post(identified, '/v1/channels', { name }),
    deleteChannel: (id: string) => call('DELETE', `/v1/channels/${id}`),
    createSubscription: (subscription: NewSubscription) => post(identified, '/v1/subscriptions', subscription),
    secretOf: async (subscriptionId: string): Promise<string> =>
      (await get(z.object({ secret: z.string() }), `/v1/subscriptions/${subscriptionId}/secret`)).secret,

    /** `messages` are JSON texts: published payloads are compared with arrived ones, digit for digit. */
    publish: (channelId: string, text: string) => post(identified, `/v1/channels/${channelId}/messages`, text),
    publishBatch: (channelId: string, messages: string[]) =>
      post(accepted, `/v1/channels/${channelId}/messages/batch`, `{"messages":[${messages.join(',')}]}`),
    messagesOf: (channelId: string) => listAll(message, `/v1/channels/${channelId}/messages`),

    deliveriesOf: (subscriptionId: string) => listAll(delivery, `/v1/deliveries?subscriptionId=${subscriptionId}`),
    openDeadLettersOf: (channelId: string) => listAll(deadLetter, `/v1/dlq?channelId=${channelId}&status=open`),
    countReplayable: async (channelId: string): Promise<number> =>
      (await post(preview, '/v1/dlq/replay', { channelId, dryRun: true })).matched,
    replayDeadLetters: (channelId: string) => post(bulkReplay, '/v1/dlq/replay', { channelId }),
    bulkReplay: (id: string) => get(bulkReplay, `/v1/dlq/replay/${id}`),

    revokeKey: (id: string) => call('DELETE', `/v1/api-keys/${id}`),
  };
}
