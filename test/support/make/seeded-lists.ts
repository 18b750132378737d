import {
  deliveryErrorClass,
  deliveryErrorStatus,
  errorClass,
  errorStatus,
  EVENT_TYPES,
  eventType,
  type Filter,
  held,
  idOf,
  type Item,
  minLatencyMs,
  namePart,
  oneOf,
  someOf,
  publisherId,
  isWhole,
  strangeIds,
} from './list-filters.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { APPROVAL_STATUSES, REPLAY_STATUSES, RUN_STATUSES } from '../../../src/kernel/words/statuses.ts';
import { insertAttempt, make } from './seed.ts';
import { seedReplays, spreadDeliveries } from './seeded-deliveries.ts';
import { begunBy, seedApprovals, seedConnections, seedRuns, seedSecrets } from './seeded-automations.ts';
import { INBOUND_LISTS, seedWebhooks } from './seeded-webhooks.ts';
import { INSPECTOR_LISTS, seedInspectors } from './seeded-inspectors.ts';
import { seedMarkers } from './seeded-markers.ts';

export type ListName =
  | 'channels'
  | 'messages'
  | 'messages-of-all'
  | 'scheduled'
  | 'subscriptions'
  | 'deliveries'
  | 'attempts'
  | 'dlq'
  | 'bulk-replays'
  | 'bulk-retries'
  | 'replays'
  | 'api-keys'
  | 'audit'
  | 'machine-credentials'
  | 'webhooks'
  | 'refusals'
  | 'requests'
  | 'inspectors'
  | 'inspected-requests'
  | 'markers'
  | 'secrets'
  | 'connections'
  | 'workflows'
  | 'runs'
  | 'runs-of-workflow'
  | 'approvals';

/**
 * A list, the rows it must show (newest first, unless it is `isSoonestFirst`; $1 is the environment, $2 what its path names), and its
 * filters.
 */
type List = {
  name: ListName;
  rows: string;
  filters: Record<string, Filter>;
  hasTimes?: string;
  isSoonestFirst?: true;
};

const RUN_STATUS = someOf('status', [...RUN_STATUSES]);
const CHANNEL_STATUSES = ['active', 'paused', 'archived'];
const BULK_STATUS = oneOf('status', [...REPLAY_STATUSES]);

const OWN = 'environment_id = $1 AND $2::text IS NULL';

