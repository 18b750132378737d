import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, type PageJson, publish, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createReceivers, type Receiver, startReceiver } from '../support/world/receiver.ts';

describe('own workflow', () => {
  const MESSAGES = 100;

  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  describe.each([
    ['not set', ''],
    ['100', '100'],
    ['off', 'off'],
  ])('with DELIVERY_BURST_THRESHOLD %s', (_, threshold) => {
    let posthorn: TestPosthorn;
    let channelId: string;
    beforeAll(async () => {
      posthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: threshold } });
    });
    afterAll(() => posthorn.stop());
    beforeEach(async () => {
      channelId = (await createChannel(posthorn)).id;
      await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
    });
    afterEach(() => posthorn.request('DELETE', `/v1/channels/${channelId}`));

    /** Carriers of all first tries of the channel, once `count` are recorded; each message arrived once. */
    const carriers = (count: number): Promise<string[]> =>
      waitFor(`${count} recorded tries`, async () => {
        const { rows } = await posthorn.deps.pool.query<{ carrier: string; messageId: string }>(
          `SELECT a.carrier, d.message_id AS "messageId" FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
         WHERE d.channel_id = $1 ORDER BY a.id`,
          [channelId],
        );
        if (rows.length < count) return false;
        expect(rows.filter(({ messageId }) => receiver.countOf(messageId) !== 1)).toEqual([]);
        return rows.map(({ carrier }) => carrier.split('/')[0] ?? '');
      });
    const shareOwn = (all: readonly string[]): number => all.filter((name) => name === 'delivery').length / all.length;

    if (threshold === '') {
      // Six starts may be under way at a time. Half of them in use is half of what this machine can start, however slow it is.
      const HALF = 3;

      test('at 20 a second at least 99 of 100 deliveries have their own workflow', async () => {
        const sent: string[] = [];
        for (let n = 0; n < MESSAGES; n += 1) {
          sent.push((await publish(posthorn, channelId)).id);
          await sleep(50);
          // A machine that cannot start so many gets as many as it can.
          await waitFor(
            'an earlier one to arrive',
            () => sent.filter((id) => receiver.countOf(id) === 0).length < HALF,
          );
        }
        expect(shareOwn(await carriers(MESSAGES))).toBeGreaterThanOrEqual(0.99);
      });

      test('at half of what Temporal can start, too', async () => {
        const inTurn = async (): Promise<void> => {
          for (let n = 0; n < MESSAGES / HALF; n += 1) {
            const { id } = await publish(posthorn, channelId);
            await waitFor('the message to arrive', () => receiver.countOf(id) > 0);
          }
        };
        await Promise.all(Array.from({ length: HALF }, inTurn));
        expect(shareOwn(await carriers(MESSAGES))).toBeGreaterThanOrEqual(0.99);
      });
    }

    test('late first tries are drained, unless a threshold is set', async () => {
      await publishBatch(posthorn, channelId, 90);
      const all = await carriers(90);
      if (threshold === '') expect(shareOwn(all)).toBeLessThan(1);
      else expect(shareOwn(all)).toBe(1);
    });
  });
});

describe('open retries', () => {
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
});
