import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { endOfDeletedSubscriptions } from '../../src/deliveries/statements/end.ts';
import { createChannel, createSubscription, publishBatch } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { holding } from '../support/service/held-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

// More than the transaction of a deletion ends itself, for two subscriptions.
const BACKLOG = 4_000;

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

/** A channel with two subscriptions, and `messages` deliveries of each. */
async function delivering(messages: number): Promise<{ channelId: string; subscriptionId: string }> {
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
  const { id: subscriptionId } = await createSubscription(posthorn, {
    channelId,
    webhookUrl: 'http://127.0.0.1:4000/',
  });
  await publishBatch(posthorn, channelId, messages);
  return { channelId, subscriptionId };
}

async function unfinishedOf(column: 'channel_id' | 'subscription_id', id: string): Promise<number> {
  const { rows } = await posthorn.deps.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries
     WHERE ${column} = $1 AND (due_at IS NOT NULL OR failure_reason IS DISTINCT FROM 'subscription_deleted')`,
    [id],
  );
  return rows[0]?.count ?? -1;
}

/** The status of a deletion, or that it waits for a lock. */
async function deletionOf(path: string): Promise<number | 'waits'> {
  let status: number | undefined;
  const deletion = posthorn.request('DELETE', path).then((answer) => (status = answer.status));
  const waits = waitFor('an answer, or a statement that waits', async () => {
    const { rows } = await posthorn.deps.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return status !== undefined || rows.length > 0;
  });
  return Promise.race([deletion, waits.then(() => status ?? ('waits' as const))]);
}

// Old: the deletion waited for rows that a claim or a record had locked, which waited for rows of the deletion: 503, a deadlock.
test.each(['channel', 'subscription'] as const)(
  'a %s is deleted while another statement has locked one of its deliveries, which ends later',
  async (kind) => {
    const { channelId, subscriptionId } = await delivering(5);
    const [column, id] =
      kind === 'channel' ? (['channel_id', channelId] as const) : (['subscription_id', subscriptionId] as const);
    const locked = `SELECT FROM deliveries WHERE id = (SELECT min(id) FROM deliveries WHERE ${column} = $1) FOR UPDATE`;
    const { pool } = posthorn.deps;

    const outcome = await holding(pool, [locked, id], () => deletionOf(`/v1/${kind}s/${id}`));

    expect([outcome, await unfinishedOf(column, id)]).toEqual([204, 1]);
    await endOfDeletedSubscriptions(pool);
    expect(await unfinishedOf(column, id)).toBe(0);
  },
);

test('all deliveries of a long backlog have ended when the deletion of their channel is answered', async () => {
  const { channelId } = await delivering(1);
  await posthorn.deps.pool.query(
    `WITH added AS (
       INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), environment_id, channel_id, event_type, payload, published_at
       FROM messages CROSS JOIN generate_series(1, $2) WHERE channel_id = $1 RETURNING *
     )
     INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, due_at, created_at,
                             max_retries, initial_delay, max_delay, backoff_multiplier)
     SELECT posthorn_id('dlv'), m.environment_id, m.channel_id, m.id, s.id, m.event_type, now(), now(),
            s.max_retries, s.initial_delay, s.max_delay, s.backoff_multiplier
     FROM added m JOIN subscriptions s ON s.channel_id = m.channel_id`,
    [channelId, BACKLOG],
  );

  const { status } = await posthorn.request('DELETE', `/v1/channels/${channelId}`);

  expect([status, await unfinishedOf('channel_id', channelId)]).toEqual([204, 0]);
});

test('the reconciler ends what a deletion has left, however much it is', async () => {
  const { channelId } = await delivering(3);
  await posthorn.deps.pool.query('UPDATE subscriptions SET deleted_at = now() WHERE channel_id = $1', [channelId]);

  await endOfDeletedSubscriptions(posthorn.deps.pool);

  expect(await unfinishedOf('channel_id', channelId)).toBe(0);
});
