import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createChannelBody, listChannelsQuery, updateChannelBody } from '../../src/messaging/channels/schema.ts';
import { createChannels } from '../../src/messaging/channels/service.ts';
import type { EnvironmentCaller } from '../../src/api/caller.ts';
import { SYSTEM_CHANNEL_NAME } from '../../src/kernel/words/event-types.ts';
import { createSubscriptionBody, listSubscriptionsQuery } from '../../src/messaging/subscriptions/schema.ts';
import { type Resources, startResources } from '../support/make/resources.ts';

const NOT_FOUND = { code: 'NOT_FOUND', message: 'No such channel in this environment' };

let resources: Resources;
beforeAll(async () => {
  resources = await startResources();
});
afterAll(() => resources.stop());

const create = (body: object, caller = resources.live) =>
  resources.channels.create(caller, createChannelBody.parse({ name: 'orders', ...body }));
const update = (id: string, body: object, caller = resources.live) =>
  resources.channels.update(caller, id, updateChannelBody.parse(body));
const list = (query: object = {}, caller = resources.live) =>
  resources.channels.list(caller, listChannelsQuery.parse(query));
const get = (id: string, caller = resources.live) => resources.channels.get(caller, id);
const subscribe = (channelId: string, caller = resources.live) =>
  resources.subscriptions.create(
    caller,
    createSubscriptionBody.parse({ channelId, webhookUrl: 'https://example.com/hook' }),
  );
const row = (id: string) => resources.db.channel.findUniqueOrThrow({ where: { id } });

/** Returns a caller of a new environment, so that a list has only what one test has created. */
async function newCaller(): Promise<EnvironmentCaller> {
  const { db, newId, live } = resources;
  const app = await db.app.create({
    data: { id: newId('app'), organisationId: live.organisationId, name: 'Other', slug: newId('app') },
  });
  const environment = await db.environment.create({
    data: { id: newId('environment'), appId: app.id, kind: 'live' },
  });
  return { ...live, appId: app.id, environmentId: environment.id };
}

