import { request } from 'undici';
import { RETRY_POLICY, type Target } from '../fixture.ts';

/** A running service and a key with every scope of its environment. */
type Access = { url: string; key: string };

/** Creates one channel with a subscription for every URL, through the API, which is the same in every version. */
export async function createTarget(access: Access, urls: readonly string[]): Promise<Target> {
  const { id: channelId } = await call<{ id: string }>(access, '/v1/channels', { name: 'Benchmark' });
  const subscriptionIds: string[] = [];
  for (const webhookUrl of urls) {
    const body = { channelId, webhookUrl, retryPolicy: RETRY_POLICY };
    subscriptionIds.push((await call<{ id: string }>(access, '/v1/subscriptions', body)).id);
  }
  return { channelId, subscriptionIds };
}

/** Returns how many subscriptions have a delivery without a recorded result, counted up to the first one. */
export async function countUnfinished(access: Access, { subscriptionIds }: Target): Promise<number> {
  for (const subscriptionId of subscriptionIds) {
    for (const status of ['pending', 'retrying']) {
      const query = new URLSearchParams({ subscriptionId, status, limit: '1' });
      const { data } = await call<{ data: unknown[] }>(access, `/v1/deliveries?${query.toString()}`);
      if (data.length > 0) return 1;
    }
  }
  return 0;
}

async function call<Answer>({ url, key }: Access, path: string, body?: object): Promise<Answer> {
  const response = await request(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.body.text();
  if (response.statusCode >= 300) throw new Error(`${path} was answered ${response.statusCode}: ${text.slice(0, 300)}`);
  // The service's own response, in the shape that its API documents.
  return JSON.parse(text) as Answer;
}
