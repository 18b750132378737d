import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { type DeliveryScene, SCENE_POLICY, setDeliveryScene } from '../support/make/delivery-scene.ts';
import { type DeliveryJson, deliveryOf, publish, waitForDelivery } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';

// Subscribers and callers see the same whether a first try is drained or has a Temporal workflow of its own.
describe.each(['off', '100', '1', '0'])('with the burst threshold %s', (threshold) => {
  let scene: DeliveryScene;
  beforeAll(async () => {
    scene = await setDeliveryScene(threshold);
  });
  afterEach(() => scene.endReceivers());
  afterAll(() => scene.end());

  test('a message arrives signed over the exact bytes that were published', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([200]);
    const payload = '{"amount": 1.10, "big":12345678901234567890, "z":1, "a":[1e3]}';

    const published = await scene.posthorn.request<{ id: string; publishedAt: string }>(
      'POST',
      `/v1/channels/${channelId}/messages`,
      `{"eventType":"order.created","metadata":{"source":"till"},"payload":${payload}}`,
    );

    const request = await waitFor('arrival', () => receiver.requests[0]);
    expect(request.body).toBe(
      `{"id":"${published.body.id}","type":"order.created","timestamp":"${published.body.publishedAt}",` +
        `"channelId":"${channelId}","data":${payload},"metadata":{"source":"till"}}`,
    );
    const { body } = await scene.posthorn.request<{ secret: string }>(
      'GET',
      `/v1/subscriptions/${subscriptionId}/secret`,
    );
    const headers = {
      'webhook-id': String(request.headers['webhook-id']),
      'webhook-timestamp': String(request.headers['webhook-timestamp']),
      'webhook-signature': String(request.headers['webhook-signature']),
    };
    expect(headers['webhook-id']).toBe(published.body.id);
    expect(() => new Webhook(body.secret).verify(request.body, headers)).not.toThrow();
  });

  test('a receiver that answers 503 twice gets three attempts at the times the policy says, and the delivery is delivered', async () => {
    let isSeen = false;
    // The last answer comes once the state between two tries has been looked at.
    const last = (response: ServerResponse): void =>
      void waitFor('the look', () => isSeen).then(() => response.writeHead(200).end('answer 200'));
    const { receiver, channelId } = await scene.subscribed([503, 503, last], {
      timeoutMs: 30_000,
    });

    const message = await publish(scene.posthorn, channelId);

    const retrying = await waitForDelivery(scene.posthorn, message.id, 'retrying');
    isSeen = true;
    expect(Date.parse(retrying.nextRetryAt ?? '') - Date.parse(retrying.lastAttemptAt ?? '')).toBeGreaterThanOrEqual(
      1000,
    );
    const delivery = await waitForDelivery(scene.posthorn, message.id, 'delivered');
    expect(delivery).toMatchObject({ attempts: 3, response: { status: 200, body: 'answer 200' } });
    expect(delivery).not.toHaveProperty('nextRetryAt');
    const [first = 0, second = 0, third = 0] = receiver.requests.map((request) => request.at);
    expect(second - first).toBeGreaterThanOrEqual(1000);
    expect(third - second).toBeGreaterThanOrEqual(2000);
    expect(receiver.requests).toHaveLength(3);
    expect(receiver.requests.map((request) => request.body)).toEqual(Array(3).fill(receiver.requests[0]?.body));
    expect((await scene.attemptsOf(delivery.id)).map(({ number, outcome }) => [number, outcome])).toEqual([
      [3, 'delivered'],
      [2, 'failed'],
      [1, 'failed'],
    ]);
    expect(await scene.waitForWorkflow(delivery.id, 1, 'COMPLETED')).toBe('COMPLETED');
  });

  test('a delivery whose tries are used up is a dead letter, its Temporal workflow has failed, and a replay delivers it', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([500], {
      retryPolicy: { ...SCENE_POLICY, maxRetries: 1 },
    });
    const message = await publish(scene.posthorn, channelId);

    const failed = await waitForDelivery(scene.posthorn, message.id, 'failed');
    expect(failed).toMatchObject({ attempts: 2, response: { status: 500 }, reason: 'exhausted' });
    const [letter] = await scene.deadLettersOf(subscriptionId);
    expect(letter).toMatchObject({ status: 'open', reason: 'exhausted', attempts: 2, deliveryId: failed.id });
    expect(letter?.lastError).toEqual({ class: 'status', message: 'answered 500', status: 500 });
    expect(await scene.waitForWorkflow(failed.id, 1, 'FAILED')).toBe('FAILED');

    receiver.answerWith([200]);
    const replay = await scene.posthorn.request<DeliveryJson>('POST', `/v1/dlq/${letter?.id}/replay`);
    expect(replay.status).toBe(202);
    expect(replay.body).toMatchObject({ id: failed.id, status: 'pending', attempts: 2 });

    expect(await waitForDelivery(scene.posthorn, message.id, 'delivered')).toMatchObject({ attempts: 3 });
    expect(await scene.deadLettersOf(subscriptionId)).toMatchObject([{ status: 'replayed' }]);
    // Always drained, the replay's first try has no workflow of its own.
    if (threshold !== '0') expect(await scene.waitForWorkflow(failed.id, 2, 'COMPLETED')).toBe('COMPLETED');
    expect((await scene.posthorn.request('POST', `/v1/dlq/${letter?.id}/replay`)).status).toBe(409);
  });

  test('with maxRetries 0 one failed try is a dead letter at once', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([500], {
      retryPolicy: { ...SCENE_POLICY, maxRetries: 0 },
    });

    const message = await publish(scene.posthorn, channelId);

    expect(await waitForDelivery(scene.posthorn, message.id, 'failed')).toMatchObject({ attempts: 1 });
    expect(await scene.deadLettersOf(subscriptionId)).toMatchObject([{ reason: 'exhausted', attempts: 1 }]);
    expect(receiver.requests).toHaveLength(1);
  });

  test('410 ends the delivery as a dead letter and disables the subscription, whose later deliveries wait', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([410]);

    const message = await publish(scene.posthorn, channelId);

    expect(await waitForDelivery(scene.posthorn, message.id, 'failed')).toMatchObject({ attempts: 1, reason: 'gone' });
    expect(await scene.deadLettersOf(subscriptionId)).toMatchObject([{ reason: 'gone' }]);
    const { body } = await scene.posthorn.request('GET', `/v1/subscriptions/${subscriptionId}`);
    expect(body).toMatchObject({ status: 'disabled' });
    receiver.answerWith([200]);
    const later = await publish(scene.posthorn, channelId);
    expect(await deliveryOf(scene.posthorn, later.id)).toMatchObject({ status: 'pending', attempts: 0 });
    await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/resume`);
    expect(await waitForDelivery(scene.posthorn, later.id, 'delivered')).toMatchObject({ attempts: 1 });
  });

  // Old: maxDelay bounded it, so a receiver that had said a day was asked again after a second.
  test.each([429, 503])('a Retry-After with %d is kept to beyond maxDelay', async (status) => {
    const { channelId } = await scene.subscribed(
      [(response) => response.writeHead(status, { 'retry-after': '86000' }).end()],
      { retryPolicy: { ...SCENE_POLICY, maxDelay: 2000 } },
    );
    const message = await publish(scene.posthorn, channelId);
    const { lastAttemptAt, nextRetryAt } = await waitForDelivery(scene.posthorn, message.id, 'retrying');
    const waitMs = Date.parse(nextRetryAt ?? '') - Date.parse(lastAttemptAt ?? '');
    expect(waitMs).toBeGreaterThanOrEqual(86_000_000);
    expect(waitMs).toBeLessThan(86_400_000);
  });

  test('Retry-After makes the next try later than the policy says, and maxRetryAfter bounds it', async () => {
    const { receiver, channelId } = await scene.subscribed(
      [(response) => response.writeHead(503, { 'retry-after': '60' }).end(), 200],
      { retryPolicy: { ...SCENE_POLICY, maxDelay: 1000 }, maxRetryAfter: 2000 },
    );

    const message = await publish(scene.posthorn, channelId);

    await waitForDelivery(scene.posthorn, message.id, 'delivered');
    const [first = 0, second = 0] = receiver.requests.map((request) => request.at);
    expect(second - first).toBeGreaterThanOrEqual(2000);
    expect(second - first).toBeLessThan(60_000);
  });

  test('published while paused: nothing is sent until it is resumed, then oldest first', async () => {
    const { receiver, channelId, subscriptionId } = await scene.subscribed([200]);
    await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/pause`);
    const first = await publish(scene.posthorn, channelId);
    const second = await publish(scene.posthorn, channelId);
    const marker = await scene.subscribed([200]);
    const markerMessage = await publish(scene.posthorn, marker.channelId);
    await waitForDelivery(scene.posthorn, markerMessage.id, 'delivered');
    expect(receiver.requests).toHaveLength(0);
    expect(await deliveryOf(scene.posthorn, first.id)).toMatchObject({ status: 'pending', attempts: 0 });

    await scene.posthorn.request('POST', `/v1/subscriptions/${subscriptionId}/resume`);

    await waitForDelivery(scene.posthorn, second.id, 'delivered');
    await waitForDelivery(scene.posthorn, first.id, 'delivered');
    expect(receiver.requests).toHaveLength(2);
  });
});
