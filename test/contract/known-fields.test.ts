import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliveryOf, publish, waitForDelivery } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';
import { make } from '../support/make/seed.ts';
import { contentsAtRest, tableContents } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';

let posthorn: TestPosthorn;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  posthorn = await startPosthorn();
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

type Resource = { id: string } & Record<string, unknown>;
type Refusal = { error?: { code: string; details?: { field: string; reason: string } } };

const create = (path: string, body: Record<string, unknown>): Promise<Resource> =>
  make(posthorn, posthorn.keys.live, path, body);
const message = { eventType: 'order.paid', payload: {} };

// The old mechanism: the schema did not know the field, so it was dropped, and the answer was 201.
test.each(['active', 'paused', 'archived'])('a channel made with the status %s has it', async (status) => {
  const channel = await create('/v1/channels', { name: 'orders', status });
  expect(channel['status']).toBe(status);
  expect((await posthorn.request('GET', `/v1/channels/${channel.id}`)).body).toEqual(channel);
  const published = await posthorn.request('POST', `/v1/channels/${channel.id}/messages`, message);
  expect(published.status).toBe(status === 'active' ? 202 : 409);
});

// The old mechanism: PATCH dropped `status`, answered 200, and the subscription stayed active.
test('a PATCH of the status pauses and resumes a subscription, together with what else it changes', async () => {
  const channel = await create('/v1/channels', { name: 'orders' });
  const subscription = await create('/v1/subscriptions', { channelId: channel.id, webhookUrl: receiver.url });
  const address = `/v1/subscriptions/${subscription.id}`;
  const paused = await posthorn.request('PATCH', address, { status: 'paused', name: 'till' });
  expect([paused.status, paused.body]).toMatchObject([200, { status: 'paused', name: 'till' }]);
  const first = await publish(posthorn, channel.id, message);
  await waitFor('the delivery to be there', async () => (await deliveryOf(posthorn, first.id))?.status === 'pending');
  const where = { id: subscription.id };
  await posthorn.deps.db.subscription.update({ where, data: { failingSince: new Date(0) } });

  const resumed = await posthorn.request('PATCH', address, { status: 'active', rateLimit: 50 });
  expect([resumed.status, resumed.body]).toMatchObject([200, { status: 'active', rateLimit: 50 }]);
  await waitForDelivery(posthorn, first.id, 'delivered');
  // Its health begins anew, as by resume.
  const row = await posthorn.deps.db.subscription.findUniqueOrThrow({ where });
  expect([row.failingSince, row.resumedAt]).toEqual([null, expect.any(Date)]);

  await posthorn.deps.db.subscription.update({ where, data: { status: 'disabled' } });
  expect((await posthorn.request('PATCH', address, { status: 'active' })).body).toMatchObject({ status: 'active' });
  const second = await publish(posthorn, channel.id, message);
  await waitForDelivery(posthorn, second.id, 'delivered');
});

test('a PATCH with one bad field leaves the status as it was', async () => {
  const channel = await create('/v1/channels', { name: 'orders' });
  const { id } = await create('/v1/subscriptions', { channelId: channel.id, webhookUrl: receiver.url });
  const bad = { status: 'paused', webhookUrl: 'ftp://example.com/' };
  const answer = await posthorn.request<Refusal>('PATCH', `/v1/subscriptions/${id}`, bad);
  expect([answer.status, answer.body.error?.details?.field]).toEqual([400, 'webhookUrl']);
  expect((await posthorn.request('GET', `/v1/subscriptions/${id}`)).body).toMatchObject({ status: 'active' });
});

test('a subscription made paused waits, and gets what has waited once it is resumed', async () => {
  const channel = await create('/v1/channels', { name: 'orders' });
  const subscription = { channelId: channel.id, webhookUrl: receiver.url, status: 'paused' };
  const { id, status } = await create('/v1/subscriptions', subscription);
  expect(status).toBe('paused');
  const { id: messageId } = await publish(posthorn, channel.id, message);
  await waitFor('the delivery to be there', async () => (await deliveryOf(posthorn, messageId))?.status === 'pending');
  await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
  await waitForDelivery(posthorn, messageId, 'delivered');
});

