import { createChannel, createSubscription } from './factories.ts';
import { startPosthorn, type TestPosthorn } from '../service/posthorn.ts';
import { type TableContents, tableContents } from '../check/table-contents.ts';
import { newIdempotencyKey, type SecondApi, startSecondApi } from '../service/two-apis.ts';

/** A response as text: a replayed one is identical to the last character. */
export type Sent = { status: number; text: string; replayed: string | null; headers: Headers };

/** Two API instances, and POSTs with an Idempotency-Key to them. */
export type KeyedPosts = {
  posthorn: TestPosthorn;
  second: SecondApi;
  /** Ids of the last `reset`. */
  channelId: string;
  subscriptionId: string;
  /** A channel, a subscription and a key that no other test has. */
  reset(): Promise<void>;
  messagesPath(): string;
  /** To the first instance, with the live API key and the key of this test unless told otherwise. A text is sent as it is. */
  send(path: string, body: unknown, options?: { as?: string; at?: string; apiKey?: string }): Promise<Sent>;
  contents(): Promise<TableContents>;
  stop(): Promise<void>;
};

export const MESSAGE = { eventType: 'order.created', payload: { n: 1 } };

export const errorOf = ({ text }: Sent) =>
  (JSON.parse(text) as { error: { code: string; details?: { field: string; reason: string } } }).error;

export async function startKeyedPosts(): Promise<KeyedPosts> {
  const posthorn = await startPosthorn({ withWorker: false });
  const second = await startSecondApi(posthorn);
  let key = '';
  const posts: KeyedPosts = {
    posthorn,
    second,
    channelId: '',
    subscriptionId: '',
    async reset() {
      posts.channelId = (await createChannel(posthorn)).id;
      const target = { channelId: posts.channelId, webhookUrl: 'https://example.com/in' };
      posts.subscriptionId = (await createSubscription(posthorn, target)).id;
      key = newIdempotencyKey();
    },
    messagesPath: () => `/v1/channels/${posts.channelId}/messages`,
    async send(path, body, { as = key, at = posthorn.url, apiKey } = {}) {
      const response = await fetch(at + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey ?? posthorn.keys.live}`,
          'idempotency-key': as,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const { status, headers } = response;
      return { status, text: await response.text(), replayed: headers.get('idempotent-replayed'), headers };
    },
    contents: () => tableContents(posthorn.deps.pool),
    async stop() {
      await second.stop();
      await posthorn.stop();
    },
  };
  return posts;
}
