import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import {
  createChannel,
  createSubscription,
  deliveryOf,
  type PageJson,
  publish,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
const receivers = createReceivers();

beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterEach(receivers.end);
afterAll(() => posthorn.stop());

test('delays below a second are kept: nine tries 100 ms apart do not come a second apart', async () => {
  const receiver = await receivers.start();
  const { id: channelId } = await createChannel(posthorn);
  const retryPolicy = { maxRetries: 8, initialDelay: 100, maxDelay: 100, backoffMultiplier: 1 };
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy, circuitBreaker: false });
  // Temporal's timers were looked at once a second before: no gap was shorter. A busy machine makes gaps longer, not all of five messages.
  const short: number[] = [];
  while (short.length < 5 && !short.some((gap) => gap < 800)) {
    receiver.answerWith([500, 500, 500, 500, 500, 500, 500, 500, 200]);
    receiver.requests.length = 0;
    const message = await publish(posthorn, channelId);
    expect(await waitForDelivery(posthorn, message.id, 'delivered')).toMatchObject({ attempts: 9 });
    const times = receiver.requests.map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(99);
    short.push(gaps.toSorted((one, other) => one - other)[1] ?? Number.POSITIVE_INFINITY);
  }
  expect(Math.min(...short)).toBeLessThan(800);
});

test('an endpoint that hangs neither delays nor fails another subscription of the same host', async () => {
  const held: ServerResponse[] = [];
  const receiver = await receivers.start({
    answer: ({ path }) => (path === '/hangs' ? (response) => held.push(response) : 200),
  });
  const hanging = await createChannel(posthorn);
  const slow = { webhookUrl: `${receiver.url}hangs`, timeoutMs: 30_000 };
  await createSubscription(posthorn, { channelId: hanging.id, ...slow });
  const quick = await createChannel(posthorn);
  const retryPolicy = { maxRetries: 0 };
  // Held up by the others until they time out, these would time out before.
  await createSubscription(posthorn, { channelId: quick.id, webhookUrl: receiver.url, timeoutMs: 15_000, retryPolicy });
  for (let n = 0; n < 30; n += 1) await publish(posthorn, hanging.id);
  await waitFor('the endpoint to hang', () => held.length >= 2);

  const messages = await Promise.all(Array.from({ length: 10 }, () => publish(posthorn, quick.id)));

  for (const { id } of messages)
    expect(await waitForDelivery(posthorn, id, 'delivered')).toMatchObject({ attempts: 1 });
  for (const response of held) response.end();
});

test('a try that was under way when its subscription was deleted is on record, and what has arrived is delivered', async () => {
  const held: ServerResponse[] = [];
  const receiver = await receivers.start({ answers: [(response) => held.push(response)] });
  const { id: channelId } = await createChannel(posthorn);
  const subscription = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  const message = await publish(posthorn, channelId);
  await waitFor('the request', () => held.length === 1);

  expect((await posthorn.request('DELETE', `/v1/subscriptions/${subscription.id}`)).status).toBe(204);
  held[0]?.end();

  const delivery = await waitFor('the attempt', async () => {
    const found = await deliveryOf(posthorn, message.id);
    return found?.attempts === 1 && found;
  });
  expect(delivery).toMatchObject({ status: 'delivered', response: { status: 200 } });
  expect(delivery).not.toHaveProperty('reason');
  const { body } = await posthorn.request<PageJson<object>>('GET', `/v1/deliveries/${delivery.id}/attempts`);
  expect(body.data).toMatchObject([{ number: 1, outcome: 'delivered' }]);
});
