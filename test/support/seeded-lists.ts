import type { TestPosthorn } from './posthorn.ts';
import { endAsDeadLetter, insertAttempt, make } from './seed.ts';

export type ListName =
  | 'channels'
  | 'messages'
  | 'scheduled'
  | 'subscriptions'
  | 'deliveries'
  | 'attempts'
  | 'dlq'
  | 'api-keys';
export type Item = { id: string } & Record<string, unknown>;

/** A list, the rows it must show (newest first, unless it is `isSoonestFirst`; $1 is the environment, $2 what its path names), and its filters. */
type List = {
  name: ListName;
  rows: string;
  /** Values that each filter takes, of which some match. `valueOf` says what an item has. */
  filters: Record<string, { values: string[]; valueOf: (item: Item) => unknown }>;
  hasTimes?: string;
  isSoonestFirst?: true;
};

const CHANNEL_STATUSES = ['active', 'paused', 'archived'];
const field = (name: string) => (item: Item) => item[name];
export const LISTS: List[] = [
  {
    name: 'channels',
    rows: 'SELECT id FROM channels WHERE environment_id = $1 AND deleted_at IS NULL AND $2::text IS NULL',
    filters: { status: { values: CHANNEL_STATUSES, valueOf: field('status') } },
  },
  {
    name: 'messages',
    rows: 'SELECT id FROM messages WHERE environment_id = $1 AND channel_id = $2',
    filters: {},
    hasTimes: 'publishedAt',
  },
  {
    name: 'scheduled',
    rows: 'SELECT id FROM scheduled_messages WHERE environment_id = $1 AND channel_id = $2',
    filters: {},
    isSoonestFirst: true,
  },
  {
    name: 'subscriptions',
    rows: 'SELECT id FROM subscriptions WHERE environment_id = $1 AND deleted_at IS NULL AND $2::text IS NULL',
    filters: {
      status: { values: ['active', 'paused', 'disabled'], valueOf: field('status') },
      channelId: { values: [], valueOf: field('channelId') },
    },
  },
  {
    name: 'deliveries',
    rows: 'SELECT id FROM deliveries WHERE environment_id = $1 AND $2::text IS NULL',
    filters: {
      status: { values: ['pending', 'delivered', 'failed', 'retrying'], valueOf: field('status') },
      subscriptionId: { values: [], valueOf: field('subscriptionId') },
      messageId: { values: [], valueOf: field('messageId') },
    },
  },
  { name: 'attempts', rows: 'SELECT id FROM attempts WHERE $1::text IS NOT NULL AND delivery_id = $2', filters: {} },
  {
    name: 'dlq',
    rows: 'SELECT id FROM dead_letters WHERE environment_id = $1 AND $2::text IS NULL',
    filters: {
      status: { values: ['open', 'replayed', 'discarded'], valueOf: field('status') },
      channelId: { values: [], valueOf: field('channelId') },
      subscriptionId: { values: [], valueOf: field('subscriptionId') },
      eventType: { values: ['order.created', 'order.paid'], valueOf: field('eventType') },
    },
    hasTimes: 'failedAt',
  },
  {
    name: 'api-keys',
    rows: 'SELECT id FROM api_keys WHERE environment_id = $1 AND $2::text IS NULL',
    filters: {},
  },
];

/** Gives each list five items or more, of every kind that its filters tell apart. Returns the lists' addresses. */
export async function seedLists(posthorn: TestPosthorn, key: string): Promise<Record<ListName, string>> {
  const { db } = posthorn.deps;
  const channels: Item[] = [];
  for (const status of [...CHANNEL_STATUSES, ...CHANNEL_STATUSES, 'active']) {
    const channel = await make(posthorn, key, '/v1/channels', { name: status });
    if (status !== 'active') await posthorn.request('PATCH', `/v1/channels/${channel.id}`, { status }, { key });
    channels.push(channel);
  }
  const [first, last] = [channels[0]?.id ?? '', channels.at(-1)?.id ?? ''];
  const target = { webhookUrl: 'https://example.com/in' };
  const subscriptions: Item[] = [];
  for (const channelId of [first, first, first, last, last])
    subscriptions.push(await make(posthorn, key, '/v1/subscriptions', { ...target, channelId }));
  for (let n = 0; n < 5; n += 1)
    await make(posthorn, key, `/v1/channels/${first}/messages`, { eventType: 'order.created', payload: { n } });
  for (const hours of [3, 1, 5, 1, 4])
    await make(posthorn, key, `/v1/channels/${first}/messages`, {
      eventType: 'order.reminded',
      payload: {},
      delay: hours * 3_600_000,
    });
  await make(posthorn, key, `/v1/channels/${last}/messages`, { eventType: 'order.created', payload: {} });
  // In both channels there are subscriptions of every state.
  for (const [index, status] of ['paused', 'disabled', 'active', 'paused'].entries())
    await db.subscription.update({ where: { id: subscriptions[index]?.id ?? '' }, data: { status } });
  const channelIds = channels.map(({ id }) => id);
  const deliveries = await db.delivery.findMany({ where: { channelId: { in: channelIds } }, orderBy: { id: 'asc' } });
  for (const [index, { id }] of deliveries.entries()) {
    if (index % 5 === 1) await db.delivery.update({ where: { id }, data: { status: 'delivered', dueAt: null } });
    if (index % 5 === 2) await db.delivery.update({ where: { id }, data: { status: 'retrying' } });
    // The last one is of the other channel.
    if (index % 5 > 2 || index === deliveries.length - 1) {
      const status = ['open', 'replayed', 'discarded'][index % 3] ?? 'open';
      const eventType = index % 2 === 0 ? 'order.paid' : 'order.created';
      await endAsDeadLetter(posthorn, id, { status, eventType, failedAt: new Date(1_800_000_000_000 + index) });
    }
  }
  const delivered = deliveries[1]?.id ?? '';
  for (let number = 1; number <= 5; number += 1) await insertAttempt(posthorn, delivered, number);
  for (let n = 0; n < 4; n += 1) await make(posthorn, key, '/v1/api-keys', { name: `key ${n}` });
  return {
    channels: '/v1/channels',
    messages: `/v1/channels/${first}/messages`,
    scheduled: `/v1/channels/${first}/scheduled`,
    subscriptions: '/v1/subscriptions',
    deliveries: '/v1/deliveries',
    attempts: `/v1/deliveries/${delivered}/attempts`,
    dlq: '/v1/dlq',
    'api-keys': '/v1/api-keys',
  };
}
