import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createChannel,
  createSubscription,
  type PageJson,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startReceiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '20' } });
});
afterAll(() => posthorn.stop());

type AttemptJson = { number: number; temporalWorkflowId: string; outcome: string };

const attemptsOf = async (deliveryId: string): Promise<AttemptJson[]> =>
  (await posthorn.request<PageJson<AttemptJson>>('GET', `/v1/deliveries/${deliveryId}/attempts`)).body.data;

test('a burst beyond the threshold is drained: every message once, and the drain is a Temporal workflow that says what it did', async () => {
  const receiver = await startReceiver();
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });

  const ids = (await Promise.all([1, 2, 3].map(() => publishBatch(posthorn, channelId, 100)))).flat();

  const last = await waitFor('all to arrive', () => receiver.requests.length >= ids.length && ids.at(-1));
  const delivery = await waitForDelivery(posthorn, last, 'delivered');
  expect(ids.filter((id) => receiver.countOf(id) !== 1)).toEqual([]);
  const carriers: string[] = [];
  // One after the other: a slow machine would refuse some of 300 requests at once.
  for (const id of ids) {
    const { id: deliveryId } = await waitForDelivery(posthorn, id, 'delivered');
    carriers.push((await attemptsOf(deliveryId))[0]?.temporalWorkflowId ?? '');
  }
  const drains = new Set(carriers.filter((carrier) => carrier.startsWith('drain/')));
  expect(carriers.filter((carrier) => carrier.startsWith('drain/')).length).toBeGreaterThan(200);
  expect(drains.size).toBeGreaterThan(0);
  // The drain stays for the next burst; a worker that stops ends it.
  await posthorn.worker.stop();
  const progress: unknown = await posthorn.temporal.workflow.getHandle([...drains][0] ?? '').result();
  await posthorn.worker.start();
  expect(progress).toMatchObject({ sent: expect.any(Number), failed: 0, waiting: 0, subscriptions: 0 });
  expect(delivery.attempts).toBe(1);
  await receiver.close();
});

test('a delivery that fails in a drain goes on in a Temporal workflow of its own, with the rest of its policy', async () => {
  const seen = new Map<string, number>();
  const receiver = await startReceiver({
    answer: ({ headers, body }) => {
      const id = String(headers['webhook-id']);
      seen.set(id, (seen.get(id) ?? 0) + 1);
      const { n } = (JSON.parse(body) as { data: { n: number } }).data;
      if (n % 10 === 0) return (seen.get(id) ?? 0) === 1 ? 500 : 200;
      return n % 10 === 1 ? 500 : 200;
    },
  });
  const { id: channelId } = await createChannel(posthorn);
  const retryPolicy = { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 };
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy });

  const ids = await publishBatch(posthorn, channelId, 100);

  for (const [n, id] of ids.entries()) {
    const status = n % 10 === 1 ? 'failed' : 'delivered';
    const delivery = await waitForDelivery(posthorn, id, status);
    expect(delivery.attempts).toBe(n % 10 < 2 ? 2 : 1);
    if (n % 10 < 2) expect((await attemptsOf(delivery.id))[0]?.temporalWorkflowId).toBe(`delivery/${delivery.id}/1`);
  }
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(120);
  await receiver.close();
});

test('pausing in the middle of a burst stops it; resuming sends the rest, each message once', async () => {
  // Twenty are answered at once, the next ones when the pause has come: it always comes in the middle.
  const held: ServerResponse[] = [];
  let isPaused = false;
  const receiver = await startReceiver({
    answers: [(response) => (isPaused || receiver.requests.length <= 20 ? response.end() : held.push(response))],
  });
  const { id: channelId } = await createChannel(posthorn);
  const subscription = await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  const ids = (await Promise.all([1, 2, 3, 4].map(() => publishBatch(posthorn, channelId, 100)))).flat();
  await waitFor('some to arrive', () => receiver.requests.length > 20);

  await posthorn.request('POST', `/v1/subscriptions/${subscription.id}/pause`);
  isPaused = true;
  for (const response of held) response.end();
  await waitFor('what is taken to be sent or given back', async () => {
    const { rowCount } = await posthorn.deps.pool.query(
      'SELECT FROM deliveries WHERE subscription_id = $1 AND due_at IS NOT NULL AND (holder IS NOT NULL OR carrier IS NOT NULL)',
      [subscription.id],
    );
    return rowCount === 0;
  });
  const { body } = await posthorn.request<PageJson<object>>('GET', '/v1/deliveries?status=pending');
  expect(body.data.length).toBeGreaterThan(0);
  expect(receiver.requests.length).toBeLessThan(ids.length);
  await posthorn.request('POST', `/v1/subscriptions/${subscription.id}/resume`);

  for (const id of ids) await waitForDelivery(posthorn, id, 'delivered');
  expect(ids.filter((id) => receiver.countOf(id) !== 1)).toEqual([]);
  await receiver.close();
});
