import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { wantsEventType } from '../../src/kernel/words/event-types.ts';
import { createChannel, createSubscription, type PageJson, publish } from '../support/make/factories.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

const WEBHOOK_URL = 'https://example.com/in';

// Patterns of a subscription, some with characters that mean something in SQL patterns or regular expressions.
const PATTERNS: string[][] = [
  [],
  ['*'],
  ['order'],
  ['order.*'],
  ['order.created'],
  ['order.created.*'],
  ['ORDER.*'],
  ['invoice.*', 'order.paid'],
  ['o_der.*', 'order%'],
  ['größe.*', '😀.*'],
  ['..*', 'a..*'],
  ["o'rder.*", 'a\\b.*', ' .*'],
];
const EVENT_TYPES = [
  'order',
  'order.',
  'order.created',
  'order.created.',
  'order.created.eu',
  'order.paid',
  'orders.created',
  'Order.created',
  'ORDER.created',
  'order%',
  'oxder.created',
  'invoice.sent',
  'größe.x',
  'gro\u0308ße.x',
  '😀.x',
  '..x',
  '.',
  'a..',
  "o'rder.x",
  'a\\b.x',
];

test('publishing routes by exactly the rule of wantsEventType, whatever the pattern and the event type', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const subscriptions = new Map<string, string[]>();
  for (const eventTypes of PATTERNS) {
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL, eventTypes });
    subscriptions.set(id, eventTypes);
  }
  const messages = EVENT_TYPES.map((eventType) => ({ eventType, payload: {} }));
  const batch = await posthorn.request<{ ids: string[] }>('POST', `/v1/channels/${channelId}/messages/batch`, {
    messages,
  });
  const rows = await posthorn.deps.db.delivery.findMany({ where: { channelId } });
  const routed = new Set(rows.map(({ messageId, subscriptionId }) => `${messageId} ${subscriptionId}`));

  const differences: string[] = [];
  for (const [index, eventType] of EVENT_TYPES.entries()) {
    for (const [subscriptionId, eventTypes] of subscriptions) {
      const inSql = routed.has(`${batch.body.ids[index]} ${subscriptionId}`);
      if (inSql !== wantsEventType(eventTypes, eventType))
        differences.push(`${JSON.stringify(eventTypes)}: ${eventType}`);
    }
  }
  expect(differences).toEqual([]);
  // 300 pairs, some of either kind: a rule that takes all or none would not pass.
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.length).toBeLessThan(150);
});

test.each([
  [['order.*'], 'order.created', true],
  [['order.*'], 'order.', true],
  [['order.*'], 'order', false],
  [['order.*'], 'orders.created', false],
  [['order.*'], 'ORDER.created', false],
  [['order'], 'order.created', false],
  [['o_der.*'], 'oxder.created', false],
  [['*'], 'anything', true],
  [[], 'anything', true],
])('a subscription for %j and the event type %j: %j', async (eventTypes, eventType, isWanted) => {
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL, eventTypes });
  const message = await publish(posthorn, channelId, { eventType });
  expect(await posthorn.deps.db.delivery.count({ where: { messageId: message.id } })).toBe(isWanted ? 1 : 0);
  expect(message.deliveryStatus).toBe(isWanted ? 'pending' : 'unrouted');
});

describe('a message', () => {
  const statusOf = async (id: string): Promise<unknown> =>
    (await posthorn.request('GET', `/v1/messages/${id}`)).body['deliveryStatus'];

  /** A message with a delivery in each of these states. */
  async function messageWith(states: string[]): Promise<{ id: string; channelId: string }> {
    const { id: channelId } = await createChannel(posthorn);
    for (const _ of states) await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL });
    const { id } = await publish(posthorn, channelId);
    const rows = await posthorn.deps.db.delivery.findMany({ where: { messageId: id } });
    for (const [index, row] of rows.entries()) {
      const status = states[index] ?? 'pending';
      const isFinished = status === 'delivered' || status === 'failed';
      await posthorn.deps.db.delivery.update({
        where: { id: row.id },
        data: { status, ...(isFinished && { dueAt: null }) },
      });
    }
    return { id, channelId };
  }

  test.each([
    [[], 'unrouted'],
    [['pending'], 'pending'],
    [['retrying'], 'pending'],
    [['delivered'], 'delivered'],
    [['failed'], 'failed'],
    [['delivered', 'delivered'], 'delivered'],
    [['delivered', 'failed'], 'failed'],
    [['failed', 'pending'], 'pending'],
    [['delivered', 'retrying', 'failed'], 'pending'],
  ])('with deliveries in the states %j is %s, in the list and at its own address', async (states, expected) => {
    const { id, channelId } = await messageWith(states);
    expect(await statusOf(id)).toBe(expected);
    const { body } = await posthorn.request<PageJson<{ deliveryStatus: string }>>(
      'GET',
      `/v1/channels/${channelId}/messages`,
    );
    expect(body.data.map(({ deliveryStatus }) => deliveryStatus)).toEqual([expected]);
  });

  test('goes to subscriptions that are active or paused or disabled, and not to one that was deleted', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const made = [];
    for (const _ of ['active', 'paused', 'disabled', 'deleted'])
      made.push((await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL })).id);
    const [active = '', paused = '', disabled = '', deleted = ''] = made;
    await posthorn.request('POST', `/v1/subscriptions/${paused}/pause`);
    await posthorn.deps.db.subscription.update({ where: { id: disabled }, data: { status: 'disabled' } });
    await posthorn.request('DELETE', `/v1/subscriptions/${deleted}`);

    const message = await publish(posthorn, channelId);

    const rows = await posthorn.deps.db.delivery.findMany({ where: { messageId: message.id } });
    expect(rows.map(({ subscriptionId }) => subscriptionId).toSorted()).toEqual([active, paused, disabled].toSorted());
    // "Events are queued while it is paused" (specification §3).
    expect(rows.every(({ status, dueAt }) => status === 'pending' && dueAt !== null)).toBe(true);
  });

  test('goes to no subscription of another channel, nor to one that is made after it', async () => {
    const [{ id: channelId }, other] = [await createChannel(posthorn), await createChannel(posthorn)];
    await createSubscription(posthorn, { channelId: other.id, webhookUrl: WEBHOOK_URL });
    const message = await publish(posthorn, channelId);
    await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL });
    expect(await posthorn.deps.db.delivery.count({ where: { messageId: message.id } })).toBe(0);
    expect(await statusOf(message.id)).toBe('unrouted');
  });

  test('keeps the retry policy that its subscription has at that moment', async () => {
    const { id: channelId } = await createChannel(posthorn);
    const retryPolicy = { maxRetries: 4, initialDelay: 1_000, maxDelay: 9_000, backoffMultiplier: 2 };
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: WEBHOOK_URL, retryPolicy });
    const message = await publish(posthorn, channelId);
    await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { retryPolicy: { maxRetries: 0 } });
    expect(await posthorn.deps.db.delivery.findMany({ where: { messageId: message.id } })).toMatchObject([retryPolicy]);
  });
});
