import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createChannelBody } from '../../src/channels/schema.ts';
import {
  createSubscriptionBody,
  listSubscriptionsQuery,
  updateSubscriptionBody,
} from '../../src/subscriptions/schema.ts';
import { type Resources, startResources } from '../support/resources.ts';

const NOT_FOUND = { code: 'NOT_FOUND', message: 'No such subscription in this environment' };
const URL_OF_HOOK = 'https://hooks.example.com:8443/orders';
const DEFAULT_POLICY = { maxRetries: 10, initialDelay: 5_000, maxDelay: 21_600_000, backoffMultiplier: 3 };

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
const setChannelStatus = (id: string, status: 'active' | 'paused' | 'archived') =>
  resources.channels.update(resources.live, id, { status });
const create = (body: object = {}, caller = resources.live) =>
  resources.subscriptions.create(caller, createSubscriptionBody.parse({ channelId, webhookUrl: URL_OF_HOOK, ...body }));
const update = (id: string, body: object, caller = resources.live) =>
  resources.subscriptions.update(caller, id, updateSubscriptionBody.parse(body));
const list = (query: object = {}, caller = resources.live) =>
  resources.subscriptions.list(caller, listSubscriptionsQuery.parse(query));
const get = (id: string, caller = resources.live) => resources.subscriptions.get(caller, id);
const row = (id: string) => resources.db.subscription.findUniqueOrThrow({ where: { id } });
const idsOf = (page: { data: { id: string }[] }) => page.data.map((subscription) => subscription.id);
const invalid = (field: string) => ({ code: 'INVALID_REQUEST', details: { field } });

describe('creating a subscription', () => {
  test('gives an active one with every default, named after its host', async () => {
    const subscription = await create();
    expect(subscription).toStrictEqual({
      id: expect.stringMatching(/^sub_[0-9a-z]{26}$/),
      channelId,
      name: 'hooks.example.com:8443',
      webhookUrl: URL_OF_HOOK,
      status: 'active',
      eventTypes: [],
      retryPolicy: DEFAULT_POLICY,
      headers: {},
      timeoutMs: 15_000,
      maxConcurrency: 20,
      circuit: { state: 'closed' },
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
      maxConcurrency: 100,
      rateLimit: 10_000,
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
    const counts = async () => [await resources.db.subscription.count(), await resources.db.subscriptionSecret.count()];
    beforeEach(async () => {
      before = await counts();
    });

    test('the channel is missing, malformed, deleted or of another environment: one answer for all', async () => {
      const deleted = await newChannel();
      await resources.channels.delete(resources.live, deleted);
      const foreign = await newChannel(resources.test);
      for (const id of [`chn_${'0'.repeat(26)}`, 'nonsense', '', 'chn_\u0000', deleted, foreign]) {
        await expect(create({ channelId: id })).rejects.toMatchObject({
          code: 'INVALID_REQUEST',
          details: { field: 'channelId', reason: 'names no channel of this environment' },
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
      await expect(create({ webhookUrl })).rejects.toMatchObject(invalid('webhookUrl'));
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
      await expect(create({ headers })).rejects.toMatchObject(invalid(field));
      expect(await counts()).toEqual(before);
    });

    test('maxDelay is below initialDelay', async () => {
      const retryPolicy = { initialDelay: 2_000, maxDelay: 1_999 };
      await expect(create({ retryPolicy })).rejects.toMatchObject(invalid('retryPolicy.maxDelay'));
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
      await expect(call()).rejects.toMatchObject(NOT_FOUND);
    }
    expect(await row(id)).toStrictEqual(before);
    expect((await list({}, stranger)).data).toEqual([]);
    expect((await list({ channelId }, stranger)).data).toEqual([]);
  });

  test.each([`sub_${'0'.repeat(26)}`, 'sub_1', '', 'nonsense', 'sub_\u0000', `chn_${'0'.repeat(26)}`])(
    'the id %j is missing for everyone',
    async (id) => {
      const { live, subscriptions } = resources;
      await expect(get(id)).rejects.toMatchObject(NOT_FOUND);
      await expect(update(id, { name: 'x' })).rejects.toMatchObject(NOT_FOUND);
      await expect(subscriptions.delete(live, id)).rejects.toMatchObject(NOT_FOUND);
      await expect(subscriptions.pause(live, id)).rejects.toMatchObject(NOT_FOUND);
      await expect(subscriptions.resume(live, id)).rejects.toMatchObject(NOT_FOUND);
    },
  );
});

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
    expect(cleared).toMatchObject({ maxConcurrency: 20 });
    expect(cleared).not.toHaveProperty('rateLimit');
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
    await expect(update(id, { channelId: await newChannel(), name: 'x' })).rejects.toMatchObject(invalid('channelId'));
    await expect(update(id, { channelId: 'nonsense' })).rejects.toMatchObject(invalid('channelId'));
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
    await expect(update(id, body)).rejects.toMatchObject(invalid(field));
    expect(await row(id)).toStrictEqual(before);
  });

  test('does not touch the status', async () => {
    const { id } = await create();
    await resources.subscriptions.pause(resources.live, id);
    expect(await update(id, { name: 'x', status: 'active' })).toHaveProperty('status', 'paused');
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

describe('the list of subscriptions', () => {
  test('runs newest first, in pages that neither repeat nor leave out a subscription', async () => {
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

  test('refuses a cursor of another filter', async () => {
    await create();
    await create();
    const { cursor } = (await list({ channelId, limit: '1' })).pagination;
    await expect(list({ cursor })).rejects.toMatchObject(invalid('cursor'));
    await expect(list({ channelId, status: 'active', cursor })).rejects.toMatchObject(invalid('cursor'));
  });
});
