import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { tellHighBacklogs } from '../../src/dispatch/recovery/backlog-events.ts';
import { systemChannelId } from '../../src/kernel/words/service-events.ts';
import {
  createChannel,
  createSubscription,
  deliveryOf,
  type PageJson,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';
import { serviceEvents, systemChannelOf } from '../support/make/system-channel.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
const receivers = createReceivers();

beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterEach(receivers.end);
afterAll(() => posthorn.stop());

const receiverOf = (answer: number): Promise<Receiver> => receivers.start({ answers: [answer] });

async function subscribed(answer: number, fields: Record<string, unknown> = {}) {
  const receiver = await receiverOf(answer);
  const channel = await createChannel(posthorn);
  const target = { channelId: channel.id, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } };
  const subscription = await createSubscription(posthorn, { ...target, ...fields });
  return { receiver, channelId: channel.id, subscriptionId: subscription.id };
}

const statusOf = async (id: string): Promise<unknown> =>
  (await posthorn.request('GET', `/v1/subscriptions/${id}`)).body['status'];
/** Its status, and why the service has disabled it. */
const reasonOf = async (id: string): Promise<object> => {
  const { status, disabledReason, statusChangedAt } = (await posthorn.request('GET', `/v1/subscriptions/${id}`)).body;
  expect(statusChangedAt).toEqual(expect.any(String));
  return { status, ...(disabledReason !== undefined && { disabledReason }) };
};
const failingSince = async (id: string): Promise<Date | null> =>
  (await posthorn.deps.db.subscription.findUniqueOrThrow({ where: { id } })).failingSince;
const setFailingSince = (id: string, interval: string): Promise<unknown> =>
  posthorn.deps.pool.query('UPDATE subscriptions SET failing_since = now() - $2::interval WHERE id = $1', [
    id,
    interval,
  ]);

test('a subscriber of the system channel is told of a dead letter, signed and with the ids to look it up', async () => {
  const listener = await receiverOf(200);
  await createSubscription(posthorn, {
    channelId: await systemChannelOf(posthorn),
    webhookUrl: listener.url,
    eventTypes: ['delivery.*'],
  });
  const { channelId, subscriptionId } = await subscribed(500);

  const message = await publish(posthorn, channelId);

  const request = await waitFor('the event', () => listener.requests[0]);
  const delivery = await waitForDelivery(posthorn, message.id, 'failed');
  const letters = await posthorn.request<PageJson<{ id: string }>>('GET', `/v1/dlq?subscriptionId=${subscriptionId}`);
  expect(JSON.parse(request.body)).toMatchObject({
    type: 'delivery.exhausted',
    channelId: await systemChannelOf(posthorn),
    data: {
      subscriptionId,
      channelId,
      deliveryId: delivery.id,
      messageId: message.id,
      deadLetterId: letters.body.data[0]?.id,
      reason: 'exhausted',
      attempts: 1,
    },
  });
  expect(request.headers['webhook-signature']).toMatch(/^v1,/);
});

test('a subscriber whose eventTypes name others is not told', async () => {
  const listener = await receiverOf(200);
  await createSubscription(posthorn, {
    channelId: await systemChannelOf(posthorn),
    webhookUrl: listener.url,
    eventTypes: ['backlog.high'],
  });
  const { channelId } = await subscribed(500);
  const message = await publish(posthorn, channelId);
  await waitForDelivery(posthorn, message.id, 'failed');
  const marker = await subscribed(200);
  const other = await publish(posthorn, marker.channelId);
  await waitForDelivery(posthorn, other.id, 'delivered');

  expect(listener.requests).toEqual([]);
});

test('failures of events themselves cause no event', async () => {
  const channelId = await systemChannelOf(posthorn);
  const broken = await receiverOf(410);
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: broken.url, eventTypes: ['delivery.*'] });
  const failing = await subscribed(500);

  await publish(posthorn, failing.channelId);

  await waitFor('the dead letter of the event', async () => (await statusOf(id)) === 'disabled');
  const letters = await posthorn.request<PageJson<object>>('GET', `/v1/dlq?subscriptionId=${id}`);
  expect(letters.body.data).toMatchObject([{ reason: 'gone', channelId }]);
  for (const eventType of ['delivery.exhausted', 'subscription.disabled'] as const) {
    expect((await serviceEvents(posthorn, eventType)).filter(({ subscriptionId }) => subscriptionId === id)).toEqual(
      [],
    );
  }
});

test('the system channel can be neither changed, deleted nor published to, and its subscriptions can be tested', async () => {
  const channelId = await systemChannelOf(posthorn);
  const listener = await receiverOf(200);
  const subscription = await createSubscription(posthorn, {
    channelId,
    webhookUrl: listener.url,
    eventTypes: ['none'],
  });
  const event = { eventType: 'order.created', payload: {} };

  const refused = [
    await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' }),
    await posthorn.request('DELETE', `/v1/channels/${channelId}`),
    await posthorn.request('POST', `/v1/channels/${channelId}/messages`, event),
    await posthorn.request('POST', `/v1/channels/${channelId}/messages/batch`, { messages: [event] }),
  ];

  for (const { status, body } of refused)
    expect({ status, body }).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
  const tested = await posthorn.request<{ id: string }>('POST', `/v1/subscriptions/${subscription.id}/test`);
  expect(tested.status).toBe(202);
  await waitForDelivery(posthorn, tested.body.id, 'delivered');
  expect(listener.requests).toHaveLength(1);
});

