import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  createChannel,
  createSubscription,
  publish,
  publishBatch,
  waitForDelivery,
} from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

// Receivers that are far away, or slow, or have their own idea of how much is too much. The rule itself, with its numbers, is proved
// on a simulated clock in src/delivery/limits/adaptive-limit.test.ts. Here real requests meet real sockets, on a machine that may be
// so busy that this process is the slowest part: the bounds are those that hold then too.
const receivers = createReceivers();
afterEach(receivers.end);

/** Counts what is open at a time. `serve` is given each request's way to answer, and how many are open with it. */
async function watched(
  serve: (answer: (status: number) => void, open: number) => void,
): Promise<Receiver & { open(): number; most(): number; statuses: number[] }> {
  const statuses: number[] = [];
  let [open, most] = [0, 0];
  const receiver = await receivers.start({
    answer: () => (response) => {
      open += 1;
      most = Math.max(most, open);
      serve((status) => {
        open -= 1;
        statuses.push(status);
        response.writeHead(status).end();
      }, open);
    },
  });
  return Object.assign(receiver, { open: () => open, most: () => most, statuses });
}

const after = (ms: number) => (answer: (status: number) => void) => {
  setTimeout(() => answer(200), ms);
};

type Concurrency = { limit: number; inFlight: number; latencyMs?: number };

const concurrencyOf = async (posthorn: TestPosthorn, subscriptionId: string): Promise<Concurrency> =>
  (await posthorn.request<{ concurrency: Concurrency }>('GET', `/v1/subscriptions/${subscriptionId}`)).body.concurrency;

async function subscribed(posthorn: TestPosthorn, receiver: Receiver, fields: Record<string, unknown> = {}) {
  const channel = await createChannel(posthorn);
  const subscription = await createSubscription(posthorn, {
    channelId: channel.id,
    webhookUrl: receiver.url,
    ...fields,
  });
  return { channelId: channel.id, subscriptionId: subscription.id };
}

async function publishMany(posthorn: TestPosthorn, channelId: string, count: number): Promise<void> {
  for (let left = count; left > 0; left -= 100) await publishBatch(posthorn, channelId, Math.min(100, left));
}

const idsOf = (receiver: Receiver): number =>
  new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size;

const delivered = (receiver: { statuses: number[] }, count: number): Promise<boolean> =>
  waitFor(`${count} delivered`, () => receiver.statuses.filter((status) => status === 200).length >= count, 90_000);

describe('a calm flow, each delivery a workflow of its own', () => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: 'off' } });
  });
  afterAll(() => posthorn.stop());

  test('waits for nobody: as many are under way as a subscription may have', async () => {
    const held: (() => void)[] = [];
    const receiver = await watched((answer) => {
      held.push(() => answer(200));
      // Nobody is answered before fifteen are there, so they cannot have waited for each other.
      if (held.length >= 15) for (const answerOne of held.splice(0)) answerOne();
    });
    const { channelId } = await subscribed(posthorn, receiver, { timeoutMs: 30_000 });

    const messages = await Promise.all(Array.from({ length: 15 }, () => publish(posthorn, channelId)));

    for (const { id } of messages) {
      expect(await waitForDelivery(posthorn, id, 'delivered')).toMatchObject({ attempts: 1 });
    }
    expect(receiver.most()).toBe(15);
  });

  test('an endpoint that hangs keeps its share, and the next one is not kept waiting', async () => {
    const hanging = await watched(() => {});
    const [far, near] = [await watched(after(300)), await subscribed(posthorn, hanging, { timeoutMs: 30_000 })];
    const { channelId } = await subscribed(posthorn, far);
    await publishBatch(posthorn, near.channelId, 60);
    await waitFor('the hanging one to have all it may', () => hanging.open() >= 20);

    const messages = await publishBatch(posthorn, channelId, 30);
    for (const id of messages) await waitForDelivery(posthorn, id, 'delivered');

    // Once the first has timed out, others may stand in its place.
    const firstAt = hanging.requests[0]?.at ?? 0;
    expect(hanging.requests.filter(({ at }) => at < firstAt + 25_000)).toHaveLength(20);
  });
});

