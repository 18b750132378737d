import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannelBody } from '../../src/channels/schema.ts';
import {
  createSubscriptionBody,
  listSubscriptionsQuery,
  updateSubscriptionBody,
} from '../../src/subscriptions/schema.ts';
import { createSubscriptions } from '../../src/subscriptions/service.ts';
import { countNotifications } from '../support/notifications.ts';
import { type Resources, startResources } from '../support/resources.ts';

const NOT_FOUND = { code: 'NOT_FOUND', message: 'No such subscription in this environment' };
const URL_OF_HOOK = 'https://hooks.example.com:8443/orders';

let resources: Resources;
let channelId: string;
beforeAll(async () => {
  resources = await startResources();
});
afterAll(() => resources.stop());
beforeEach(async () => {
  channelId = await newChannel();
});

const newChannel = async (caller = resources.live): Promise<string> =>
  (await resources.channels.create(caller, createChannelBody.parse({ name: 'orders' }))).id;
const create = (body: object = {}, caller = resources.live) =>
  resources.subscriptions.create(caller, createSubscriptionBody.parse({ channelId, webhookUrl: URL_OF_HOOK, ...body }));
const update = (id: string, body: object, caller = resources.live) =>
  resources.subscriptions.update(caller, id, updateSubscriptionBody.parse(body));
const list = (query: object = {}, caller = resources.live) =>
  resources.subscriptions.list(caller, listSubscriptionsQuery.parse(query));
const get = (id: string, caller = resources.live) => resources.subscriptions.get(caller, id);
const row = (id: string) => resources.db.subscription.findUniqueOrThrow({ where: { id } });
const disable = (id: string) => resources.db.subscription.update({ where: { id }, data: { status: 'disabled' } });

describe('deleting a subscription', () => {
  test('hides it, and a second time finds nothing', async () => {
    const [kept, { id }] = [await create(), await create()];
    expect(await resources.subscriptions.delete(resources.live, id)).toBeUndefined();
    await expect(get(id)).rejects.toMatchObject(NOT_FOUND);
    await expect(update(id, { name: 'x' })).rejects.toMatchObject(NOT_FOUND);
    await expect(resources.subscriptions.resume(resources.live, id)).rejects.toMatchObject(NOT_FOUND);
    await expect(resources.subscriptions.delete(resources.live, id)).rejects.toMatchObject(NOT_FOUND);
    expect((await list({ channelId })).data).toStrictEqual([kept]);
    expect((await row(id)).deletedAt).toBeInstanceOf(Date);
  });

  test('many times at once succeeds exactly once', async () => {
    const { id } = await create();
    const { live, subscriptions } = resources;
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => subscriptions.delete(live, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(NOT_FOUND);
  });

  test('ends its unfinished deliveries, and touches neither finished ones, nor others, nor dead letters', async () => {
    const { db, insertDelivery } = resources;
    const [gone, kept] = [await create(), await create()];
    const pending = await insertDelivery({ channelId, subscriptionId: gone.id, status: 'pending' });
    const retrying = await insertDelivery({ channelId, subscriptionId: gone.id, status: 'retrying' });
    const others = [
      await insertDelivery({ channelId, subscriptionId: gone.id, status: 'delivered' }),
      await insertDelivery({ channelId, subscriptionId: gone.id, status: 'failed' }),
      await insertDelivery({ channelId, subscriptionId: kept.id, status: 'pending' }),
    ];
    const untouched = () => db.delivery.findMany({ where: { id: { in: others } }, orderBy: { id: 'asc' } });
    const [before, deadLetters] = [await untouched(), await db.deadLetter.count()];

    await resources.subscriptions.delete(resources.live, gone.id);

    for (const id of [pending, retrying]) {
      expect(await db.delivery.findUnique({ where: { id } })).toMatchObject({
        status: 'failed',
        failureReason: 'subscription_deleted',
        dueAt: null,
        nextRetryAt: null,
      });
    }
    expect(await untouched()).toStrictEqual(before);
    expect(await db.deadLetter.count()).toBe(deadLetters);
  });

  test('changes nothing when its deliveries cannot be ended', async () => {
    const { db, newId, now, live, keyRing, guard } = resources;
    const subscription = await create();
    const failing = createSubscriptions(
      { db, newId, clock: now, keyRing },
      {
        guard,
        deliveries: { endOfSubscriptions: () => Promise.reject(new Error('disk full')) },
        messageReplays: { startWithin: () => Promise.reject(new Error('not asked for')) },
        filters: { problemOf: () => undefined },
      },
    );
    await expect(failing.delete(live, subscription.id)).rejects.toThrow('disk full');
    expect(await get(subscription.id)).toStrictEqual(subscription);
  });

  test('goes with deleting its channel, from lists too', async () => {
    const { id } = await create();
    await resources.channels.delete(resources.live, channelId);
    expect((await list({ limit: '100' })).data.map((shown) => shown.id)).not.toContain(id);
    expect((await list({ channelId })).data).toEqual([]);
    await expect(get(id)).rejects.toMatchObject(NOT_FOUND);
  });
});

describe('pausing and resuming', () => {
  test('pause an active subscription and make it active again', async () => {
    const subscription = await create();
    const { live, subscriptions } = resources;
    const delivery = await resources.insertDelivery({ channelId, subscriptionId: subscription.id, status: 'pending' });
    const before = await resources.db.delivery.findUnique({ where: { id: delivery } });
    resources.advance(5);
    const paused = await subscriptions.pause(live, subscription.id);
    expect(paused).toStrictEqual({ ...subscription, status: 'paused', updatedAt: paused.updatedAt });
    expect(paused.updatedAt.getTime()).toBeGreaterThan(subscription.updatedAt.getTime());
    const resumed = await subscriptions.resume(live, subscription.id);
    expect(resumed).toStrictEqual({ ...subscription, updatedAt: resumed.updatedAt });
    expect(await resources.db.delivery.findUnique({ where: { id: delivery } })).toStrictEqual(before);
  });

  test('twice is the same as once', async () => {
    const { live, subscriptions } = resources;
    const { id } = await create();
    const paused = await subscriptions.pause(live, id);
    resources.advance(5);
    expect(await subscriptions.pause(live, id)).toStrictEqual(paused);
    const resumed = await subscriptions.resume(live, id);
    resources.advance(5);
    expect(await subscriptions.resume(live, id)).toStrictEqual(resumed);
  });

  test('a disabled subscription can be resumed, and can be paused', async () => {
    const { live, subscriptions } = resources;
    const [first, second] = [await create(), await create()];
    await disable(first.id);
    await disable(second.id);
    expect(await subscriptions.resume(live, first.id)).toHaveProperty('status', 'active');
    expect(await subscriptions.pause(live, second.id)).toHaveProperty('status', 'paused');
  });

  test('resuming wakes the dispatchers, once it is committed and only if it changed something', async () => {
    const { live, subscriptions, databaseUrl } = resources;
    const { id } = await create();
    await subscriptions.pause(live, id);
    expect(await countNotifications(databaseUrl, () => subscriptions.resume(live, id))).toBe(1);
    expect(await countNotifications(databaseUrl, () => subscriptions.resume(live, id))).toBe(0);
    expect(await countNotifications(databaseUrl, () => subscriptions.pause(live, id))).toBe(0);
  });
});