describe('creating a channel', () => {
  test('returns an active one with its fields, without those that are not set', async () => {
    const before = resources.now();
    const channel = await create({ name: 'orders' });
    expect(channel).toStrictEqual({
      id: expect.stringMatching(/^chn_[0-9a-z]{26}$/),
      name: 'orders',
      status: 'active',
      retentionDays: 30,
      createdAt: expect.any(Date),
      updatedAt: channel.createdAt,
    });
    expect(channel.createdAt.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(await get(channel.id)).toStrictEqual(channel);
  });

  test('keeps the schema as sent, key order included', async () => {
    const schema = {
      type: 'object',
      required: ['z', 'a'],
      properties: { z: { type: 'number' }, a: {} },
      $note: 'Grüße',
    };
    const channel = await create({ schema, description: '', retentionDays: 365 });
    expect(channel).toMatchObject({ description: '', retentionDays: 365 });
    expect(JSON.stringify((await get(channel.id)).schema)).toBe(JSON.stringify(schema));
  });

  test('accepts the same name twice', async () => {
    const [first, second] = [await create({ name: 'twin' }), await create({ name: 'twin' })];
    expect(second.id > first.id).toBe(true);
  });
});

describe('another environment', () => {
  test('sees NOT_FOUND with the text of a missing channel, and changes nothing', async () => {
    const channel = await create({ name: 'mine' });
    const before = await row(channel.id);
    const { test: stranger } = resources;
    await expect(get(channel.id, stranger)).rejects.toMatchObject(NOT_FOUND);
    await expect(update(channel.id, { name: 'yours' }, stranger)).rejects.toMatchObject(NOT_FOUND);
    await expect(resources.channels.delete(stranger, channel.id)).rejects.toMatchObject(NOT_FOUND);
    expect(await row(channel.id)).toStrictEqual(before);
    expect((await list({}, stranger)).data).toMatchObject([{ name: SYSTEM_CHANNEL_NAME }]);
  });

  test.each(['chn_00000000000000000000000000', 'chn_1', '', 'nonsense', 'chn_\u0000', `sub_${'0'.repeat(26)}`])(
    'the id %j is missing for everyone',
    async (id) => {
      await expect(get(id)).rejects.toMatchObject(NOT_FOUND);
      await expect(update(id, { name: 'x' })).rejects.toMatchObject(NOT_FOUND);
      await expect(resources.channels.delete(resources.live, id)).rejects.toMatchObject(NOT_FOUND);
    },
  );
});

describe('patching a channel', () => {
  test('changes only the fields it names', async () => {
    const channel = await create({ description: 'all orders', schema: { type: 'object' }, retentionDays: 7 });
    resources.advance(5);
    const patched = await update(channel.id, { name: 'payments' });
    expect(patched).toStrictEqual({ ...channel, name: 'payments', updatedAt: patched.updatedAt });
    expect(patched.updatedAt.getTime()).toBeGreaterThan(channel.updatedAt.getTime());
    expect(await get(channel.id)).toStrictEqual(patched);
  });

  test('clears description and schema with null', async () => {
    const channel = await create({ description: 'all orders', schema: { type: 'object' } });
    expect(await update(channel.id, { description: null })).not.toHaveProperty('description');
    expect(await get(channel.id)).toHaveProperty('schema', { type: 'object' });
    expect(await update(channel.id, { schema: null })).not.toHaveProperty('schema');
    expect(await row(channel.id)).toMatchObject({ description: null, schema: null, name: 'orders' });
  });

  test('replaces the schema as a whole', async () => {
    const channel = await create({ schema: { type: 'object', required: ['a'] } });
    expect(await update(channel.id, { schema: { type: 'object' } })).toHaveProperty('schema', { type: 'object' });
  });

  test('moves between active, paused and archived freely', async () => {
    const { id } = await create({});
    for (const status of ['paused', 'archived', 'active', 'archived', 'paused', 'active']) {
      expect(await update(id, { status })).toHaveProperty('status', status);
    }
  });

  test('is CONFLICT while the channel is archived, for everything but the status', async () => {
    const { id } = await create({ description: 'old' });
    await update(id, { status: 'archived' });
    const before = await row(id);
    for (const patch of [{ name: 'x' }, { description: null }, { retentionDays: 1 }, { status: 'active', name: 'x' }]) {
      await expect(update(id, patch)).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    expect(await row(id)).toStrictEqual(before);
    expect(await update(id, { status: 'active' })).toHaveProperty('status', 'active');
    expect(await update(id, { name: 'x', status: 'archived' })).toMatchObject({ name: 'x', status: 'archived' });
  });

  test('twice at once with different fields loses neither', async () => {
    const { id } = await create({});
    await Promise.all([update(id, { name: 'new' }), update(id, { retentionDays: 3 })]);
    expect(await get(id)).toMatchObject({ name: 'new', retentionDays: 3 });
  });
});

describe('the list of channels', () => {
  test('is sorted newest first, in pages that neither repeat nor skip a channel', async () => {
    const caller = await newCaller();
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) made.unshift((await create({}, caller)).id);
    const first = await list({ limit: '2' }, caller);
    expect(first.pagination).toEqual({ cursor: expect.any(String), hasMore: true });
    // Channels created meanwhile belong before the first page and move nothing.
    await create({}, caller);
    const second = await list({ limit: '2', cursor: first.pagination.cursor }, caller);
    const third = await list({ limit: '2', cursor: second.pagination.cursor }, caller);
    expect([...first.data, ...second.data, ...third.data].map((channel) => channel.id)).toEqual(made);
    expect(third.pagination).toStrictEqual({ hasMore: false });
  });

  test('filters by status', async () => {
    const caller = await newCaller();
    const paused = await create({}, caller);
    await update(paused.id, { status: 'paused' }, caller);
    const active = await create({}, caller);
    expect((await list({ status: 'paused' }, caller)).data.map((channel) => channel.id)).toEqual([paused.id]);
    expect((await list({ status: 'active' }, caller)).data.map((channel) => channel.id)).toEqual([active.id]);
    expect((await list({ status: 'archived' }, caller)).data).toEqual([]);
  });

  test('refuses a cursor of another filter, another environment, another list, or none at all', async () => {
    const caller = await newCaller();
    await create({}, caller);
    await create({}, caller);
    const { cursor } = (await list({ limit: '1' }, caller)).pagination;
    const refused = { code: 'INVALID_REQUEST', details: { field: 'cursor' } };
    await expect(list({ cursor, status: 'active' }, caller)).rejects.toMatchObject(refused);
    await expect(list({ cursor })).rejects.toMatchObject(refused);
    await expect(list({ cursor: 'nonsense' }, caller)).rejects.toMatchObject(refused);
    await expect(resources.subscriptions.list(caller, listSubscriptionsQuery.parse({ cursor }))).rejects.toMatchObject(
      refused,
    );
  });
});

describe('deleting a channel', () => {
  test('hides it, and finds nothing the second time', async () => {
    const caller = await newCaller();
    const [kept, { id }] = [await create({}, caller), await create({}, caller)];
    expect(await resources.channels.delete(caller, id)).toBeUndefined();
    await expect(get(id, caller)).rejects.toMatchObject(NOT_FOUND);
    await expect(update(id, { status: 'active' }, caller)).rejects.toMatchObject(NOT_FOUND);
    await expect(resources.channels.delete(caller, id)).rejects.toMatchObject(NOT_FOUND);
    expect((await list({}, caller)).data).toStrictEqual([kept]);
    expect((await row(id)).deletedAt).toBeInstanceOf(Date);
  });

  test('many times at once succeeds exactly once', async () => {
    const { id } = await create({});
    const { live, channels } = resources;
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => channels.delete(live, id)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(NOT_FOUND);
  });

  test('is allowed while it is archived', async () => {
    const { id } = await create({});
    await update(id, { status: 'archived' });
    await resources.channels.delete(resources.live, id);
    await expect(get(id)).rejects.toMatchObject(NOT_FOUND);
  });

  test('deletes its subscriptions and ends their unfinished deliveries, without dead letters', async () => {
    const { db, live, subscriptions } = resources;
    const [channel, other] = [await create({}), await create({})];
    const [gone, kept] = [await subscribe(channel.id), await subscribe(other.id)];
    const of = { channelId: channel.id, subscriptionId: gone.id };
    const pending = await resources.insertDelivery({ ...of, status: 'pending' });
    const retrying = await resources.insertDelivery({ ...of, status: 'retrying' });
    const delivered = await resources.insertDelivery({ ...of, status: 'delivered' });
    const elsewhere = await resources.insertDelivery({
      channelId: other.id,
      subscriptionId: kept.id,
      status: 'pending',
    });
    const untouched = await db.delivery.findMany({
      where: { id: { in: [delivered, elsewhere] } },
      orderBy: { id: 'asc' },
    });
    const deadLetters = await db.deadLetter.count();

    await resources.channels.delete(live, channel.id);

    await expect(subscriptions.get(live, gone.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await subscriptions.list(live, listSubscriptionsQuery.parse({ channelId: channel.id }))).data).toEqual([]);
    expect(await subscriptions.get(live, kept.id)).toStrictEqual(kept);
    const ended = await db.delivery.findMany({ where: { id: { in: [pending, retrying] } } });
    expect(ended).toHaveLength(2);
    for (const delivery of ended) {
      expect(delivery).toMatchObject({ status: 'failed', failureReason: 'subscription_deleted', dueAt: null });
      expect(delivery.nextRetryAt).toBeNull();
    }
    expect(
      await db.delivery.findMany({ where: { id: { in: [delivered, elsewhere] } }, orderBy: { id: 'asc' } }),
    ).toStrictEqual(untouched);
    expect(await db.deadLetter.count()).toBe(deadLetters);
  });

  test('changes nothing if its deliveries cannot be ended', async () => {
    const { apps, tenants, live, newId } = resources;
    const channel = await create({});
    const subscription = await subscribe(channel.id);
    const failing = createChannels(
      { tenants, newId, clock: resources.now },
      {
        apps,
        deliveries: {
          endOfSubscriptions: () => Promise.reject(new Error('disk full')),
          endRestOfSubscriptions: () => Promise.resolve(),
        },
        schemas: { refuseBad: () => Promise.resolve() },
        audit: { record: async () => undefined },
      },
    );
    await expect(failing.delete(live, channel.id)).rejects.toThrow('disk full');
    expect(await get(channel.id)).toStrictEqual(channel);
    expect(await resources.subscriptions.get(live, subscription.id)).toStrictEqual(subscription);
  });

  test('while a subscription is created leaves no subscription behind', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await create({});
      const [, made] = await Promise.allSettled([resources.channels.delete(resources.live, id), subscribe(id)]);
      if (made.status === 'rejected') expect(made.reason).toMatchObject({ code: 'INVALID_REQUEST' });
      expect(await resources.db.subscription.count({ where: { channelId: id, deletedAt: null } })).toBe(0);
    }
  });
});