describe('a backlog', () => {
  let posthorn: TestPosthorn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '0' } });
  });
  afterAll(() => posthorn.stop());

  test('for a receiver that takes whatever comes grows beyond 20 at a time, and the subscription shows it', async () => {
    // A hundred stay open until the subscription has shown them, however long a busy machine takes to report.
    const held: (() => void)[] = [];
    let isShown = false;
    const receiver = await watched((answer, open) => {
      if (open < 100 || isShown) setTimeout(() => answer(200), 1_000);
      else held.push(() => answer(200));
    });
    const { channelId, subscriptionId } = await subscribed(posthorn, receiver, { timeoutMs: 30_000 });

    await publishMany(posthorn, channelId, 600);

    await waitFor('the subscription to show a hundred at a time', async () => {
      const { limit, inFlight, latencyMs = 0 } = await concurrencyOf(posthorn, subscriptionId);
      return receiver.most() >= 100 && limit >= 100 && inFlight > 20 && latencyMs >= 1_000;
    });
    isShown = true;
    for (const answerOne of held) answerOne();
    await delivered(receiver, 600);
    expect(idsOf(receiver)).toBe(600);
    expect(receiver.requests).toHaveLength(600);
  });

  test('for one with maxConcurrency does not', async () => {
    // The first thirty are answered once all are there: a busy machine may send them slower than an answer comes.
    const held: (() => void)[] = [];
    const receiver = await watched((answer) => {
      held.push(() => answer(200));
      if (receiver.most() >= 30) for (const answerOne of held.splice(0)) setTimeout(answerOne, 200);
    });
    const { channelId, subscriptionId } = await subscribed(posthorn, receiver, {
      maxConcurrency: 30,
      timeoutMs: 30_000,
    });

    await publishMany(posthorn, channelId, 200);

    await delivered(receiver, 200);
    expect(receiver.most()).toBe(30);
    expect(await concurrencyOf(posthorn, subscriptionId)).toMatchObject({ limit: 30 });
  });

  test('for one that serves five at a time and queues the rest loses nothing to its timeout', async () => {
    const queue: (() => void)[] = [];
    let serving = 0;
    const next = (): void => {
      if (serving >= 5) return;
      const answerOne = queue.shift();
      if (answerOne === undefined) return;
      serving += 1;
      setTimeout(() => {
        serving -= 1;
        answerOne();
        next();
      }, 100);
    };
    const receiver = await watched((answer) => {
      queue.push(() => answer(200));
      next();
    });
    // Four hundred at a time would wait for 8 s: the limit stays below that.
    const { channelId } = await subscribed(posthorn, receiver, { timeoutMs: 30_000 });

    await publishMany(posthorn, channelId, 600);

    await delivered(receiver, 600);
    expect(receiver.most()).toBeLessThan(400);
    expect(idsOf(receiver)).toBe(600);
    expect(receiver.requests).toHaveLength(600);
  });

  test('for one that is the slower the more it has is not sent all at once, and nothing times out', async () => {
    // With n open an answer takes 200 ms × (1 + (n / 40)²), 20 s at most: most of them come with forty.
    const receiver = await watched((answer, open) => after(Math.min(20_000, 200 * (1 + (open / 40) ** 2)))(answer));
    const { channelId } = await subscribed(posthorn, receiver, { timeoutMs: 30_000 });

    await publishMany(posthorn, channelId, 1_200);

    await delivered(receiver, 1_200);
    // Growth that heeded nothing would come to more than six hundred with so many messages.
    expect(receiver.most()).toBeLessThan(600);
    expect(receiver.requests).toHaveLength(1_200);
  });

  test('for one that answers 429 above forty at a time soon keeps below that', async () => {
    const receiver = await watched((answer, open) => {
      if (open > 40) answer(429);
      else after(500)(answer);
    });
    const { channelId } = await subscribed(posthorn, receiver, {
      retryPolicy: { maxRetries: 20, initialDelay: 200, maxDelay: 1_000 },
    });

    await publishMany(posthorn, channelId, 800);

    await delivered(receiver, 800);
    // Some when it first grows beyond forty, and few afterwards: a limit that did not heed them would bring thousands.
    expect(receiver.statuses.filter((status) => status === 429).length).toBeLessThan(400);
  });

  test('for one that stops answering shrinks, and grows again once it answers', async () => {
    let isAway = false;
    const receiver = await watched((answer) => {
      if (!isAway) after(100)(answer);
    });
    const { channelId, subscriptionId } = await subscribed(posthorn, receiver, {
      timeoutMs: 3_000,
      circuitBreaker: false,
      retryPolicy: { maxRetries: 50, initialDelay: 100, maxDelay: 1_000 },
    });
    await publishMany(posthorn, channelId, 100);
    await delivered(receiver, 100);

    isAway = true;
    await publishMany(posthorn, channelId, 200);
    const isShrunk = async (): Promise<boolean> => (await concurrencyOf(posthorn, subscriptionId)).limit <= 4;
    await waitFor('the limit to be low', isShrunk);

    isAway = false;
    // Not by the answers: one that a stall lets come too late is repeated.
    await waitFor(
      'each of the 300 to be delivered',
      async () => (await posthorn.deps.db.delivery.count({ where: { subscriptionId, status: 'delivered' } })) === 300,
      90_000,
    );
    expect(idsOf(receiver)).toBe(300);
    // A limit grows while it is used up, and a busy machine may have needed all messages to end the retries.
    await waitFor(
      'the limit to be high again',
      async () => {
        await publishBatch(posthorn, channelId, 50);
        return (await concurrencyOf(posthorn, subscriptionId)).limit >= 15;
      },
      120_000,
    );
  }, 400_000);
});
