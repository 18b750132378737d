import type { Pool } from 'pg';
import { parsePayload } from '../../../../messaging/filters/payload.ts';

/** A message that runs may wait for. The payload is null once it has been erased. */
export type ArrivedMessage = {
  id: string;
  environmentId: string;
  channelId: string;
  eventType: string;
  payload: string | null;
  metadata: Readonly<Record<string, string>> | null;
  publishedAt: Date;
};

/** Messages by their ids, in the ids' order; those that are gone are left out. */
export async function readArrived(pool: Pick<Pool, 'query'>, ids: readonly string[]): Promise<ArrivedMessage[]> {
  const { rows } = await pool.query<ArrivedMessage>({
    name: 'read_arrived',
    text: `SELECT id, environment_id AS "environmentId", channel_id AS "channelId", event_type AS "eventType", payload, metadata,
        published_at AS "publishedAt" FROM messages WHERE id = ANY ($1) ORDER BY id`,
    values: [ids],
  });
  return rows;
}

/** Whether a message is still there, and neither retention nor an erasure has removed its payload. */
export async function hasPayload(pool: Pick<Pool, 'query'>, id: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'has_payload',
    text: 'SELECT FROM messages WHERE id = $1 AND payload IS NOT NULL',
    values: [id],
  });
  return rowCount === 1;
}

/** The message as expressions and outputs have it. */
export const eventOf = ({ id, eventType, channelId, payload, metadata, publishedAt }: ArrivedMessage) => ({
  id,
  eventType,
  channelId,
  payload: payload === null ? null : parsePayload(payload),
  metadata: metadata ?? {},
  publishedAt: publishedAt.toISOString(),
});
