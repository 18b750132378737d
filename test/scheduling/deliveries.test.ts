import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { insertOverdue, makeDue } from '../support/world/scheduled.ts';
import { openStream } from '../support/world/stream-reader.ts';
import { waitFor } from '../support/check/wait-for.ts';

const HOUR_MS = 3_600_000;

let posthorn: TestPosthorn;
const receivers: Receiver[] = [];
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(() => posthorn.stop());

async function subscribed(): Promise<{ channelId: string; receiver: Receiver }> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  return { channelId, receiver };
}

const statusOf = async (id: string): Promise<unknown> =>
  (await posthorn.request('GET', `/v1/messages/${id}`)).body['deliveryStatus'];

test('a message arrives at its time, not before, with that time, its trace and the id that it was accepted under', async () => {
  const { channelId, receiver } = await subscribed();
  const reader = await openStream({ url: `${posthorn.url}/v1/channels/${channelId}/stream`, key: posthorn.keys.live });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const { body: accepted } = await posthorn.request<{ id: string; deliverAt: string; deliveryStatus: string }>(
    'POST',
    `/v1/channels/${channelId}/messages`,
    { eventType: 'order.reminded', payload: { n: 1 }, delay: 1_500 },
    { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'shop=1' } },
  );
  expect(accepted.deliveryStatus).toBe('scheduled');

  await waitForDelivery(posthorn, accepted.id, 'delivered');

  const [request] = receiver.requests;
  expect(request?.at).toBeGreaterThanOrEqual(Date.parse(accepted.deliverAt));
  expect(request?.headers).toMatchObject({ 'webhook-id': accepted.id, tracestate: 'shop=1' });
  expect(request?.headers['traceparent']).toContain(traceId);
  expect(JSON.parse(request?.body ?? '')).toMatchObject({
    id: accepted.id,
    timestamp: accepted.deliverAt,
    data: { n: 1 },
  });
  const [event] = await reader.waitForEvents(1);
  expect(JSON.parse(event?.data ?? '')).toMatchObject({ id: accepted.id, publishedAt: accepted.deliverAt });
  reader.close();
  expect([receiver.countOf(accepted.id), await statusOf(accepted.id)]).toEqual([1, 'delivered']);
});

test('a message cancelled before its time does not arrive, and one that is due after it does', async () => {
  const { channelId, receiver } = await subscribed();
  const cancelled = await publish(posthorn, channelId, { delay: HOUR_MS });
  await posthorn.request('POST', `/v1/messages/${cancelled.id}/cancel`);
  const later = await publish(posthorn, channelId, { delay: HOUR_MS });
  await makeDue(posthorn.deps.pool, channelId);

  await waitForDelivery(posthorn, later.id, 'delivered');

  expect([receiver.countOf(cancelled.id), await statusOf(cancelled.id)]).toEqual([0, 'cancelled']);
});

test('a message that a filter lets through arrives, and so does what is due in another channel', async () => {
  const { channelId, receiver } = await subscribed();
  const filtered = await startReceiver();
  receivers.push(filtered);
  const { id: filteredChannelId } = await createChannel(posthorn);
  const filter = 'payload.a.filter(x, x > 5).size() == 400';
  await createSubscription(posthorn, { channelId: filteredChannelId, webhookUrl: filtered.url, filter });
  const payload = JSON.stringify({ a: Array.from({ length: 1_000 }, (_, n) => n % 10) });

  const wanted = await insertOverdue(posthorn, filteredChannelId, { agoMs: 60_000, count: 3, payload });
  const [plain = ''] = await insertOverdue(posthorn, channelId, { agoMs: 60_000 });

  for (const id of [plain, ...wanted]) await waitForDelivery(posthorn, id, 'delivered');
  expect([receiver.countOf(plain), ...wanted.map((id) => filtered.countOf(id))]).toEqual([1, 1, 1, 1]);
});

test('a message whose channel is paused at its time arrives once the channel is active again', async () => {
  const { channelId, receiver } = await subscribed();
  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'paused' });
  const [id = ''] = await insertOverdue(posthorn, channelId, { agoMs: 60_000 });
  await waitFor('the worker to have looked at it', async () => {
    const row = await posthorn.deps.db.scheduledMessage.findUniqueOrThrow({ where: { id } });
    return row.dueAt === null;
  });
  expect([receiver.countOf(id), await statusOf(id)]).toEqual([0, 'scheduled']);

  await posthorn.request('PATCH', `/v1/channels/${channelId}`, { status: 'active' });

  await waitForDelivery(posthorn, id, 'delivered');
  expect(receiver.countOf(id)).toBe(1);
});

test('messages that became due while no worker was there arrive with the next one, once, in the order of their times', async () => {
  const { channelId, receiver } = await subscribed();
  await posthorn.worker.stop();
  const [first = ''] = await insertOverdue(posthorn, channelId, { agoMs: 600_000 });
  const [second = ''] = await insertOverdue(posthorn, channelId, { agoMs: 300_000 });
  const atOnce = await publish(posthorn, channelId);

  await posthorn.worker.start();

  for (const id of [first, second, atOnce.id]) await waitForDelivery(posthorn, id, 'delivered');
  expect([first, second, atOnce.id].map((id) => receiver.countOf(id))).toEqual([1, 1, 1]);
  const { body } = await posthorn.request<{ data: { id: string }[] }>('GET', `/v1/channels/${channelId}/messages`);
  expect(body.data.map(({ id }) => id)).toEqual([atOnce.id, second, first]);
});

test('a replay of that time sends a message that was published late again, and one that follows it misses nothing', async () => {
  const { channelId, receiver } = await subscribed();
  const [late = ''] = await insertOverdue(posthorn, channelId, { agoMs: 600_000 });
  await waitForDelivery(posthorn, late, 'delivered');
  const follower = await startReceiver();
  receivers.push(follower);
  await createSubscription(posthorn, {
    channelId,
    webhookUrl: follower.url,
    startFrom: new Date(Date.now() - HOUR_MS).toISOString(),
  });
  const [later = ''] = await insertOverdue(posthorn, channelId, { agoMs: 500_000 });
  await waitFor('both at the follower', () => follower.countOf(late) === 1 && follower.countOf(later) === 1);
  await waitFor('the later one at the first', () => receiver.countOf(later) === 1);
  expect(receiver.countOf(late)).toBe(1);
});
