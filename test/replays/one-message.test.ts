import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  createChannel,
  createSubscription,
  type DeliveryJson,
  type PageJson,
  publish,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

type ErrorJson = { code: string; message: string; details: { field: string; reason: string } };
type LetterJson = { status: string; deliveryId: string; replayedBy?: string };

let posthorn: TestPosthorn;
const receivers = createReceivers();
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterEach(receivers.end);
afterAll(() => posthorn.stop());

const replay = (messageId: string, subscriptionId: string) =>
  posthorn.request<DeliveryJson & { error?: ErrorJson }>('POST', `/v1/messages/${messageId}/replay`, {
    subscriptionId,
  });

const deliveriesOf = async (messageId: string): Promise<DeliveryJson[]> =>
  (await posthorn.request<PageJson<DeliveryJson>>('GET', `/v1/deliveries?messageId=${messageId}`)).body.data;

const delivered = (id: string): Promise<DeliveryJson> =>
  waitFor(`${id} to be delivered`, async () => {
    const { body } = await posthorn.request<DeliveryJson>('GET', `/v1/deliveries/${id}`);
    return body.status === 'delivered' && body;
  });

/** A channel with one subscription. */
async function subscribed(answers: number[] = [200], fields: Record<string, unknown> = {}) {
  const receiver = await receivers.start({ answers });
  const { id: channelId } = await createChannel(posthorn);
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, ...fields });
  return { receiver, channelId, id };
}

const refusal = ({ status, body }: Awaited<ReturnType<typeof replay>>) => [
  status,
  body.error?.code,
  body.error?.details.field,
];

test.each([
  ['was not there then', {}],
  ['leaves it out by its filter', { filter: 'payload.n == 2' }],
  ['leaves it out by its event types', { eventTypes: ['bill.*'] }],
])('a message goes to a subscription that %s, and to no other one', async (_, fields) => {
  const { receiver: first, channelId } = await subscribed();
  const message = await publish(posthorn, channelId);
  await waitForDelivery(posthorn, message.id, 'delivered');
  const late = await receivers.start({ answers: [200] });
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: late.url, ...fields });

  const asked = await replay(message.id, id);

  expect([asked.status, asked.body]).toMatchObject([
    202,
    { messageId: message.id, subscriptionId: id, eventType: 'order.created', attempts: 0 },
  ]);
  expect(await delivered(asked.body.id)).toMatchObject({ attempts: 1 });
  expect([first.countOf(message.id), late.countOf(message.id)]).toEqual([1, 1]);
  expect(late.requests[0]?.body).toBe(first.requests[0]?.body);
  const { body } = await posthorn.request('GET', `/v1/messages/${message.id}`);
  expect(body).toMatchObject({ deliveryStatus: 'delivered' });
});

test('a delivered message is sent again by the delivery that there is', async () => {
  const { receiver, channelId, id } = await subscribed();
  const message = await publish(posthorn, channelId);
  const { id: deliveryId } = await waitForDelivery(posthorn, message.id, 'delivered');

  const asked = await replay(message.id, id);

  expect([asked.status, asked.body.id, asked.body.attemptsOfRound]).toEqual([202, deliveryId, 0]);
  await waitFor('its second arrival', () => receiver.countOf(message.id) === 2);
  expect(await delivered(deliveryId)).toMatchObject({ attempts: 2, attemptsOfRound: 1 });
  expect(await deliveriesOf(message.id)).toHaveLength(1);
});

test('the dead letter of a failed one is closed, in the name of the one who asked', async () => {
  const { channelId, id } = await subscribed([500, 200], { retryPolicy: { maxRetries: 0 } });
  const message = await publish(posthorn, channelId);
  const { id: deliveryId } = await waitForDelivery(posthorn, message.id, 'failed');

  expect((await replay(message.id, id)).status).toBe(202);

  await delivered(deliveryId);
  const letters = await posthorn.request<PageJson<LetterJson>>('GET', `/v1/dlq?subscriptionId=${id}`);
  expect(letters.body.data).toMatchObject([
    { deliveryId, status: 'replayed', replayedBy: expect.stringMatching(/^key_/) },
  ]);
});

