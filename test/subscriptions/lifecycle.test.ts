import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSubscriptions } from '../../src/subscriptions/service.ts';
import { countNotifications } from '../support/world/notifications.ts';
import { type Resources, startResources } from '../support/make/resources.ts';
import { DEFAULT_POLICY, invalidAt, NO_SUBSCRIPTION, subscriptionCalls } from '../support/make/subscription-calls.ts';

let resources: Resources;
let channelId: string;
beforeAll(async () => {
  resources = await startResources();
});
afterAll(() => resources.stop());
beforeEach(async () => {
  channelId = await newChannel();
});

const { newChannel, create, update, list, get, row } = subscriptionCalls(
  () => resources,
  () => channelId,
);
const disable = (id: string) => resources.db.subscription.update({ where: { id }, data: { status: 'disabled' } });

describe('patching a subscription', () => {
  test('changes only the fields it names', async () => {
    const subscription = await create({ headers: { 'x-team': 'a' }, eventTypes: ['a'] });
    resources.advance(5);
    const patched = await update(subscription.id, { webhookUrl: 'https://example.org/', timeoutMs: 2_000 });
    expect(patched).toStrictEqual({
      ...subscription,
      webhookUrl: 'https://example.org/',
      timeoutMs: 2_000,
      updatedAt: patched.updatedAt,
    });
    expect(patched.updatedAt.getTime()).toBeGreaterThan(subscription.updatedAt.getTime());
    expect(await get(subscription.id)).toStrictEqual(patched);
  });

  test('sets limits, leaves them, and clears them with null', async () => {
    const { id } = await create({ maxConcurrency: null, rateLimit: null });
    expect(await update(id, { maxConcurrency: 3, rateLimit: 7 })).toMatchObject({ maxConcurrency: 3, rateLimit: 7 });
    expect(await update(id, { name: 'other' })).toMatchObject({ maxConcurrency: 3, rateLimit: 7 });
    const cleared = await update(id, { maxConcurrency: null, rateLimit: null });
    expect(cleared).not.toHaveProperty('maxConcurrency');
    expect(cleared).not.toHaveProperty('rateLimit');
  });

  test('switches the circuit breaker off and on, and closes a circuit that is open with it', async () => {
    const { id } = await create();
    const openedAt = new Date();
    const stored = { circuitOpenedAt: openedAt, circuitProbeAt: openedAt, circuitProbeFailedAt: openedAt };
    await resources.db.subscription.update({ where: { id }, data: { ...stored, failingSince: openedAt } });
    expect(await update(id, { circuitBreaker: true })).toMatchObject({ circuit: { state: 'open' } });

    expect(await update(id, { circuitBreaker: false })).toMatchObject({
      circuitBreaker: false,
      circuit: { state: 'closed' },
    });

    // Five days of failures still disable it.
    expect(await row(id)).toMatchObject({ circuitProbeFailedAt: null, failingSince: openedAt });
    expect(await update(id, { name: 'other' })).toMatchObject({ circuitBreaker: false });
    expect(await update(id, { circuitBreaker: true })).toMatchObject({ circuitBreaker: true });
  });

  test('merges retryPolicy, and replaces eventTypes and headers', async () => {
    const { id } = await create({
      retryPolicy: { maxRetries: 2, initialDelay: 1_000, maxDelay: 60_000, backoffMultiplier: 2 },
      eventTypes: ['a', 'b'],
      headers: { 'x-team': 'a', 'x-stage': 'b' },
    });
    const patched = await update(id, {
      retryPolicy: { maxRetries: 7 },
      eventTypes: ['c'],
      headers: { 'x-team': 'c' },
    });
    expect(patched.retryPolicy).toStrictEqual({
      maxRetries: 7,
      initialDelay: 1_000,
      maxDelay: 60_000,
      backoffMultiplier: 2,
    });
    expect(patched.eventTypes).toEqual(['c']);
    expect(patched.headers).toStrictEqual({ 'x-team': 'c' });
    expect(await update(id, { eventTypes: [], headers: {} })).toMatchObject({ eventTypes: [], headers: {} });
  });

  test('lets the delay that is not named follow the one that is', async () => {
    const { id } = await create({ retryPolicy: { initialDelay: 5_000, maxDelay: 60_000 } });
    expect((await update(id, { retryPolicy: { maxDelay: 1_000 } })).retryPolicy).toMatchObject({
      initialDelay: 1_000,
      maxDelay: 1_000,
    });
  });

  test('takes its own channelId and refuses another one', async () => {
    const { id } = await create();
    const before = await row(id);
    await expect(update(id, { channelId: await newChannel(), name: 'x' })).rejects.toMatchObject(
      invalidAt('channelId'),
    );
    await expect(update(id, { channelId: 'nonsense' })).rejects.toMatchObject(invalidAt('channelId'));
    expect(await row(id)).toStrictEqual(before);
    expect(await update(id, { channelId, name: 'x' })).toMatchObject({ channelId, name: 'x' });
  });

  test.each([
    ['webhookUrl', { webhookUrl: 'https://10.0.0.1/', name: 'x' }],
    ['headers["host"]', { headers: { host: 'x' }, name: 'x' }],
    ['retryPolicy.maxDelay', { retryPolicy: { initialDelay: 500, maxDelay: 400 }, name: 'x' }],
  ])('that is refused at %s changes nothing', async (field, body) => {
    const { id } = await create();
    const before = await row(id);
    await expect(update(id, body)).rejects.toMatchObject(invalidAt(field));
    expect(await row(id)).toStrictEqual(before);
  });

  test('that names no status leaves it as it is', async () => {
    const { id } = await create();
    await resources.subscriptions.pause(resources.live, id);
    expect(await update(id, { name: 'x' })).toHaveProperty('status', 'paused');
  });

  test('twice at once loses neither part of the retryPolicy', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await create();
      await Promise.all([
        update(id, { retryPolicy: { maxRetries: 1 } }),
        update(id, { retryPolicy: { backoffMultiplier: 5 } }),
        update(id, { name: 'both' }),
      ]);
      expect(await get(id)).toMatchObject({
        name: 'both',
        retryPolicy: { ...DEFAULT_POLICY, maxRetries: 1, backoffMultiplier: 5 },
      });
    }
  });
});

