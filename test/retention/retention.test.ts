import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { historyOf, insertAged } from '../support/make/aged.ts';
import { createChannel, publish } from '../support/make/factories.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';
import { type RetentionScene, setRetentionScene } from '../support/make/retention-scene.ts';

let scene: RetentionScene;
let posthorn: TestPosthorn;
let channelId: string;
let subscriptionId: string;

beforeAll(async () => {
  scene = await setRetentionScene();
  ({ posthorn } = scene);
});
beforeEach(async () => {
  await scene.reset();
  ({ channelId, subscriptionId } = scene);
});
afterAll(() => posthorn.stop());

test('messages older than their channel keeps them go with deliveries, attempts and dead letters; all others stay', async () => {
  const younger = await scene.aged(0.99);
  const { id: otherChannel } = await createChannel(posthorn, { retentionDays: 3 });
  const other = await insertAged(posthorn, { channelId: otherChannel, subscriptionIds: [], ageDays: 2 });
  await scene.aged(1.01);
  await scene.aged(2, 'discarded');
  await insertAged(posthorn, { channelId, subscriptionIds: [], ageDays: 300 });

  expect(await scene.pass()).toMatchObject({ messages: 3, kept: 0, deliveries: 2, attempts: 2, deadLetters: 1 });

  expect(await scene.messageIds()).toEqual([other, younger]);
  expect(await historyOf(posthorn)).toEqual({ messages: 2, deliveries: 1, attempts: 1, deadLetters: 0 });
  expect(await scene.pass()).toMatchObject({ messages: 0, kept: 0, deliveries: 0, subscriptions: 0, channels: 0 });
});

test('a shorter retentionDays holds at the next pass', async () => {
  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { retentionDays: 30 });
  await scene.aged(10);
  expect(await scene.pass()).toMatchObject({ messages: 0 });

  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { retentionDays: 9 });

  expect(await scene.pass()).toMatchObject({ messages: 1, attempts: 1 });
});

test('a message with an unfinished delivery or an open dead letter stays until that is settled', async () => {
  const second = await scene.subscribe();
  const half = await insertAged(posthorn, { channelId, subscriptionIds: [subscriptionId, second], ageDays: 2 });
  await posthorn.deps.db.delivery.updateMany({
    where: { messageId: half, subscriptionId: second },
    data: { status: 'pending', dueAt: new Date() },
  });
  const open = await scene.aged(3, 'open');
  const { id: letterId } = await posthorn.deps.db.deadLetter.findFirstOrThrow({ where: { messageId: open } });
  await scene.aged(4);

  expect(await scene.pass()).toMatchObject({ messages: 1, kept: 2 });
  expect(await scene.messageIds()).toEqual([open, half]);
  expect(await historyOf(posthorn)).toMatchObject({ deliveries: 3, attempts: 3, deadLetters: 1 });

  await posthorn.request('DELETE', `/v1/dlq/${letterId}`);
  expect(await scene.pass()).toMatchObject({ messages: 1, kept: 1, deadLetters: 1 });
  await posthorn.deps.db.delivery.updateMany({ where: { messageId: half }, data: { status: 'failed', dueAt: null } });
  expect(await scene.pass()).toMatchObject({ messages: 1, kept: 0 });
  expect(await historyOf(posthorn)).toEqual({ messages: 0, deliveries: 0, attempts: 0, deadLetters: 0 });
});

test('a deleted channel keeps its history until retention, then loses it, its subscriptions and itself', async () => {
  const young = await scene.aged(0.5);
  await scene.aged(2, 'open');
  await posthorn.request('DELETE', `/v1/channels/${channelId}`);
  const rowsOf = async (): Promise<unknown[]> => [
    await posthorn.deps.db.channel.count({ where: { id: channelId } }),
    await posthorn.deps.db.subscription.count({ where: { channelId } }),
    await posthorn.deps.db.subscriptionSecret.count({ where: { subscriptionId } }),
  ];

  // Its dead letter cannot be replayed any more, so it keeps nothing.
  expect(await scene.pass()).toMatchObject({ messages: 1, kept: 0, deadLetters: 1, subscriptions: 0, channels: 0 });
  const list = await posthorn.request<{ data: unknown[] }>('GET', `/v1/channels/${channelId}/messages`);
  expect(list.body.data).toMatchObject([{ id: young }]);

  await posthorn.deps.pool.query('TRUNCATE messages, deliveries, attempts');
  expect(await scene.pass()).toMatchObject({ subscriptions: 0, channels: 0 });
  expect(await rowsOf()).toEqual([1, 1, 1]);

  const past = new Date(Date.now() - 1.01 * 86_400_000);
  await posthorn.deps.db.channel.updateMany({ where: { id: channelId }, data: { deletedAt: past } });
  await posthorn.deps.db.subscription.updateMany({ where: { channelId }, data: { deletedAt: past } });
  expect(await scene.pass()).toMatchObject({ subscriptions: 1, channels: 1 });
  expect(await rowsOf()).toEqual([0, 0, 0]);
  expect((await posthorn.request('GET', `/v1/channels/${channelId}/messages`)).status).toBe(404);
});

