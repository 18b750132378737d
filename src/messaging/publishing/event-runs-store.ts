import type { PoolClient } from 'pg';
import { CODE_OF_RUN, countRuns } from '../../platform/db/sql/ended-runs.ts';

/** A run that a service event starts, or that is skipped for the reason given. */
export type EventRun = { id: string; workflowId: string; version: number; skippedFor?: string };

/** A stored service event. `chainDepth` is the number of runs that led to it. */
export type ServiceEventMessage = {
  id: string;
  channelId: string;
  eventType: string;
  payload: string;
  chainDepth: number;
};

/** Returns those of the messages that are service events of the environment, by id, without removed or erased ones. */
export async function readServiceEvents(
  connection: PoolClient,
  channelId: string,
  messageIds: readonly string[],
): Promise<ServiceEventMessage[]> {
  const { rows } = await connection.query<ServiceEventMessage>({
    name: 'read_service_events',
    text: `SELECT id, channel_id AS "channelId", event_type AS "eventType", payload, coalesce(chain_depth, 0) AS "chainDepth"
      FROM messages WHERE id = ANY ($1) AND channel_id = $2 AND only_subscription_id IS NULL AND payload IS NOT NULL ORDER BY id`,
    values: [messageIds, channelId],
  });
  return rows;
}

/**
 * Returns the version of a channel's configuration and locks it until the end of the transaction, so that no workflow
 * is activated, changed or paused meanwhile. Undefined if the channel does not exist.
 */
export async function lockConfigVersion(connection: PoolClient, channelId: string): Promise<number | undefined> {
  const { rows } = await connection.query<{ version: number }>({
    name: 'lock_config_version',
    text: 'SELECT config_version AS version FROM channels WHERE id = $1 AND deleted_at IS NULL FOR SHARE',
    values: [channelId],
  });
  return rows[0]?.version;
}

const INSERT = `
  WITH run AS (
    INSERT INTO runs (id, environment_id, workflow_id, version, trigger_type, message_id, channel_id, chain_depth, due_at,
                      status, reason, finished_at)
    SELECT r.id, m.environment_id, r.workflow_id, r.version, 'event', m.id, m.channel_id, coalesce(m.chain_depth, 0),
      CASE WHEN r.skipped_for IS NULL THEN now() END, CASE WHEN r.skipped_for IS NULL THEN 'pending' ELSE 'skipped' END,
      r.skipped_for, CASE WHEN r.skipped_for IS NOT NULL THEN now() END
    FROM unnest($2::text[], $3::text[], $4::int[], $5::text[]) AS r (id, workflow_id, version, skipped_for)
      JOIN messages m ON m.id = $1
    ON CONFLICT (workflow_id, message_id) WHERE message_id IS NOT NULL DO NOTHING
    RETURNING environment_id, workflow_id, finished_at
  ), counted AS (${countRuns({ from: 'run WHERE finished_at IS NOT NULL', code: CODE_OF_RUN.ended(`'skipped'`) })}
  )
  SELECT FROM run`;

/** Stores the runs of a service event. Existing ones are not changed. */
export async function insertEventRuns(
  connection: PoolClient,
  messageId: string,
  runs: readonly EventRun[],
): Promise<void> {
  await connection.query({
    name: 'insert_event_runs',
    text: INSERT,
    values: [
      messageId,
      runs.map(({ id }) => id),
      runs.map(({ workflowId }) => workflowId),
      runs.map(({ version }) => version),
      runs.map(({ skippedFor }) => skippedFor ?? null),
    ],
  });
}