describe('deleting a subscription', () => {
  test('hides it, and a second time finds nothing', async () => {
    const [kept, { id }] = [await create(), await create()];
    expect(await resources.subscriptions.delete(resources.live, id)).toBeUndefined();
    await expect(get(id)).rejects.toMatchObject(NO_SUBSCRIPTION);
    await expect(update(id, { name: 'x' })).rejects.toMatchObject(NO_SUBSCRIPTION);
    await expect(resources.subscriptions.resume(resources.live, id)).rejects.toMatchObject(NO_SUBSCRIPTION);
    await expect(resources.subscriptions.delete(resources.live, id)).rejects.toMatchObject(NO_SUBSCRIPTION);
    expect((await list({ channelId })).data).toEqual([{ ...kept, concurrency: undefined }]);
    expect((await row(id)).deletedAt).toBeInstanceOf(Date);
  });

  test('many times at once succeeds exactly once', async () => {
    const { id } = await create();
    const { live, subscriptions } = resources;
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => subscriptions.delete(live, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(NO_SUBSCRIPTION);
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
    const { apps, tenants, newId, now, live, keyRing, guard } = resources;
    const subscription = await create();
    const failing = createSubscriptions(
      { tenants, newId, clock: now, keyRing },
      {
        apps,
        guard,
        deliveries: {
          endOfSubscriptions: () => Promise.reject(new Error('disk full')),
          endRestOfSubscriptions: () => Promise.resolve(),
        },
        messageReplays: { startWithin: () => Promise.reject(new Error('not asked for')) },
        filters: { measure: () => ({ units: 1 }) },
        audit: { record: async () => undefined },
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
    await expect(get(id)).rejects.toMatchObject(NO_SUBSCRIPTION);
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
    const { updatedAt } = paused;
    expect(paused).toStrictEqual({ ...subscription, status: 'paused', statusChangedAt: updatedAt, updatedAt });
    expect(updatedAt.getTime()).toBeGreaterThan(subscription.updatedAt.getTime());
    const resumed = await subscriptions.resume(live, subscription.id);
    const { statusChangedAt } = resumed;
    expect(resumed).toStrictEqual({ ...subscription, statusChangedAt, updatedAt: resumed.updatedAt });
    expect(statusChangedAt?.getTime()).toBeGreaterThanOrEqual(updatedAt.getTime());
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
