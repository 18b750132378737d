import type { PoolClient } from 'pg';
import type { Database } from '../db/client.ts';
import { along, alongEventTypes, createValues, findAlong, isNarrowing, readFound, risingIdBounds } from '../db/walk.ts';
import type { PageRequest } from '../kernel/page.ts';
import type { CancelReason, ScheduleStatus } from '../kernel/statuses.ts';
import { itemsOf, messageColumns, type Publication, type Stored } from '../messages/publication.ts';
import type { Message } from '../messages/schema.ts';
import { type MessageFilter, toWaitingMessage } from '../messages/store.ts';

// The channel is shared until the commit, so that it is not deleted, or given another schema, in between: its deletion
// cancels what it finds.
const SCHEDULE = `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::int[],
                         $9::text[], $10::text[], $11::smallint[])
      AS m (id, environment_id, channel_id, event_type, payload, metadata, deliver_at, config_version, traceparent, tracestate,
            hops)
  ), channel AS MATERIALIZED (
    SELECT c.id, c.environment_id, c.config_version, CASE c.kind WHEN 'system' THEN 'system' ELSE c.status END AS status
    FROM channels c WHERE c.id IN (SELECT channel_id FROM input) AND c.deleted_at IS NULL
    ORDER BY c.id FOR SHARE
  ), scheduled AS (
    INSERT INTO scheduled_messages (id, environment_id, channel_id, event_type, payload, metadata, deliver_at, due_at,
                                    traceparent, tracestate, hops)
    SELECT m.id, m.environment_id, m.channel_id, m.event_type, m.payload, m.metadata::json, m.deliver_at, m.deliver_at,
           m.traceparent, m.tracestate, m.hops
    FROM input m JOIN channel c ON c.id = m.channel_id AND c.environment_id = m.environment_id AND c.status = 'active'
      AND (m.config_version IS NULL OR m.config_version = c.config_version)
  )
  SELECT id, environment_id AS "environmentId", status, config_version AS version FROM channel`;

/**
 * Stores messages that wait for their time, in the transaction of `connection`. The result says of their channels what
 * `storePublications` says; nobody has been looked for that would take them.
 */
export async function storeScheduled(
  connection: Pick<PoolClient, 'query'>,
  publications: readonly Publication[],
): Promise<Stored[]> {
  const items = itemsOf(publications);
  const { rows } = await connection.query<{ id: string; environmentId: string; status: string; version: number }>(
    SCHEDULE,
    [
      ...messageColumns(items),
      items.map(({ publication }) => publication.configVersion ?? null),
      items.map(({ publication }) => publication.trace?.traceparent ?? null),
      items.map(({ publication }) => publication.trace?.tracestate ?? null),
      items.map(({ publication }) => publication.hops ?? null),
    ],
  );
  return publications.map(({ environmentId, channelId, configVersion }) => {
    const channel = rows.find((row) => row.id === channelId && row.environmentId === environmentId);
    const isStale = channel !== undefined && configVersion !== undefined && configVersion !== channel.version;
    return { channelStatus: channel?.status, isStale };
  });
}

/** Scheduled or cancelled messages of a channel: soonest first, one more than asked for. deliverAt is the time in the id. */
export async function listScheduled(
  db: Database,
  filter: MessageFilter & { status: ScheduleStatus },
  page: PageRequest,
): Promise<Message[]> {
  const { environmentId, channelId, eventType, status } = filter;
  const values = createValues();
  const bounds = risingIdBounds(values, filter.ids ?? {}, page.after);
  const isCancelled = `d.cancelled_at IS ${status === 'cancelled' ? 'NOT ' : ''}NULL`;
  const where = [isCancelled, `d.environment_id = ${values.add(environmentId)}`];
  const walk = { table: 'scheduled_messages', bounds, where, limit: page.limit + 1, isRising: true };
  const owner = values.add(channelId);
  const text = isNarrowing(eventType)
    ? alongEventTypes(values, { ...walk, owners: `SELECT ${owner} AS id`, of: 'channel_id', pattern: eventType })
    : along({ ...walk, columns: ['channel_id'], at: [owner] });
  const rows = await readFound(
    () => findAlong(db, text, values),
    (ids) => db.scheduledMessage.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } }),
  );
  return rows.map(toWaitingMessage);
}

/** Cancels what waits. False when it does not: it is published, cancelled already, or not there. Waits for a publishing of it. */
export async function cancelScheduled(db: Database, environmentId: string, id: string, now: Date): Promise<boolean> {
  const { count } = await db.scheduledMessage.updateMany({
    where: { id, environmentId, cancelledAt: null },
    data: { cancelledAt: now, cancelReason: 'requested' satisfies CancelReason, dueAt: null },
  });
  return count === 1;
}
