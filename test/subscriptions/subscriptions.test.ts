import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannelBody } from '../../src/messaging/channels/schema.ts';
import { openSigningSecret, secretContext } from '../../src/platform/outbound/sign.ts';
import {
  createSubscriptionBody,
  listSubscriptionsQuery,
  rotateSecretBody,
  type Subscription,
} from '../../src/messaging/subscriptions/schema.ts';
import { createSubscriptions } from '../../src/messaging/subscriptions/service.ts';
import { type Resources, startResources } from '../support/make/resources.ts';
import {
  DEFAULT_POLICY,
  invalidAt,
  NO_SUBSCRIPTION,
  subscriptionCalls,
  URL_OF_HOOK,
} from '../support/make/subscription-calls.ts';
import { countNotifications } from '../support/world/notifications.ts';

describe('subscriptions', () => {
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
  const setChannelStatus = (id: string, status: 'active' | 'paused' | 'archived') =>
    resources.channels.update(resources.live, id, { status });
  const idsOf = (page: { data: { id: string }[] }) => page.data.map((subscription) => subscription.id);

  describe('creating a subscription', () => {
    test('returns an active one with every default, named after its host', async () => {
      const subscription = await create();
      expect(subscription).toStrictEqual({
        id: expect.stringMatching(/^sub_[0-9a-z]{26}$/),
        channelId,
        name: 'hooks.example.com:8443',
        webhookUrl: URL_OF_HOOK,
        status: 'active',
        statusChangedAt: subscription.createdAt,
        eventTypes: [],
        maxRetryAfter: 86_400_000,
        retryPolicy: DEFAULT_POLICY,
        headers: {},
        timeoutMs: 15_000,
        circuitBreaker: true,
        circuit: { state: 'closed' },
        concurrency: { limit: 20, inFlight: 0 },
        createdAt: expect.any(Date),
        updatedAt: subscription.createdAt,
      });
      expect(await get(subscription.id)).toStrictEqual(subscription);
    });

    test('keeps everything it is given', async () => {
      const given = {
        name: 'billing',
        eventTypes: ['order.*', 'invoice.paid'],
        retryPolicy: { maxRetries: 0, initialDelay: 100, maxDelay: 604_800_000, backoffMultiplier: 1 },
        headers: { 'X-Team': 'billing', authorization: 'Bearer abc' },
        timeoutMs: 1_000,
        maxConcurrency: 1_000,
        rateLimit: 10_000,
        circuitBreaker: false,
      };
      const { id } = await create(given);
      expect(await get(id)).toMatchObject(given);
    });

    test.each([
      [{ maxDelay: 1_000 }, { ...DEFAULT_POLICY, initialDelay: 1_000, maxDelay: 1_000 }],
      [{ initialDelay: 86_400_000 }, { ...DEFAULT_POLICY, initialDelay: 86_400_000, maxDelay: 86_400_000 }],
      [{ maxRetries: 1 }, { ...DEFAULT_POLICY, maxRetries: 1 }],
    ])('completes the retryPolicy %j', async (retryPolicy, complete) => {
      expect((await create({ retryPolicy })).retryPolicy).toStrictEqual(complete);
    });

    test('shortens a default name to the length a name may have', async () => {
      const host = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(30)}.com`;
      expect((await create({ webhookUrl: `https://${host}/` })).name).toBe(host.slice(0, 200));
    });

    test('is possible on a paused channel', async () => {
      await setChannelStatus(channelId, 'paused');
      expect(await create()).toHaveProperty('status', 'active');
    });

    describe('stores nothing when', () => {
      let before: number[];
      const counts = async () => [
        await resources.db.subscription.count(),
        await resources.db.subscriptionSecret.count(),
      ];
      beforeEach(async () => {
        before = await counts();
      });

      test('the channel is missing, malformed, deleted or of another environment, with the same response', async () => {
        const deleted = await newChannel();
        await resources.channels.delete(resources.live, deleted);
        const foreign = await newChannel(resources.test);
        for (const id of [`chn_${'0'.repeat(26)}`, 'nonsense', '', 'chn_\u0000', deleted, foreign]) {
          await expect(create({ channelId: id })).rejects.toMatchObject({
            code: 'INVALID_REQUEST',
            details: { field: 'channelId', reason: 'must name a channel of this environment' },
          });
        }
        expect(await counts()).toEqual(before);
      });

      test('the channel is archived', async () => {
        await setChannelStatus(channelId, 'archived');
        await expect(create()).rejects.toMatchObject({ code: 'CONFLICT' });
        expect(await counts()).toEqual(before);
      });

      test.each([
        'hooks.example.com',
        'ftp://example.com/',
        'http://example.com/',
        'https://user:password@example.com/',
        'https://localhost/',
        'https://127.0.0.1/',
        'https://[::1]/',
        'https://169.254.169.254/latest/meta-data',
        'https://example.com:5432/',
      ])('the webhookUrl is %s', async (webhookUrl) => {
        await expect(create({ webhookUrl })).rejects.toMatchObject(invalidAt('webhookUrl'));
        expect(await counts()).toEqual(before);
      });

      test.each([
        [{ host: 'example.org' }, 'headers["host"]'],
        [{ 'webhook-id': 'mine' }, 'headers["webhook-id"]'],
        [{ 'Content-Type': 'text/plain' }, 'headers["Content-Type"]'],
        [{ 'x-team': 'a\r\nx-other: b' }, 'headers["x-team"]'],
        [{ 'x-team': '1', 'X-Team': '2' }, 'headers["X-Team"]'],
        [{ 'bad name': '1' }, 'headers["bad name"]'],
        [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, '1'])), 'headers'],
      ])('the headers are %j', async (headers, field) => {
        await expect(create({ headers })).rejects.toMatchObject(invalidAt(field));
        expect(await counts()).toEqual(before);
      });

      test('maxDelay is below initialDelay', async () => {
        const retryPolicy = { initialDelay: 2_000, maxDelay: 1_999 };
        await expect(create({ retryPolicy })).rejects.toMatchObject(invalidAt('retryPolicy.maxDelay'));
        expect(await counts()).toEqual(before);
      });
    });
  });

  describe('another environment', () => {
    test('sees NOT_FOUND with the text of a missing subscription, and changes nothing', async () => {
      const { id } = await create();
      const { test: stranger, subscriptions } = resources;
      const before = await row(id);
      for (const call of [
        () => get(id, stranger),
        () => update(id, { name: 'yours' }, stranger),
        () => subscriptions.delete(stranger, id),
        () => subscriptions.pause(stranger, id),
        () => subscriptions.resume(stranger, id),
      ]) {
        await expect(call()).rejects.toMatchObject(NO_SUBSCRIPTION);
      }
      expect(await row(id)).toStrictEqual(before);
      expect((await list({}, stranger)).data).toEqual([]);
      expect((await list({ channelId }, stranger)).data).toEqual([]);
    });

    test.each([`sub_${'0'.repeat(26)}`, 'sub_1', '', 'nonsense', 'sub_\u0000', `chn_${'0'.repeat(26)}`])(
      'the id %j is missing for everyone',
      async (id) => {
        const { live, subscriptions } = resources;
        await expect(get(id)).rejects.toMatchObject(NO_SUBSCRIPTION);
        await expect(update(id, { name: 'x' })).rejects.toMatchObject(NO_SUBSCRIPTION);
        await expect(subscriptions.delete(live, id)).rejects.toMatchObject(NO_SUBSCRIPTION);
        await expect(subscriptions.pause(live, id)).rejects.toMatchObject(NO_SUBSCRIPTION);
        await expect(subscriptions.resume(live, id)).rejects.toMatchObject(NO_SUBSCRIPTION);
      },
    );
  });

  describe('the list of subscriptions', () => {
    test('is sorted newest first, in pages that neither repeat nor skip a subscription', async () => {
      const made: string[] = [];
      for (let count = 0; count < 5; count += 1) made.unshift((await create()).id);
      const first = await list({ channelId, limit: '2' });
      expect(first.pagination).toEqual({ cursor: expect.any(String), hasMore: true });
      const second = await list({ channelId, limit: '2', cursor: first.pagination.cursor });
      const third = await list({ channelId, limit: '2', cursor: second.pagination.cursor });
      expect([first, second, third].flatMap(idsOf)).toEqual(made);
      expect(third.pagination).toStrictEqual({ hasMore: false });
    });

    test('filters by channel and by status', async () => {
      const [paused, active] = [await create(), await create()];
      await resources.subscriptions.pause(resources.live, paused.id);
      const elsewhere = await create({ channelId: await newChannel() });
      expect(idsOf(await list({ channelId }))).toEqual([active.id, paused.id]);
      expect(idsOf(await list({ channelId, status: 'paused' }))).toEqual([paused.id]);
      expect(idsOf(await list({ channelId, status: 'disabled' }))).toEqual([]);
      expect(idsOf(await list({ status: 'active', limit: '2' }))).toEqual([elsewhere.id, active.id]);
      expect(idsOf(await list({ channelId: 'nonsense' }))).toEqual([]);
    });

    test('filters by owner, as of the last change', async () => {
      const [first, second] = [await create({ owner: 'customer-7' }), await create({ owner: 'customer-8' })];
      await create();
      expect(first.owner).toBe('customer-7');
      expect(idsOf(await list({ owner: 'customer-7' }))).toEqual([first.id]);
      await update(second.id, { owner: 'customer-7' });
      expect(idsOf(await list({ owner: 'customer-7' }))).toEqual([second.id, first.id]);
      // Regression: it looked like tenancy, and nothing said that it is none.
      expect(second.warnings).toEqual([{ field: 'owner', reason: expect.stringContaining('does not affect routing') }]);
      expect(await update(first.id, { owner: null })).not.toHaveProperty('owner');
      expect(await resources.subscriptions.get(resources.live, first.id)).not.toHaveProperty('warnings');
      expect(idsOf(await list({ owner: 'customer-7', channelId }))).toEqual([second.id]);
    });

    test('filters by subscriptions that need attention: disabled, a failing receiver, a circuit breaker that is not closed, secrets that cannot be decrypted', async () => {
      const made = [];
      for (let count = 0; count < 7; count += 1) made.push(await create());
      const [well, disabled, open, sealed, paused, failing, shaky] = made.map(({ id }) => id);
      const change = (id: string | undefined, data: object) =>
        resources.db.subscription.update({ where: { id: id ?? '' }, data });
      await change(disabled, { status: 'disabled' });
      await change(open, { circuitOpenedAt: new Date() });
      await change(sealed, { secretUnreadableSince: new Date() });
      await change(paused, { status: 'paused' });
      await change(failing, { failingSince: new Date(0), failingAttempts: 5 });
      // Four failed attempts, and what was counted before the last success.
      await change(shaky, { failingSince: new Date(0), failingAttempts: 4 });
      await change(well, { failingAttempts: 5 });
      expect(idsOf(await list({ failing: 'true', channelId }))).toEqual([failing, sealed, open, disabled]);
      expect(idsOf(await list({ failing: 'false', channelId }))).toEqual([shaky, paused, well]);
      expect(idsOf(await list({ failing: 'true', status: 'disabled', channelId }))).toEqual([disabled]);
    });

    test('refuses a cursor of another filter', async () => {
      await create();
      await create();
      const { cursor } = (await list({ channelId, limit: '1' })).pagination;
      await expect(list({ cursor })).rejects.toMatchObject(invalidAt('cursor'));
      await expect(list({ channelId, status: 'active', cursor })).rejects.toMatchObject(invalidAt('cursor'));
    });
  });
});

