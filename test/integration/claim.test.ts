import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { claimDue, type ClaimedDelivery } from '../../src/dispatch/claim.ts';
import { createChannel, createSubscription, publishBatch } from '../support/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/posthorn.ts';

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

const claim = (after: string, fields: Partial<Parameters<typeof claimDue>[2]> = {}): Promise<ClaimedDelivery[]> =>
  claimDue(posthorn.deps.pool, 'first', {
    incarnationId: 'inc_claiming',
    count: 6,
    perSubscription: 2,
    except: [],
    after,
    ...fields,
  });

const subscriptionsOf = (claimed: ClaimedDelivery[]): string[] => claimed.map(({ subscriptionId }) => subscriptionId);

test('due deliveries are claimed in turns over the subscriptions, however many another one has waiting', async () => {
  const crowded = await waiting(100);
  const second = await waiting(3);
  const third = await waiting(1);

  expect(subscriptionsOf(await claim(''))).toEqual([crowded, crowded, second, second, third]);
  expect(subscriptionsOf(await claim(second))).toEqual([]);
  expect(subscriptionsOf(await claim(crowded))).toEqual([second]);
  expect(subscriptionsOf(await claim('', { except: [crowded] }))).toEqual([]);
});

test('two that claim at once never get the same delivery', async () => {
  await waiting(40);

  const claims = await Promise.all(Array.from({ length: 8 }, () => claim('', { count: 10, perSubscription: 10 })));

  const ids = claims.flat().map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(10);
  expect(new Set(ids).size).toBe(ids.length);
});