test('a cancelled message goes once it was cancelled for longer than its channel keeps messages, and what waits stays', async () => {
  const schedule = async (): Promise<string> => (await publish(posthorn, channelId, { delay: 3_600_000 })).id;
  const [older, younger, waiting] = [await schedule(), await schedule(), await schedule()];
  const cancelledFor = async (id: string, hours: number): Promise<void> => {
    await posthorn.request('POST', `/v1/messages/${id}/cancel`);
    await posthorn.deps.pool.query(
      'UPDATE scheduled_messages SET cancelled_at = now() - make_interval(hours => $2) WHERE id = $1',
      [id, hours],
    );
  };
  await cancelledFor(older, 25);
  await cancelledFor(younger, 23);

  expect(await scene.pass()).toMatchObject({ messages: 1, kept: 0 });

  const left = await posthorn.deps.db.scheduledMessage.findMany({ where: { channelId }, orderBy: { id: 'asc' } });
  expect(left.map(({ id }) => id)).toEqual([younger, waiting]);
});

test('a deleted channel stays as long as a message that was cancelled with it', async () => {
  await publish(posthorn, channelId, { delay: 3_600_000 });
  await posthorn.request('DELETE', `/v1/channels/${channelId}`);
  const age = (table: string, column: string, of: string): Promise<unknown> =>
    posthorn.deps.pool.query(`UPDATE ${table} SET ${column} = now() - interval '2 days' WHERE ${of} = $1`, [channelId]);
  await age('channels', 'deleted_at', 'id');
  await age('subscriptions', 'deleted_at', 'channel_id');
  expect(await scene.pass()).toMatchObject({ messages: 0, subscriptions: 1, channels: 0 });

  await age('scheduled_messages', 'cancelled_at', 'channel_id');

  expect(await scene.pass()).toMatchObject({ messages: 1, channels: 1 });
});

test('a deleted subscription goes with its secrets once it has no history; its channel and the living ones stay', async () => {
  const other = await scene.subscribe();
  const message = await scene.aged(0.5);
  await posthorn.request('DELETE', `/v1/subscriptions/${subscriptionId}`);
  const past = new Date(Date.now() - 2 * 86_400_000);
  await posthorn.deps.db.subscription.update({ where: { id: subscriptionId }, data: { deletedAt: past } });
  expect(await scene.pass()).toMatchObject({ subscriptions: 0 });

  await posthorn.deps.db.delivery.deleteMany({ where: { messageId: message } });
  expect(await scene.pass()).toMatchObject({ subscriptions: 1, channels: 0 });

  const left = await posthorn.deps.db.subscription.findMany({ where: { channelId }, select: { id: true } });
  expect(left).toEqual([{ id: other }]);
  expect(await posthorn.deps.db.subscriptionSecret.count({ where: { subscriptionId } })).toBe(0);
});

test('a deleted channel to which something still belongs stays, and the pass goes on', async () => {
  const past = new Date(Date.now() - 2 * 86_400_000);
  await posthorn.deps.db.channel.update({ where: { id: channelId }, data: { deletedAt: past } });
  const { id: empty } = await createChannel(posthorn, { retentionDays: 1 });
  await posthorn.deps.db.channel.update({ where: { id: empty }, data: { deletedAt: past } });

  expect(await scene.pass()).toMatchObject({ subscriptions: 0, channels: 1 });

  const left = await posthorn.deps.db.channel.findMany({ where: { id: { in: [channelId, empty] } } });
  expect(left.map(({ id }) => id)).toEqual([channelId]);
  await posthorn.request('DELETE', `/v1/subscriptions/${subscriptionId}`);
  await posthorn.deps.db.subscription.update({ where: { id: subscriptionId }, data: { deletedAt: past } });
  expect(await scene.pass()).toMatchObject({ subscriptions: 1, channels: 1 });
});
