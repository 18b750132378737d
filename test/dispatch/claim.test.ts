import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ClaimedDelivery } from '../../src/deliveries/statements/claim.ts';
import { createDueRows, type DueRows } from '../../src/dispatch/loop/claims/due-rows.ts';
import { createChannel, createSubscription, publishBatch } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

/** A subscription with so many due deliveries. */
async function waiting(count: number): Promise<string> {
  const { id: channelId } = await createChannel(posthorn);
  const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'http://127.0.0.1:4000/' });
  await publishBatch(posthorn, channelId, count);
  return id;
}

/** Due rows as a worker knows them that has just looked. */
async function looked(): Promise<DueRows> {
  const due = createDueRows({ pool: posthorn.deps.pool, incarnationId: 'inc_claiming' });
  await due.look();
  return due;
}

const claim = (due: DueRows, count: number, perSubscription = 2, except: string[] = []): Promise<ClaimedDelivery[]> =>
  due.claim('first', { count, perSubscription, except });

const subscriptionsOf = (claimed: ClaimedDelivery[]): string[] => claimed.map(({ subscriptionId }) => subscriptionId);

test('due deliveries are claimed in turns over the subscriptions, however many another one has waiting', async () => {
  const crowded = await waiting(100);
  const second = await waiting(3);
  const third = await waiting(1);
  const due = await looked();

  expect(subscriptionsOf(await claim(due, 2))).toEqual([crowded, crowded]);
  expect(subscriptionsOf(await claim(due, 6))).toEqual([crowded, crowded, second, second, third]);
  expect(subscriptionsOf(await claim(due, 6, 2, [crowded]))).toEqual([second]);
  expect([due.has('first', [crowded]), due.has('first')]).toEqual([false, true]);
  expect(await due.count(50)).toEqual(new Map([[crowded, 50]]));
});

test('two that claim at once never get the same delivery', async () => {
  await waiting(40);
  const workers = await Promise.all(Array.from({ length: 8 }, looked));

  const claims = await Promise.all(workers.map((due) => claim(due, 10, 10)));

  const ids = claims.flat().map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(10);
  expect(new Set(ids).size).toBe(ids.length);
});

// More than two pages of a look, all of them due at the same moment.
test('a broadcast to more subscriptions than one look reads reaches every one of them', async () => {
  const due = await looked();
  const { id: channelId } = await createChannel(posthorn);
  await posthorn.deps.pool.query(
    `INSERT INTO subscriptions (id, environment_id, channel_id, name, webhook_url, event_types, max_retries, initial_delay, max_delay,
       backoff_multiplier, updated_at)
     SELECT posthorn_id('sub'), c.environment_id, c.id, 'made by a test', 'http://127.0.0.1:4000/', '{}', 3, 1000, 1000, 1, now()
     FROM channels c CROSS JOIN generate_series(1, 2500) WHERE c.id = $1`,
    [channelId],
  );
  await publishBatch(posthorn, channelId, 1);

  due.expect();
  const ids = new Set<string>();
  for (let isMore = true; isMore; ) {
    isMore = await due.look();
    for (;;) {
      const claimed = await claim(due, 1_000);
      if (claimed.length === 0 && !due.has('first')) break;
      for (const delivery of claimed) if (delivery.channelId === channelId) ids.add(delivery.subscriptionId);
    }
  }

  expect(ids.size).toBe(2_500);
});