test('to a paused subscription it waits for the resume; a delivery under way is named and left alone', async () => {
  const { channelId } = await subscribed();
  const message = await publish(posthorn, channelId);
  const receiver = await receivers.start({ answers: [200] });
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, status: 'paused' });

  // Two at once make one delivery.
  const asked = await Promise.all([replay(message.id, id), replay(message.id, id)]);
  const [made, refused] = asked.toSorted((one, other) => one.status - other.status);
  if (made === undefined || refused === undefined) throw new Error('two answers were asked for');

  expect([made.status, made.body]).toMatchObject([202, { status: 'pending', held: { reason: 'paused' } }]);
  for (const later of [refused, await replay(message.id, id)]) {
    expect(refusal(later)).toEqual([409, 'CONFLICT', 'subscriptionId']);
    expect(later.body.error?.details.reason).toContain(made.body.id);
  }
  expect((await deliveriesOf(message.id)).filter(({ subscriptionId }) => subscriptionId === id)).toHaveLength(1);
  await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
  expect(await delivered(made.body.id)).toMatchObject({ attempts: 1 });
  expect(receiver.countOf(message.id)).toBe(1);
});

test('a subscription of another channel, one that is deleted and one that was never there are refused with the field', async () => {
  const { channelId } = await subscribed();
  const message = await publish(posthorn, channelId);
  await waitForDelivery(posthorn, message.id, 'delivered');
  const { id: elsewhere } = await subscribed();
  const gone = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/in' });
  await posthorn.request('DELETE', `/v1/subscriptions/${gone.id}`);

  for (const id of [elsewhere, gone.id, `sub_01m${'0'.repeat(23)}`, 'x', ''])
    expect([id, refusal(await replay(message.id, id))]).toEqual([id, [400, 'INVALID_REQUEST', 'subscriptionId']]);
  expect(await deliveriesOf(message.id)).toHaveLength(1);
});

test('a test message goes to its own subscription alone', async () => {
  const { receiver, channelId, id } = await subscribed();
  const other = await receivers.start({ answers: [200] });
  const { id: otherId } = await createSubscription(posthorn, { channelId, webhookUrl: other.url });
  const sent = await posthorn.request<{ id: string }>('POST', `/v1/subscriptions/${id}/test`, {});
  const { id: deliveryId } = await waitForDelivery(posthorn, sent.body.id, 'delivered');

  expect(refusal(await replay(sent.body.id, otherId))).toEqual([400, 'INVALID_REQUEST', 'subscriptionId']);
  expect(await replay(sent.body.id, id)).toMatchObject({ status: 202, body: { id: deliveryId } });

  await waitFor('its second arrival', () => receiver.countOf(sent.body.id) === 2);
  expect(other.requests).toEqual([]);
});

test('a message that is erased, not published, taken back or not there is refused', async () => {
  const { channelId, id } = await subscribed();
  const erased = await publish(posthorn, channelId);
  await waitForDelivery(posthorn, erased.id, 'delivered');
  await posthorn.request('DELETE', `/v1/messages/${erased.id}`);
  const waiting = await publish(posthorn, channelId, { delay: 3_600_000 });
  const cancelled = await publish(posthorn, channelId, { delay: 3_600_000 });
  await posthorn.request('POST', `/v1/messages/${cancelled.id}/cancel`);

  for (const message of [erased, waiting, cancelled])
    expect(refusal(await replay(message.id, id))).toEqual([409, 'CONFLICT', 'messageId']);
  expect((await replay(`msg_01m${'0'.repeat(23)}`, id)).status).toBe(404);
  const deliveries = await Promise.all([erased, waiting, cancelled].map((message) => deliveriesOf(message.id)));
  expect(deliveries.map((rows) => rows.map(({ attempts }) => attempts))).toEqual([[1], [], []]);
});
