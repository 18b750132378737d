import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type DeliveryScene, setDeliveryScene } from '../support/make/delivery-scene.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';

/**
 * The service's own API as a target. Old mechanism: nobody told the guard which addresses are own ones, so a subscription to
 * its own `/test`, with an API key in its headers, made 153 deliveries in 8 seconds.
 */
const REASON = 'must not be an address of this service or of what it runs on';
const ONE_TRY = { maxRetries: 0 };

type Refusal = { error: { code: string; details: { field: string; reason: string } } };
type Warned = { warnings?: { field: string; reason: string }[] };

let scene: DeliveryScene;
beforeAll(async () => {
  scene = await setDeliveryScene('off');
});
afterEach(() => scene.endReceivers());
afterAll(() => scene.end());

const portOf = (url: string): string => new URL(url).port;
/** The API's own port, spelt in ways of which each leads to it. */
const spellings = (): string[] =>
  ['localhost', '127.0.0.1', '127.0.0.2', '127.1', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]'].map(
    (host) => `http://${host}:${portOf(scene.posthorn.url)}`,
  );

test('an own address cannot be saved in any spelling, in a new subscription or a stored one, and nothing is changed', async () => {
  const { posthorn } = scene;
  const { receiver, channelId, subscriptionId } = await scene.subscribed([200]);
  const path = `/v1/subscriptions/${subscriptionId}`;
  const refused = { code: 'INVALID_REQUEST', details: { field: 'webhookUrl', reason: REASON } };
  for (const origin of spellings()) {
    const webhookUrl = `${origin}${path}/test`;
    const created = await posthorn.request<Refusal>('POST', '/v1/subscriptions', { channelId, webhookUrl });
    expect([created.status, created.body.error]).toMatchObject([400, refused]);
    const patched = await posthorn.request<Refusal>('PATCH', path, { name: 'other', webhookUrl });
    expect([patched.status, patched.body.error]).toMatchObject([400, refused]);
  }
  const { body } = await posthorn.request('GET', path);
  expect(body).toMatchObject({ webhookUrl: receiver.url });
  expect(body).not.toHaveProperty('warnings');
  expect(await posthorn.deps.db.subscription.count({ where: { channelId } })).toBe(1);
});

test('one that was stored before is not sent to: its deliveries fail as blocked_address, and no message comes of them', async () => {
  const { posthorn } = scene;
  const { db } = posthorn.deps;
  const { channelId, subscriptionId } = await scene.subscribed([200], { retryPolicy: ONE_TRY });
  const path = `/v1/subscriptions/${subscriptionId}`;
  const headers = { authorization: `Bearer ${posthorn.keys.live}` };
  const webhookUrl = `${posthorn.url}${path}/test`;
  await db.subscription.update({ where: { id: subscriptionId }, data: { webhookUrl, headers } });
  const message = await publish(posthorn, channelId);
  const delivery = await waitForDelivery(posthorn, message.id, 'failed');
  expect(await scene.attemptsOf(delivery.id)).toMatchObject([
    { outcome: 'failed', errorClass: 'blocked_address', errorMessage: `the webhook URL ${REASON}` },
  ]);
  const { body } = await posthorn.request<Warned>('GET', path);
  expect(body.warnings).toEqual([{ field: 'webhookUrl', reason: `is not sent to: it ${REASON}` }]);
  expect(await db.message.count({ where: { channelId } })).toBe(1);
});

test('a kept connection to a receiver is not taken for one to the port that an own endpoint has later', async () => {
  const { posthorn } = scene;
  const { receiver, channelId } = await scene.subscribed([200], { retryPolicy: ONE_TRY });
  const first = await publish(posthorn, channelId);
  await waitForDelivery(posthorn, first.id, 'delivered');
  posthorn.deps.own.add({ host: 'localhost', port: Number(portOf(receiver.url)) });
  const second = await publish(posthorn, channelId);
  const delivery = await waitForDelivery(posthorn, second.id, 'failed');
  expect(await scene.attemptsOf(delivery.id)).toMatchObject([{ errorClass: 'blocked_address' }]);
  expect(receiver.requests).toHaveLength(1);
});

test('receivers beside it on this machine are delivered to', async () => {
  const { posthorn } = scene;
  const { receiver } = await scene.subscribed([200]);
  const { id: channelId } = await createChannel(posthorn);
  const webhookUrl = receiver.url.replace('127.0.0.1', 'localhost');
  await createSubscription(posthorn, { channelId, webhookUrl });
  await publish(posthorn, channelId);
  await waitFor('the request', () => receiver.requests.length === 1);
});
