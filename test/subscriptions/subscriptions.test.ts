import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Resources, startResources } from '../support/make/resources.ts';
import {
  DEFAULT_POLICY,
  invalidAt,
  NO_SUBSCRIPTION,
  subscriptionCalls,
  URL_OF_HOOK,
} from '../support/make/subscription-calls.ts';

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
  test('gives an active one with every default, named after its host', async () => {
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

  test('filters by owner, as it is since the last change', async () => {
    const [first, second] = [await create({ owner: 'customer-7' }), await create({ owner: 'customer-8' })];
    await create();
    expect(first.owner).toBe('customer-7');
    expect(idsOf(await list({ owner: 'customer-7' }))).toEqual([first.id]);
    await update(second.id, { owner: 'customer-7' });
    expect(idsOf(await list({ owner: 'customer-7' }))).toEqual([second.id, first.id]);
    // Old: it looked like tenancy, and nothing said that it is none.
    expect(second.warnings).toEqual([{ field: 'owner', reason: expect.stringContaining('routes nothing') }]);
    expect(await update(first.id, { owner: null })).not.toHaveProperty('owner');
    expect(await resources.subscriptions.get(resources.live, first.id)).not.toHaveProperty('warnings');
    expect(idsOf(await list({ owner: 'customer-7', channelId }))).toEqual([second.id]);
  });

  test('filters by what needs a person: disabled, a circuit that is not closed, secrets that cannot be opened', async () => {
    const made = [await create(), await create(), await create(), await create(), await create()];
    const [well, disabled, open, sealed, paused] = made.map(({ id }) => id);
    const change = (id: string | undefined, data: object) =>
      resources.db.subscription.update({ where: { id: id ?? '' }, data });
    await change(disabled, { status: 'disabled' });
    await change(open, { circuitOpenedAt: new Date() });
    await change(sealed, { secretUnreadableSince: new Date() });
    await change(paused, { status: 'paused' });
    expect(idsOf(await list({ failing: 'true', channelId }))).toEqual([sealed, open, disabled]);
    expect(idsOf(await list({ failing: 'false', channelId }))).toEqual([paused, well]);
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