export const LISTS: List[] = [
  {
    name: 'channels',
    rows: 'SELECT id FROM channels WHERE environment_id = $1 AND deleted_at IS NULL AND $2::text IS NULL',
    filters: { status: oneOf('status', CHANNEL_STATUSES), name: namePart('ACT', 'chiv', 'a'), definitions: isWhole },
  },
  {
    name: 'messages',
    rows: 'SELECT id FROM messages WHERE environment_id = $1 AND channel_id = $2',
    filters: { eventType },
    hasTimes: 'publishedAt',
  },
  {
    name: 'messages-of-all',
    rows: `SELECT m.id, m.channel_id AS "channelId", m.event_type AS "eventType", p.publisher_id AS "publisherId" FROM messages m
      LEFT JOIN publisher_ids p ON p.message_id = m.id WHERE m.environment_id = $1 AND $2::text IS NULL`,
    filters: { channelId: idOf('channelId'), eventType, publisherId, includeSystem: isWhole },
    hasTimes: 'publishedAt',
  },
  {
    name: 'scheduled',
    rows: 'SELECT id FROM scheduled_messages WHERE environment_id = $1 AND channel_id = $2',
    filters: { eventType, payloads: isWhole },
    hasTimes: 'deliverAt',
    isSoonestFirst: true,
  },
  {
    name: 'subscriptions',
    rows: 'SELECT id FROM subscriptions WHERE environment_id = $1 AND deleted_at IS NULL AND $2::text IS NULL',
    filters: {
      status: oneOf('status', ['active', 'paused', 'disabled']),
      channelId: idOf('channelId'),
      name: namePart('EXAMPLE', 'e.com'),
    },
  },
  {
    name: 'deliveries',
    rows: `SELECT d.id, d.channel_id AS "channelId", d.replay_id AS "replayId", m.event_type AS "eventType" FROM deliveries d
      JOIN messages m ON m.id = d.message_id WHERE d.environment_id = $1 AND $2::text IS NULL`,
    filters: {
      status: someOf('status', ['pending', 'delivered', 'failed', 'retrying']),
      channelId: idOf('channelId'),
      subscriptionId: idOf('subscriptionId'),
      messageId: idOf('messageId'),
      eventType,
      errorClass: deliveryErrorClass,
      errorStatus: deliveryErrorStatus,
      minLatencyMs,
      held,
      replayId: idOf('replayId'),
      responseBodies: isWhole,
    },
    hasTimes: 'createdAt',
  },
  { name: 'attempts', rows: 'SELECT id FROM attempts WHERE $1::text IS NOT NULL AND delivery_id = $2', filters: {} },
  {
    name: 'dlq',
    rows: 'SELECT id FROM dead_letters WHERE environment_id = $1 AND $2::text IS NULL',
    filters: {
      status: someOf('status', ['open', 'replayed', 'discarded']),
      kind: oneOf('kind', ['delivery', 'run']),
      reason: oneOf('reason', ['exhausted', 'gone', 'cancelled', 'circuit']),
      errorClass,
      errorStatus,
      channelId: idOf('channelId'),
      subscriptionId: idOf('subscriptionId'),
      messageId: idOf('messageId'),
      workflowId: idOf('workflowId'),
      eventType,
    },
    hasTimes: 'failedAt',
  },
  { name: 'bulk-replays', rows: `SELECT id FROM bulk_replays WHERE ${OWN}`, filters: { status: BULK_STATUS } },
  { name: 'bulk-retries', rows: `SELECT id FROM bulk_retries WHERE ${OWN}`, filters: { status: BULK_STATUS } },
  {
    name: 'replays',
    rows: 'SELECT id FROM message_replays WHERE environment_id = $1 AND $2::text IS NULL',
    filters: { status: BULK_STATUS, subscriptionId: idOf('subscriptionId') },
  },
  {
    name: 'api-keys',
    rows: 'SELECT id FROM api_keys WHERE environment_id = $1 AND $2::text IS NULL',
    filters: { status: oneOf('status', ['active', 'expired', 'revoked']) },
  },
  {
    name: 'audit',
    rows: `SELECT id, actor_id AS "actorId", target_id AS "targetId" FROM audit_entries
      WHERE environment_id = $1 AND $2::text IS NULL`,
    filters: {
      action: oneOf('action', ['channel.created', 'channel.updated', 'subscription.created', 'subscription.deleted']),
      actorId: idOf('actorId'),
      targetId: idOf('targetId'),
      changes: isWhole,
    },
    hasTimes: 'at',
  },
  {
    name: 'machine-credentials',
    rows: 'SELECT id FROM machine_credentials WHERE environment_id = $1 AND $2::text IS NULL',
    filters: { status: oneOf('status', ['active', 'expired', 'revoked']) },
  },
  ...INBOUND_LISTS,
  ...INSPECTOR_LISTS,
  { name: 'markers', rows: `SELECT id FROM markers WHERE ${OWN}`, filters: {}, hasTimes: 'at' },
  { name: 'secrets', rows: `SELECT id FROM secrets WHERE ${OWN}`, filters: { name: namePart('token', 'n_4') } },
  {
    name: 'connections',
    rows: 'SELECT id FROM connections WHERE environment_id = $1 AND $2::text IS NULL',
    filters: {
      connectorId: { ...oneOf('connectorId', ['slack', 'resend']), strange: strangeIds, bad: [] },
      status: oneOf('status', ['ready', 'unauthorized']),
    },
  },
  {
    name: 'workflows',
    rows: 'SELECT id FROM workflows WHERE environment_id = $1 AND deleted_at IS NULL AND $2::text IS NULL',
    filters: {
      status: oneOf('status', ['active', 'paused', 'draft']),
      name: namePart('Act', 'dr'),
      definitions: isWhole,
    },
  },
  {
    name: 'runs',
    rows: 'SELECT id, message_id AS "messageId" FROM runs WHERE environment_id = $1 AND $2::text IS NULL',
    filters: { status: RUN_STATUS, workflowId: idOf('workflowId'), messageId: begunBy, outputs: isWhole },
    hasTimes: 'createdAt',
  },
  {
    name: 'runs-of-workflow',
    rows: 'SELECT id FROM runs WHERE environment_id = $1 AND workflow_id = $2',
    filters: { status: RUN_STATUS, outputs: isWhole },
    hasTimes: 'createdAt',
  },
  {
    name: 'approvals',
    rows: 'SELECT id FROM approvals WHERE environment_id = $1 AND $2::text IS NULL',
    filters: {
      status: oneOf('status', [...APPROVAL_STATUSES]),
      runId: idOf('runId'),
      workflowId: idOf('workflowId'),
    },
  },
];

