import type { Pool } from 'pg';

/** References between rows: the column, and the table it refers to. */
const NAMED: readonly [table: string, column: string, named: string][] = [
  ['subscriptions', 'channel_id', 'channels'],
  ['stat_parts', 'channel_id', 'channels'],
  ['stat_parts', 'subscription_id', 'subscriptions'],
  ['messages', 'channel_id', 'channels'],
  ['messages', 'only_subscription_id', 'subscriptions'],
  ['scheduled_messages', 'channel_id', 'channels'],
  ['deliveries', 'channel_id', 'channels'],
  ['deliveries', 'message_id', 'messages'],
  ['deliveries', 'subscription_id', 'subscriptions'],
  ['dead_letters', 'channel_id', 'channels'],
  ['dead_letters', 'message_id', 'messages'],
  ['dead_letters', 'subscription_id', 'subscriptions'],
  ['dead_letters', 'delivery_id', 'deliveries'],
  ['bulk_replays', 'channel_id', 'channels'],
  ['bulk_replays', 'subscription_id', 'subscriptions'],
  ['bulk_replays', 'message_id', 'messages'],
  ['message_replays', 'subscription_id', 'subscriptions'],
  ['request_versions', 'subscription_id', 'subscriptions'],
  ['publisher_ids', 'channel_id', 'channels'],
  ['publisher_ids', 'message_id', 'messages'],
  ['inbound_events', 'message_id', 'messages'],
  ['inbound_receipts', 'message_id', 'messages'],
  ['inbound_refusals', 'message_id', 'messages'],
  ['inbound_webhooks', 'channel_id', 'channels'],
  ['inspected_requests', 'inspector_id', 'inspectors'],
  ['inspected_requests', 'message_id', 'messages'],
  ['inspected_requests', 'subscription_id', 'subscriptions'],
  ['runs', 'channel_id', 'channels'],
  ['runs', 'message_id', 'messages'],
  ['run_waits', 'message_id', 'messages'],
  ['awaited_messages', 'message_id', 'messages'],
];

/** Returns references to a row of another environment, as `table.column`, once for each such row. */
export async function foreignReferences(pool: Pool): Promise<string[]> {
  const found: string[] = [];
  for (const [table, column, named] of NAMED) {
    const { rows } = await pool.query(
      `SELECT FROM ${table} r JOIN ${named} n ON n.id = r.${column} WHERE n.environment_id <> r.environment_id`,
    );
    found.push(...rows.map(() => `${table}.${column}`));
  }
  return found;
}

/** Columns that refer to a row of an environment, as `table.column`. */
export const namingColumns: readonly string[] = NAMED.map(([table, column]) => `${table}.${column}`);
