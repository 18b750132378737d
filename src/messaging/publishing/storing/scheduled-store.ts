import type { PoolClient } from 'pg';
import { itemsOf, columnsOfMessages, type Publication, type Stored } from '../../messages/publication.ts';

// The channel is shared until the commit, so that it is not deleted, or given another schema, in between: its deletion
// cancels what it finds.
const SCHEDULE = `
  WITH input AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::int[],
                         $9::text[], $10::text[], $11::smallint[], $12::bool[])
      AS m (id, environment_id, channel_id, event_type, payload, metadata, deliver_at, config_version, traceparent, tracestate,
            hops, is_held)
  ), channel AS MATERIALIZED (
    SELECT c.id, c.environment_id, c.config_version, CASE c.kind WHEN 'system' THEN 'system' ELSE c.status END AS status
    FROM channels c WHERE c.id IN (SELECT channel_id FROM input) AND c.deleted_at IS NULL
    ORDER BY c.id FOR SHARE
  ), scheduled AS (
    INSERT INTO scheduled_messages (id, environment_id, channel_id, event_type, payload, metadata, deliver_at, due_at,
                                    traceparent, tracestate, hops)
    SELECT m.id, m.environment_id, m.channel_id, m.event_type, m.payload, m.metadata::json, m.deliver_at, m.deliver_at,
           m.traceparent, m.tracestate, m.hops
    FROM input m JOIN channel c ON c.id = m.channel_id AND c.environment_id = m.environment_id 
      AND (c.status = 'active' OR (c.status = 'paused' AND m.is_held))
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
      ...columnsOfMessages(items),
      items.map(({ publication }) => publication.configVersion ?? null),
      items.map(({ publication }) => publication.trace?.traceparent ?? null),
      items.map(({ publication }) => publication.trace?.tracestate ?? null),
      items.map(({ publication }) => publication.hops ?? null),
      items.map(({ publication }) => publication.isHeldWhilePaused === true),
    ],
  );
  return publications.map(({ environmentId, channelId, configVersion }) => {
    const channel = rows.find((row) => row.id === channelId && row.environmentId === environmentId);
    const isStale = channel !== undefined && configVersion !== undefined && configVersion !== channel.version;
    return { channelStatus: channel?.status, isStale };
  });
}