/** Gives each list at least five items, of every kind that its filters distinguish. Returns the lists' addresses. */
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
  const publish = (channelId: string, body: object): Promise<Item> =>
    make(posthorn, key, `/v1/channels/${channelId}/messages`, { payload: {}, ...body });
  for (const eventType of [...EVENT_TYPES, 'order.created', 'order.paid']) await publish(first, { eventType });
  for (const [index, hours] of [3, 1, 5, 1, 4].entries())
    await publish(first, { eventType: EVENT_TYPES[index % EVENT_TYPES.length], delay: hours * 3_600_000 });
  await publish(last, { eventType: 'order.created', id: 'order-7' });
  await publish(last, { eventType: 'refund.made', id: 'order-8' });
  await publish(first, { eventType: 'order.paid', id: 'order-7' });
  const channelIds = channels.map(({ id }) => id);
  const deliveries = await db.delivery.findMany({ where: { channelId: { in: channelIds } }, orderBy: { id: 'asc' } });
  await spreadDeliveries(posthorn, deliveries);
  const delivered = deliveries[1]?.id ?? '';
  for (let number = 1; number <= 5; number += 1) await insertAttempt(posthorn, delivered, number);
  await seedReplays(posthorn, key, subscriptions);
  // Both channels have subscriptions in every state; the deliveries of a deleted one stay.
  for (const [index, status] of ['paused', 'disabled', 'active', 'paused'].entries())
    await db.subscription.update({ where: { id: subscriptions[index]?.id ?? '' }, data: { status } });
  const deleted = await make(posthorn, key, '/v1/subscriptions', { ...target, channelId: last });
  await publish(last, { eventType: 'order.paid' });
  await posthorn.request('DELETE', `/v1/subscriptions/${deleted.id}`, undefined, { key });
  for (let n = 0; n < 6; n += 1) {
    for (const [path, table] of [
      ['/v1/api-keys', 'api_keys'],
      ['/v1/machine-credentials', 'machine_credentials'],
    ] as const) {
      const { id } = await make(posthorn, key, path, { name: `number ${n}` });
      if (n % 3 === 1)
        await posthorn.deps.pool.query(`UPDATE ${table} SET expires_at = now() - interval '1 s' WHERE id = $1`, [id]);
      if (n % 3 === 2) await posthorn.request('DELETE', `${path}/${id}`, undefined, { key });
    }
  }
  // With another key, so that there are two actors.
  const other = await make(posthorn, key, '/v1/api-keys', { name: 'other' });
  await make(posthorn, String(other['key']), '/v1/channels', { name: 'by another key' });
  return {
    channels: '/v1/channels',
    messages: `/v1/channels/${first}/messages`,
    'messages-of-all': '/v1/messages',
    scheduled: `/v1/channels/${first}/scheduled`,
    subscriptions: '/v1/subscriptions',
    deliveries: '/v1/deliveries',
    attempts: `/v1/deliveries/${delivered}/attempts`,
    dlq: '/v1/dlq',
    'bulk-replays': '/v1/dlq/replay',
    'bulk-retries': '/v1/deliveries/retry',
    replays: '/v1/replays',
    'api-keys': '/v1/api-keys',
    audit: '/v1/audit',
    'machine-credentials': '/v1/machine-credentials',
    ...(await seedWebhooks(posthorn, key, [first, last])),
    inspectors: '/v1/inspectors',
    markers: await seedMarkers((path, body) => make(posthorn, key, path, body)),
    'inspected-requests': await seedInspectors(posthorn, (path, body) => make(posthorn, key, path, body)),
    secrets: await seedSecrets(posthorn, key),
    connections: await seedConnections(posthorn, key),
    workflows: '/v1/workflows',
    runs: '/v1/runs',
    'runs-of-workflow': await seedRuns(posthorn, key),
    approvals: await seedApprovals(posthorn, key),
  };
}
