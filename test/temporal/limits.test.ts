import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createChannel, createSubscription, publish, publishBatch, waitForDelivery } from '../support/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/posthorn.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { waitFor } from '../support/wait-for.ts';

const receivers: Receiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

/** A receiver that answers after `delayMs` and remembers how many requests it had open at a time. */
async function slowReceiver(delayMs: number, status = 200): Promise<Receiver & { most(): number }> {
  let open = 0;
  let most = 0;
  const receiver = await startReceiver({
    answer: () => (response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.writeHead(status).end();
      }, delayMs);
    },
  });
  receivers.push(receiver);
  return Object.assign(receiver, { most: () => most });
}

/** The largest number of requests that any one second saw. */
function mostInASecond(receiver: Receiver): number {
  const times = receiver.requests.map((request) => request.at).sort((one, other) => one - other);
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

const arrived = (receiver: Receiver, count: number): Promise<boolean> =>
  waitFor(`${count} arrivals`, () => receiver.requests.length >= count, 40_000);

describe.each(['off', '0'])('with the burst threshold %s', (threshold) => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: threshold } });
  });
  afterAll(() => posthorn.stop());

  const subscribed = async (receiver: Receiver, fields: Record<string, unknown>) => {
    const channel = await createChannel(posthorn);
    const subscription = await createSubscription(posthorn, {
      channelId: channel.id,
      webhookUrl: receiver.url,
      ...fields,
    });
    return { channelId: channel.id, subscriptionId: subscription.id };
  };

  test('maxConcurrency is never exceeded, and is used', async () => {
    const receiver = await slowReceiver(100);
    const { channelId } = await subscribed(receiver, { maxConcurrency: 2 });

    await publishBatch(posthorn, channelId, 20);

    await arrived(receiver, 20);
    expect(receiver.most()).toBe(2);
    expect(receiver.requests).toHaveLength(20);
  });

  test('without maxConcurrency there are at most 20 at a time', async () => {
    const receiver = await slowReceiver(300);
    const { channelId } = await subscribed(receiver, {});

    await publishBatch(posthorn, channelId, 40);

    await arrived(receiver, 40);
    expect(receiver.most()).toBeLessThanOrEqual(20);
  });

  test('rateLimit is never exceeded, and is used; another subscription waits for nothing', async () => {
    const [limited, free] = [await slowReceiver(0), await slowReceiver(0)];
    const { channelId } = await subscribed(limited, { rateLimit: 5 });
    const other = await subscribed(free, {});

    await publishBatch(posthorn, channelId, 25);
    const from = Date.now();
    const message = await publish(posthorn, other.channelId);

    await waitForDelivery(posthorn, message.id, 'delivered');
    expect(Date.now() - from).toBeLessThan(2_000);
    await arrived(limited, 25);
    const [first, last] = [limited.requests[0]?.at ?? 0, limited.requests.at(-1)?.at ?? 0];
    expect(mostInASecond(limited)).toBeLessThanOrEqual(6);
    expect(last - first).toBeLessThan(8_000);
    expect(limited.requests).toHaveLength(25);
  });

  test('retries keep to the limits as well, and use up nothing by waiting', async () => {
    const receiver = await slowReceiver(0, 500);
    const { channelId, subscriptionId } = await subscribed(receiver, {
      rateLimit: 4,
      retryPolicy: { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000 },
    });

    // Eighteen failures: two more and the circuit would open.
    await publishBatch(posthorn, channelId, 9);

    await waitFor(
      'nine dead letters',
      async () =>
        (await posthorn.request<{ data: object[] }>('GET', `/v1/dlq?limit=100&subscriptionId=${subscriptionId}`)).body
          .data.length === 9,
      40_000,
    );
    expect(receiver.requests).toHaveLength(18);
    expect(mostInASecond(receiver)).toBeLessThanOrEqual(5);
  });

  test('a lowered limit holds for what is waiting already, and null takes it away', async () => {
    const receiver = await slowReceiver(0);
    const { channelId, subscriptionId } = await subscribed(receiver, { rateLimit: 1 });
    await publishBatch(posthorn, channelId, 30);
    await arrived(receiver, 2);

    const patched = await posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, { rateLimit: null });

    expect(patched.body).not.toHaveProperty('rateLimit');
    await waitFor('the rest within seconds', () => receiver.requests.length === 30, 12_000);
  });

  test('a queue that a limit holds up leaves room for others, however long it is', async () => {
    const [limited, free] = [await slowReceiver(0), await slowReceiver(0)];
    const { channelId } = await subscribed(limited, { rateLimit: 1 });
    const other = await subscribed(free, {});
    for (let n = 0; n < 25; n += 1) await publishBatch(posthorn, channelId, 100);

    const from = Date.now();
    await publishBatch(posthorn, other.channelId, 20);

    await arrived(free, 20);
    expect(Date.now() - from).toBeLessThan(5_000);
    expect(limited.requests.length).toBeLessThan(30);
  });
});

test('two workers share the limits', async () => {
  const posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '0' } });
  try {
    await posthorn.deps.pool.query(
      `INSERT INTO incarnations (id, expires_at) VALUES ('inc_other', now() + interval '1 hour')`,
    );
    const receiver = await slowReceiver(300);
    const channel = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId: channel.id, webhookUrl: receiver.url, maxConcurrency: 6 });
    // The number of workers is read with each renewal of the lease, every 2 s.
    await new Promise((resolve) => setTimeout(resolve, 2_500));

    await publishBatch(posthorn, channel.id, 12);

    await arrived(receiver, 12);
    expect(receiver.most()).toBe(3);
  } finally {
    await posthorn.stop();
  }
});
