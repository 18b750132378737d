import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createChannel, createSubscription, type PageJson, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

// Beyond the number of Temporal workflows that may be open for the retries of a subscription.
const STUBBORN = 150;
const AT_ONCE = 50;
const OPEN_RETRIES = 50;
const ONCE = 20;
// Three hundred tries of Temporal workflows, on a machine that does a few a second.
const WITHIN_MS = 120_000;

describe.each([
  ['0', 'drain/'],
  ['off', 'delivery/'],
])('with the burst threshold %s', (threshold, carrier) => {
  let posthorn: TestPosthorn;
  const receivers = createReceivers();
  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: threshold } });
  });
  afterAll(async () => {
    await receivers.end();
    await posthorn.stop();
  });

  test('a retry comes at its time while many others of its subscription wait for an hour in their Temporal workflows', async () => {
    const seen = new Map<string, number>();
    const times = (id: unknown): number => {
      seen.set(String(id), (seen.get(String(id)) ?? 0) + 1);
      return seen.get(String(id)) ?? 0;
    };
    const receiver = await receivers.start({
      answer: ({ headers }) => {
        if (times(headers['webhook-id']) === 1) return 500;
        return (response) => response.writeHead(503, { 'retry-after': '3600' }).end();
      },
    });
    const { id: channelId } = await createChannel(posthorn);
    const retryPolicy = { maxRetries: 5, initialDelay: 500, maxDelay: 3_600_000, backoffMultiplier: 1 };
    const target = { channelId, webhookUrl: receiver.url, retryPolicy, circuitBreaker: false };
    const { id: subscriptionId } = await createSubscription(posthorn, target);
    for (let sent = 0; sent < STUBBORN; sent += AT_ONCE) await publishBatch(posthorn, channelId, AT_ONCE);
    const tried = `SELECT count(*)::int AS n, count(carrier)::int AS open FROM deliveries
      WHERE subscription_id = $1 AND attempts = 2 AND due_at > now() + interval '30 minutes'`;
    const { open } = await waitFor(
      'all to wait for an hour behind their second try',
      async () => {
        const { rows } = await posthorn.deps.pool.query<{ n: number; open: number }>(tried, [subscriptionId]);
        return rows[0]?.n === STUBBORN && rows[0];
      },
      WITHIN_MS,
    );
    // More may have been claimed before the fiftieth was open.
    expect([open >= OPEN_RETRIES, open < STUBBORN]).toEqual([true, threshold !== 'off']);

    receiver.answerWith(({ headers }) => (times(headers['webhook-id']) === 1 ? 500 : 200));
    const ids = await publishBatch(posthorn, channelId, ONCE);
    const path = `/v1/deliveries?subscriptionId=${subscriptionId}&status=delivered`;
    const delivered = await waitFor(
      'each of the others to be delivered',
      async () => {
        const { data } = (await posthorn.request<PageJson<{ id: string; attempts: number }>>('GET', path)).body;
        return data.length === ids.length && data;
      },
      WITHIN_MS,
    );
    expect(delivered.map(({ attempts }) => attempts)).toEqual(ids.map(() => 2));
    const { rows } = await posthorn.deps.pool.query<{ carrier: string }>(
      `SELECT DISTINCT split_part(carrier, '/', 1) || '/' AS carrier FROM attempts WHERE number = 2 AND delivery_id = ANY ($1)`,
      [delivered.map(({ id }) => id)],
    );
    expect(rows).toEqual([{ carrier }]);
  }, 300_000);
});

describe('beside a backlog of first tries', () => {
  let posthorn: TestPosthorn;
  const receivers = createReceivers();
  beforeAll(async () => {
    posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: '0' } });
  });
  afterAll(async () => {
    await receivers.end();
    await posthorn.stop();
  });

  test('a retry does not wait until the last of them is sent', async () => {
    const receiver = await receivers.start({ answers: [500, 200] });
    const { id: channelId } = await createChannel(posthorn);
    const retryPolicy = { maxRetries: 5, initialDelay: 500, maxDelay: 500, backoffMultiplier: 1 };
    await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy, rateLimit: 10 });
    // A minute of first tries.
    for (let sent = 0; sent < 600; sent += 100) await publishBatch(posthorn, channelId, 100);

    await waitFor('the retry', () => {
      const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
      return new Set(ids).size < ids.length;
    });

    expect(receiver.requests.length).toBeLessThan(500);
  });
});