describe('lifecycle', () => {
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

    test('sets limits, keeps them, and clears them with null', async () => {
      const { id } = await create({ maxConcurrency: null, rateLimit: null });
      expect(await update(id, { maxConcurrency: 3, rateLimit: 7 })).toMatchObject({ maxConcurrency: 3, rateLimit: 7 });
      expect(await update(id, { name: 'other' })).toMatchObject({ maxConcurrency: 3, rateLimit: 7 });
      const cleared = await update(id, { maxConcurrency: null, rateLimit: null });
      expect(cleared).not.toHaveProperty('maxConcurrency');
      expect(cleared).not.toHaveProperty('rateLimit');
    });

    test('switches the circuit breaker off and on, and closes an open one', async () => {
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

    test('adjusts the delay that is not named to the one that is', async () => {
      const { id } = await create({ retryPolicy: { initialDelay: 5_000, maxDelay: 60_000 } });
      expect((await update(id, { retryPolicy: { maxDelay: 1_000 } })).retryPolicy).toMatchObject({
        initialDelay: 1_000,
        maxDelay: 1_000,
      });
    });

    test('accepts its own channelId and refuses another one', async () => {
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

    test('that names no status keeps it', async () => {
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
    test('hides it, and finds nothing the second time', async () => {
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

    test('ends its unfinished deliveries, and changes neither finished ones, nor others, nor dead letters', async () => {
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

    test('changes nothing if its deliveries cannot be ended', async () => {
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
            releaseHeldOf: () => Promise.resolve(),
          },
          replayFrom: () => Promise.reject(new Error('not asked for')),
          filters: { measure: () => ({ units: 1 }) },
          audit: { record: async () => undefined },
        },
      );
      await expect(failing.delete(live, subscription.id)).rejects.toThrow('disk full');
      expect(await get(subscription.id)).toStrictEqual(subscription);
    });

    test('happens with deleting its channel, in lists too', async () => {
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
      const delivery = await resources.insertDelivery({
        channelId,
        subscriptionId: subscription.id,
        status: 'pending',
      });
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

    test('wakes the dispatchers, once it is committed and only if it changed something', async () => {
      const { live, subscriptions, databaseUrl } = resources;
      const { id } = await create();
      await subscriptions.pause(live, id);
      expect(await countNotifications(databaseUrl, () => subscriptions.resume(live, id))).toBe(1);
      expect(await countNotifications(databaseUrl, () => subscriptions.resume(live, id))).toBe(0);
      expect(await countNotifications(databaseUrl, () => subscriptions.pause(live, id))).toBe(0);
    });
  });
});

describe('secrets', () => {
  const HOUR_MS = 3_600_000;

  let resources: Resources;
  let subscription: Subscription;
  beforeAll(async () => {
    resources = await startResources();
  });
  afterAll(() => resources.stop());
  beforeEach(async () => {
    const { live, channels, subscriptions } = resources;
    const { id: channelId } = await channels.create(live, createChannelBody.parse({ name: 'orders' }));
    const body = createSubscriptionBody.parse({ channelId, webhookUrl: 'https://example.com/hook' });
    subscription = await subscriptions.create(live, body);
  });

  const secretNow = async (caller = resources.live): Promise<string> =>
    (await resources.subscriptions.secret(caller, subscription.id)).secret;
  const rotate = async (body?: object, caller = resources.live): Promise<string> =>
    (await resources.subscriptions.rotateSecret(caller, subscription.id, rotateSecretBody.parse(body))).secret;
  const rows = (subscriptionId = subscription.id) =>
    resources.db.subscriptionSecret.findMany({ where: { subscriptionId }, orderBy: { id: 'desc' } });
  /** The secrets an attempt would sign with now, newest first. */
  const signingSecrets = async (): Promise<string[]> =>
    (await rows())
      .filter(({ expiresAt }) => expiresAt === null || expiresAt > resources.now())
      .map((row) => openSigningSecret(resources.keyRing, row));

  describe('the secret of a subscription', () => {
    test('exists from the start, 32 random bytes, another one for each subscription', async () => {
      const secret = await secretNow();
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(await secretNow()).toBe(secret);
      const other = await resources.subscriptions.create(
        resources.live,
        createSubscriptionBody.parse({ channelId: subscription.channelId, webhookUrl: 'https://example.com/hook' }),
      );
      expect((await resources.subscriptions.secret(resources.live, other.id)).secret).not.toBe(secret);
    });

    test('may be the one that its receiver already has, on create and on rotation', async () => {
      const { subscriptions, live } = resources;
      const own = ['one', 'two'].map((text) => `whsec_${Buffer.from(text.padEnd(24, '.')).toString('base64')}`);
      const moved = await subscriptions.create(
        live,
        createSubscriptionBody.parse({
          channelId: subscription.channelId,
          webhookUrl: 'https://example.com/hook',
          secret: own[0],
        }),
      );
      expect((await subscriptions.secret(live, moved.id)).secret).toBe(own[0]);
      expect(await rotate({ secret: own[1], overlapHours: 0 })).toBe(own[1]);
      expect(await signingSecrets()).toEqual([own[1]]);
      const entries = await resources.db.auditEntry.findMany({
        where: { targetId: { in: [moved.id, subscription.id] } },
      });
      expect(JSON.stringify(entries)).toContain('hasOwnSecret');
      for (const secret of own) expect(JSON.stringify(entries)).not.toContain(secret);
      for (const refused of ['whsec_short', own[0]?.slice(6), ''])
        expect(createSubscriptionBody.safeParse({ channelId: 'x', webhookUrl: 'y', secret: refused }).success).toBe(
          false,
        );
    });

    test('is stored encrypted, bound to its row', async () => {
      const secret = await secretNow();
      const [row, ...more] = await rows();
      expect(more).toEqual([]);
      if (row === undefined) throw new Error('one secret expected');
      expect(row).toMatchObject({ expiresAt: null, ciphertext: expect.stringMatching(/^v1\.test\./) });
      expect(row.ciphertext).not.toContain(secret.slice('whsec_'.length));
      expect(resources.keyRing.decrypt(row.ciphertext, secretContext(row.id))).toBe(secret);
    });

    // Regression: what did not open was a 500, and nothing said that rotating mends it.
    test('cannot be decrypted in another row: CONFLICT says to rotate it, and rotating works', async () => {
      const before = await secretNow();
      await rotate();
      const [current, old] = await rows();
      if (current === undefined || old === undefined) throw new Error('two secrets expected');
      await resources.db.subscriptionSecret.update({
        where: { id: current.id },
        data: { ciphertext: old.ciphertext },
      });
      await expect(secretNow()).rejects.toMatchObject({
        code: 'CONFLICT',
        message: 'The signing secret of the subscription cannot be decrypted; rotate it to get a new one',
        cause: expect.objectContaining({ message: expect.stringContaining('cannot be decrypted') }),
      });
      await expect(secretNow()).rejects.not.toThrow(before);
      const fresh = await rotate();
      expect(await secretNow()).toBe(fresh);
    });

    test('that was discarded with its key is CONFLICT too, until it is rotated', async () => {
      await resources.db.subscriptionSecret.deleteMany({ where: { subscriptionId: subscription.id } });
      await expect(secretNow()).rejects.toMatchObject({ code: 'CONFLICT' });
      const fresh = await rotate();
      expect(await secretNow()).toBe(fresh);
    });

    test('is in no resource and no list', async () => {
      const { live, subscriptions } = resources;
      const shown = JSON.stringify([
        subscription,
        await subscriptions.get(live, subscription.id),
        await subscriptions.list(live, listSubscriptionsQuery.parse({})),
        await subscriptions.update(live, subscription.id, { name: 'x' }),
        await subscriptions.pause(live, subscription.id),
      ]);
      expect(shown).not.toMatch(/secret|whsec_|ciphertext/i);
    });

    test('is NOT_FOUND from another environment, and after deletion', async () => {
      const before = await rows();
      await expect(secretNow(resources.test)).rejects.toMatchObject(NO_SUBSCRIPTION);
      await expect(rotate({}, resources.test)).rejects.toMatchObject(NO_SUBSCRIPTION);
      expect(await rows()).toStrictEqual(before);
      await resources.subscriptions.delete(resources.live, subscription.id);
      await expect(secretNow()).rejects.toMatchObject(NO_SUBSCRIPTION);
      await expect(rotate()).rejects.toMatchObject(NO_SUBSCRIPTION);
      expect(await rows()).toStrictEqual(before);
    });

    test.each(['sub_\u0000', 'nonsense', `sub_${'0'.repeat(26)}`])('is missing for the id %j', async (id) => {
      const { live, subscriptions } = resources;
      await expect(subscriptions.secret(live, id)).rejects.toMatchObject(NO_SUBSCRIPTION);
      await expect(subscriptions.rotateSecret(live, id, { overlapHours: 0 })).rejects.toMatchObject(NO_SUBSCRIPTION);
    });
  });

  describe('rotating the secret', () => {
    test('makes the new one current and lets the old one sign as well for 24 hours', async () => {
      const old = await secretNow();
      const rotatedAt = resources.now().getTime();
      const fresh = await rotate();
      expect(fresh).not.toBe(old);
      expect(await secretNow()).toBe(fresh);
      expect(await signingSecrets()).toEqual([fresh, old]);
      const expiresAt = (await rows())[1]?.expiresAt?.getTime() ?? 0;
      expect(expiresAt - rotatedAt).toBeGreaterThanOrEqual(24 * HOUR_MS);
      expect(expiresAt - rotatedAt).toBeLessThan(24 * HOUR_MS + 60_000);
      // Both answers say until when the old one signs, and not which it is.
      const shown = await resources.subscriptions.secret(resources.live, subscription.id);
      expect(shown.older).toEqual([{ createdAt: (await rows())[1]?.createdAt, expiresAt: new Date(expiresAt) }]);
      expect(shown.createdAt).toEqual((await rows())[0]?.createdAt);
      const again = await resources.subscriptions.rotateSecret(resources.live, subscription.id, { overlapHours: 1 });
      expect(again.older.map((old) => old.createdAt)).toEqual([shown.createdAt, shown.older[0]?.createdAt]);
      expect(again.older.every((old) => old.expiresAt < new Date(expiresAt))).toBe(true);
      expect(JSON.stringify(again.older)).not.toContain('whsec_');
      resources.advance(25 * HOUR_MS);
      expect(await signingSecrets()).toEqual([again.secret]);
      expect((await resources.subscriptions.secret(resources.live, subscription.id)).older).toEqual([]);
    });

    test('does not change the subscription itself, nor the secrets of others', async () => {
      const other = await resources.subscriptions.create(
        resources.live,
        createSubscriptionBody.parse({ channelId: subscription.channelId, webhookUrl: 'https://example.com/hook' }),
      );
      const before = await rows(other.id);
      await rotate({ overlapHours: 0 });
      expect(await resources.subscriptions.get(resources.live, subscription.id)).toStrictEqual(subscription);
      expect(await rows(other.id)).toStrictEqual(before);
    });

    test('with an overlap of 0 removes every old one at once, including its key material', async () => {
      await rotate({ overlapHours: 168 });
      await rotate({ overlapHours: 168 });
      const fresh = await rotate({ overlapHours: 0 });
      expect(await signingSecrets()).toEqual([fresh]);
      expect(await rows()).toHaveLength(1);
    });

    test('never lets an older one outlive the overlap that was requested last', async () => {
      const first = await secretNow();
      const second = await rotate({ overlapHours: 168 });
      const third = await rotate({ overlapHours: 1 });
      expect(await signingSecrets()).toEqual([third, second, first]);
      resources.advance(2 * HOUR_MS);
      expect(await signingSecrets()).toEqual([third]);
    });

    test('does not extend the life of an older one', async () => {
      await secretNow();
      const second = await rotate({ overlapHours: 1 });
      const third = await rotate({ overlapHours: 168 });
      resources.advance(2 * HOUR_MS);
      expect(await signingSecrets()).toEqual([third, second]);
    });

    // Regression: the oldest one ended at the fourth rotation, days before the time that its rotation had told.
    test('is CONFLICT while three old ones still sign, which continue until they expire', async () => {
      const secrets = [await secretNow()];
      for (const overlapHours of [2, 168, 168]) secrets.unshift(await rotate({ overlapHours }));
      const { older } = await resources.subscriptions.secret(resources.live, subscription.id);
      const first = older.at(-1);
      const before = await rows();
      const refusal = {
        code: 'CONFLICT',
        message: `At most 3 older secrets can be valid in addition to the current one. The one created at ${first?.createdAt.toISOString()} is valid until ${first?.expiresAt.toISOString()}; rotate after that, or with overlapHours 0, which ends all older secrets now`,
      };
      for (const overlapHours of [1, 168]) await expect(rotate({ overlapHours })).rejects.toMatchObject(refusal);
      expect(await rows()).toStrictEqual(before);
      expect(await signingSecrets()).toEqual(secrets);
      resources.advance(3 * HOUR_MS);
      secrets.unshift(await rotate({ overlapHours: 168 }));
      expect(await signingSecrets()).toEqual(secrets.slice(0, 4));
      const last = await rotate({ overlapHours: 0 });
      expect(await signingSecrets()).toEqual([last]);
    });

    test('removes expired ones', async () => {
      await rotate({ overlapHours: 1 });
      resources.advance(2 * HOUR_MS);
      await rotate({ overlapHours: 1 });
      expect(await rows()).toHaveLength(2);
    });

    test('many times at once leaves exactly one current secret, which is one that was returned', async () => {
      const asked = await Promise.allSettled(Array.from({ length: 6 }, () => rotate()));
      const handedOut = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      expect(new Set(handedOut).size).toBe(3);
      const stored = await rows();
      expect(stored.filter(({ expiresAt }) => expiresAt === null)).toHaveLength(1);
      expect(stored).toHaveLength(4);
      expect(handedOut).toContain(await secretNow());
    });

    test('during a patch loses neither change', async () => {
      const [fresh] = await Promise.all([
        rotate(),
        resources.subscriptions.update(resources.live, subscription.id, { name: 'renamed' }),
      ]);
      expect(await secretNow()).toBe(fresh);
      expect(await resources.subscriptions.get(resources.live, subscription.id)).toHaveProperty('name', 'renamed');
    });
  });
});