test('each environment has its own system channel', async () => {
  const other = await posthorn.request<PageJson<{ id: string; name: string }>>('GET', '/v1/channels', undefined, {
    key: posthorn.keys.test,
  });

  expect(other.body.data).toMatchObject([{ name: 'posthorn.system', status: 'active' }]);
  const environments = await posthorn.deps.db.environment.findMany({ orderBy: { kind: 'asc' } });
  // In SQL the id is derived beside systemChannelId.
  expect([await systemChannelOf(posthorn), other.body.data[0]?.id]).toEqual(
    environments.map(({ id }) => systemChannelId(id)),
  );
});

test('the first failure after a success is remembered, later ones change nothing, and a success forgets it', async () => {
  const { receiver, channelId, subscriptionId } = await subscribed(200);
  const deliver = async (status: 'delivered' | 'failed'): Promise<void> => {
    receiver.answerWith([status === 'delivered' ? 200 : 500]);
    await waitForDelivery(posthorn, (await publish(posthorn, channelId)).id, status);
  };
  await deliver('delivered');
  expect(await failingSince(subscriptionId)).toBeNull();

  await deliver('failed');
  const first = await failingSince(subscriptionId);
  expect(first).toBeInstanceOf(Date);
  await deliver('failed');
  expect(await failingSince(subscriptionId)).toEqual(first);
  await deliver('delivered');
  expect(await failingSince(subscriptionId)).toBeNull();
});

test('five days of nothing but failures disable the subscription, its deliveries queue, and resuming begins anew', async () => {
  const { receiver, channelId, subscriptionId } = await subscribed(500);
  await waitForDelivery(posthorn, (await publish(posthorn, channelId)).id, 'failed');
  await setFailingSince(subscriptionId, '4 days 23 hours');
  await waitForDelivery(posthorn, (await publish(posthorn, channelId)).id, 'failed');
  expect(await statusOf(subscriptionId)).toBe('active');
  await setFailingSince(subscriptionId, '5 days 1 minute');

  await waitForDelivery(posthorn, (await publish(posthorn, channelId)).id, 'failed');

  expect(await statusOf(subscriptionId)).toBe('disabled');
  const told = await serviceEvents(posthorn, 'subscription.disabled');
  expect(told.filter((event) => event.subscriptionId === subscriptionId)).toEqual([
    { subscriptionId, channelId, reason: 'failing', failingSince: (await failingSince(subscriptionId))?.toISOString() },
  ]);
  expect(await reasonOf(subscriptionId)).toEqual({ status: 'disabled', disabledReason: 'failing' });
  const queued = await publish(posthorn, channelId);
  expect(await deliveryOf(posthorn, queued.id)).toMatchObject({ status: 'pending', attempts: 0 });
  receiver.answerWith([500, 200]);
  await posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/resume`);
  await waitForDelivery(posthorn, queued.id, 'failed');
  expect(await reasonOf(subscriptionId)).toEqual({ status: 'active' });
});

test('a 410 is told of as gone', async () => {
  const { channelId, subscriptionId } = await subscribed(410);
  await waitForDelivery(posthorn, (await publish(posthorn, channelId)).id, 'failed');

  const told = await serviceEvents(posthorn, 'subscription.disabled');

  expect(told.filter((event) => event.subscriptionId === subscriptionId)).toMatchObject([
    { channelId, reason: 'gone' },
  ]);
  expect(await reasonOf(subscriptionId)).toEqual({ status: 'disabled', disabledReason: 'gone' });
  // Failures at another URL say nothing about this one.
  const another = { webhookUrl: 'https://example.com/another' };
  expect((await posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, another)).status).toBe(200);
  expect(await reasonOf(subscriptionId)).toEqual({ status: 'disabled' });
});

test('a high backlog is told of once, and again only after it was low', async () => {
  const { channelId, subscriptionId } = await subscribed(200, { rateLimit: 1, retryPolicy: {} });
  const told = async () =>
    (await serviceEvents(posthorn, 'backlog.high')).filter((event) => event.subscriptionId === subscriptionId);
  const setAge = (interval: string): Promise<unknown> =>
    posthorn.deps.pool.query(
      `UPDATE deliveries SET due_at = now() - $2::interval, holder = NULL, carrier = NULL WHERE subscription_id = $1 AND due_at IS NOT NULL`,
      [subscriptionId, interval],
    );
  await posthorn.worker.stop();
  await publishBatch(posthorn, channelId, 100);
  await setAge('6 minutes');

  await posthorn.worker.start();

  expect(await told()).toMatchObject([{ channelId, waiting: 100, oldestDueAt: expect.any(String) }]);
  expect(await tellHighBacklogs(posthorn.deps.pool)).toBe(0);
  await posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, { rateLimit: null });
  await waitFor('the backlog to go', async () => {
    const found = await posthorn.deps.db.delivery.count({ where: { subscriptionId, dueAt: { not: null } } });
    return found === 0;
  });
  expect(await tellHighBacklogs(posthorn.deps.pool)).toBe(0);
  expect(await told()).toHaveLength(1);
  await posthorn.worker.stop();
  await publish(posthorn, channelId);
  await setAge('6 minutes');
  await posthorn.worker.start();
  expect(await told()).toHaveLength(2);
});