// The old mechanism: a message's channelId was dropped where the path names the channel, and it went to that one.
test('a message may name its channel where the path does, but no other one', async () => {
  const channel = await create('/v1/channels', { name: 'orders' });
  const other = await create('/v1/channels', { name: 'stock' });
  const path = `/v1/channels/${channel.id}`;
  const own = { ...message, channelId: channel.id };
  const foreign = { ...message, channelId: other.id };
  const calls: [string, number, unknown, string, unknown][] = [
    [`${path}/messages`, 202, own, 'channelId', foreign],
    [
      `${path}/messages/batch`,
      202,
      { messages: [message, own] },
      'messages[1].channelId',
      { messages: [own, foreign] },
    ],
    [`${path}/validate`, 200, own, 'channelId', foreign],
    [`${path}/validate`, 200, { messages: [own] }, 'messages[0].channelId', { messages: [foreign, own] }],
  ];
  for (const [address, status, good, field, bad] of calls) {
    expect([address, (await posthorn.request('POST', address, good)).status]).toEqual([address, status]);
    const before = await contentsAtRest(posthorn);
    const answer = await posthorn.request<Refusal>('POST', address, bad);
    expect([answer.status, answer.body.error?.details]).toEqual([
      400,
      { field, reason: 'must be the channel of the path, or be left out' },
    ]);
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  }
});

// The old mechanism: a bulk replay took any text for a filter and answered that nothing matched.
test('a body that names a missing resource, or one of the other environment, is refused with its field', async () => {
  const channel = await create('/v1/channels', { name: 'orders' });
  const foreign = await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'orders' });
  const foreignTarget = { channelId: foreign.id, webhookUrl: receiver.url };
  const foreignSubscription = await make(posthorn, posthorn.keys.test, '/v1/subscriptions', foreignTarget);
  const missing = [`chn_01m${'0'.repeat(23)}`, 'x', '', foreign.id, channel.id.toUpperCase()];
  const calls: [string, (id: string) => Record<string, unknown>, string, string[]][] = [
    ['/v1/subscriptions', (channelId) => ({ channelId, webhookUrl: receiver.url }), 'channelId', missing],
    [
      '/v1/messages/batch',
      (channelId) => ({ messages: [{ ...message, channelId }] }),
      'messages[0].channelId',
      missing,
    ],
    ['/v1/dlq/replay', (channelId) => ({ channelId }), 'channelId', missing],
    [
      '/v1/dlq/replay',
      (subscriptionId) => ({ subscriptionId, dryRun: true }),
      'subscriptionId',
      [foreignSubscription.id, 'x'],
    ],
    ['/v1/dlq/discard', (channelId) => ({ channelId }), 'channelId', missing],
    ['/v1/dlq/replay', (messageId) => ({ messageId }), 'messageId', [`msg_01m${'0'.repeat(23)}`, 'x']],
    [
      `/v1/channels/${channel.id}/dry-run`,
      (subscriptionId) => ({ ...message, subscriptionId }),
      'subscriptionId',
      [foreignSubscription.id, 'x'],
    ],
    [
      `/v1/channels/${channel.id}/dry-run`,
      (messageId) => ({ messageId }),
      'messageId',
      [`msg_01m${'0'.repeat(23)}`, 'x'],
    ],
  ];
  const { id: published } = await publish(posthorn, channel.id);
  const replayTo = (subscriptionId: string) => ({ subscriptionId });
  calls.push([`/v1/messages/${published}/replay`, replayTo, 'subscriptionId', [foreignSubscription.id, 'x']]);
  const before = await contentsAtRest(posthorn);
  for (const [path, body, field, ids] of calls)
    for (const id of ids) {
      const answer = await posthorn.request<Refusal>('POST', path, body(id));
      const { code, details } = answer.body.error ?? {};
      expect([path, id, answer.status, code, details?.field]).toEqual([path, id, 400, 'INVALID_REQUEST', field]);
    }
  expect(await tableContents(posthorn.deps.pool)).toEqual(before);
});
