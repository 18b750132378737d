import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createChannel,
  createSubscription,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { createConfigs } from '../../src/process/assembly/create-dependencies.ts';
import { startWorker } from '../../src/process/start-worker.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { currentRun } from '../support/service/run.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

// As much before its turn a try is in time (src/delivery/limits/places.ts).
const EARLY_MS = 20;

const receivers = createReceivers();
afterEach(receivers.end);

/**
 * A receiver that answers after `delayMs` and remembers how many requests it had open at a time. The first answer waits for `together`
 * requests: so many come at a time, however slowly.
 */
async function slowReceiver(
  delayMs: number,
  { status = 200, together = 1 }: { status?: number; together?: number } = {},
): Promise<Receiver & { most(): number }> {
  let open = 0;
  let most = 0;
  const held: (() => void)[] = [];
  const receiver = await receivers.start({
    answer: () => (response) => {
      open += 1;
      most = Math.max(most, open);
      held.push(() => {
        open -= 1;
        response.writeHead(status).end();
      });
      if (most >= together) for (const answer of held.splice(0)) setTimeout(answer, delayMs);
    },
  });
  return Object.assign(receiver, { most: () => most });
}

/**
 * Requests that came before a rate limit in force since `from` (ms) lets them: the nth not before n − 1 intervals. Their distance says
 * nothing: on a busy machine two arrive together although they were sent apart.
 */
function tooEarly(receiver: Receiver, { from, rateLimit }: { from: number; rateLimit: number }): number[] {
  const times = receiver.requests.map((request) => request.at - from);
  return times.filter((at, index) => at < (index * 1_000) / rateLimit - EARLY_MS);
}

const idsOf = (receiver: Receiver): Set<unknown> =>
  new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));

const arrived = (receiver: Receiver, count: number): Promise<boolean> =>
  waitFor(`${count} arrivals`, () => receiver.requests.length >= count);

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
    const receiver = await slowReceiver(100, { together: 2 });
    const { channelId } = await subscribed(receiver, { maxConcurrency: 2 });

    await publishBatch(posthorn, channelId, 20);

    await arrived(receiver, 20);
    expect(receiver.most()).toBe(2);
    expect(receiver.requests).toHaveLength(20);
  });

  test('without maxConcurrency it begins with 20 at a time, before anything is known of the receiver', async () => {
    const [silent, free] = [await receivers.start({ answer: () => () => {} }), await slowReceiver(0)];
    const { channelId } = await subscribed(silent, { timeoutMs: 30_000 });
    const other = await subscribed(free, {});

    await publishBatch(posthorn, channelId, 40);
    await arrived(silent, 20);
    await waitForDelivery(posthorn, (await publish(posthorn, other.channelId)).id, 'delivered');

    // Once the first has timed out, others may stand in its place.
    const firstAt = silent.requests[0]?.at ?? 0;
    expect(silent.requests.filter(({ at }) => at < firstAt + 25_000)).toHaveLength(20);
  });

  test('rateLimit is never exceeded, and is used; another subscription waits for nothing', async () => {
    const [limited, free] = [await slowReceiver(0), await slowReceiver(0)];
    const { channelId } = await subscribed(limited, { rateLimit: 5 });
    const other = await subscribed(free, {});

    const from = Date.now();
    await publishBatch(posthorn, channelId, 60);
    const message = await publish(posthorn, other.channelId);

    await waitForDelivery(posthorn, message.id, 'delivered');
    await arrived(limited, 60);
    // The sixty take 12 s.
    expect(free.requests[0]?.at).toBeLessThan(limited.requests[59]?.at ?? 0);
    expect(tooEarly(limited, { from, rateLimit: 5 })).toEqual([]);
    expect([limited.requests.length, idsOf(limited).size]).toEqual([60, 60]);
  });

  test('retries keep to the limits as well, and use up nothing by waiting', async () => {
    const receiver = await slowReceiver(0, { status: 500 });
    const { channelId, subscriptionId } = await subscribed(receiver, {
      rateLimit: 4,
      retryPolicy: { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000 },
    });

    const from = Date.now();
    // Eighteen failures: two more and the circuit would open.
    await publishBatch(posthorn, channelId, 9);

    await waitFor(
      'nine dead letters',
      async () =>
        (await posthorn.request<{ data: object[] }>('GET', `/v1/dlq?limit=100&subscriptionId=${subscriptionId}`)).body
          .data.length === 9,
    );
    expect(receiver.requests).toHaveLength(18);
    expect(tooEarly(receiver, { from, rateLimit: 4 })).toEqual([]);
  });

  test('a lowered limit holds for what is waiting already, and null takes it away', async () => {
    const receiver = await slowReceiver(0);
    const { channelId, subscriptionId } = await subscribed(receiver, { rateLimit: 1 });
    // At one a second they would take longer than is waited for below.
    await publishBatch(posthorn, channelId, 100);
    await arrived(receiver, 2);

    const patched = await posthorn.request('PATCH', `/v1/subscriptions/${subscriptionId}`, { rateLimit: null });

    expect(patched.body).not.toHaveProperty('rateLimit');
    await arrived(receiver, 100);
    expect(idsOf(receiver).size).toBe(100);
  });

  test('a queue that a limit holds up leaves room for others, however long it is', async () => {
    const [limited, free] = [await slowReceiver(0), await slowReceiver(0)];
    const { channelId } = await subscribed(limited, { rateLimit: 1 });
    const other = await subscribed(free, {});
    for (let n = 0; n < 25; n += 1) await publishBatch(posthorn, channelId, 100);

    await publishBatch(posthorn, other.channelId, 20);

    // The other queue takes 40 minutes.
    await arrived(free, 20);
    expect(limited.requests.length).toBeLessThan(200);
  });
});

