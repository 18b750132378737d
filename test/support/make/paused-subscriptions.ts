import type { TestPosthorn } from '../service/posthorn.ts';
import { createSubscription } from './factories.ts';

/** Adds a given number of paused subscriptions to a channel, copies of the first one. */
export async function addPausedSubscriptions(
  posthorn: TestPosthorn,
  channelId: string,
  count: number,
  filter?: string,
): Promise<void> {
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in', filter });
  await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
  await posthorn.deps.pool.query(
    `INSERT INTO subscriptions SELECT (jsonb_populate_record(s, jsonb_build_object('id', posthorn_id('sub')))).*
     FROM subscriptions s, generate_series(2, $2) WHERE s.id = $1`,
    [id, count],
  );
}