/** Waits until each worker has renewed its lease once more. */
async function renewedLease({ deps }: TestPosthorn): Promise<void> {
  const read = async (): Promise<Map<string, string>> => {
    const { rows } = await deps.pool.query<{ id: string; at: string }>(
      `SELECT id, expires_at::text AS at FROM incarnations WHERE id <> 'inc_other' AND expires_at > now()`,
    );
    return new Map(rows.map(({ id, at }) => [id, at]));
  };
  const before = await read();
  await waitFor('each lease to be renewed', async () => [...(await read())].every(([id, at]) => before.get(id) !== at));
}

// Old: all deliveries of a publish stayed with the process that had published it, and the places of the others were idle.
test('two workers use all places of a subscription together, and no more, whichever of them has published', async () => {
  const posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '0' } });
  const temporal = { address: currentRun().temporalAddress, namespace: 'default' };
  const memory = { publishingConfigs: createConfigs(posthorn.deps.pool) };
  const second = await startWorker({ ...posthorn.deps, ...memory }, temporal, { taskQueue: posthorn.taskQueue });
  try {
    for (let renewal = 0; renewal < 2; renewal += 1) await renewedLease(posthorn);
    // Three places and two: the first five requests are answered once they are all there.
    const receiver = await slowReceiver(100, { together: 5 });
    const channel = await createChannel(posthorn);
    const target = { channelId: channel.id, webhookUrl: receiver.url, timeoutMs: 30_000 };
    await createSubscription(posthorn, { ...target, maxConcurrency: 5 });

    await publishBatch(posthorn, channel.id, 60);

    await arrived(receiver, 60);
    expect(receiver.most()).toBe(5);
    expect(idsOf(receiver).size).toBe(60);
  } finally {
    await second.stop();
    await posthorn.stop();
  }
});

test('two workers share the limits', async () => {
  const posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '0' } });
  try {
    await posthorn.deps.pool.query(
      `INSERT INTO incarnations (id, expires_at) VALUES ('inc_other', now() + interval '1 hour')`,
    );
    const receiver = await slowReceiver(300, { together: 3 });
    const channel = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId: channel.id, webhookUrl: receiver.url, maxConcurrency: 6 });
    // The number of workers is read with each renewal of the lease, every 2 s: the second one has begun when the first is known.
    for (let renewal = 0; renewal < 2; renewal += 1) await renewedLease(posthorn);

    await publishBatch(posthorn, channel.id, 12);

    await arrived(receiver, 12);
    expect(receiver.most()).toBe(3);
  } finally {
    await posthorn.stop();
  }
});
