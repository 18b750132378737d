import type { PoolClient } from 'pg';
import { INBOUND_CODES } from '../../../kernel/words/outcomes.ts';
import { lowestIdAt, timeOfId } from '../../../kernel/values/ids.ts';
import type { Publication } from '../../messages/publication.ts';
import type { Repeated } from './publisher-ids-store.ts';

// A request that was caught on its way may be sent again for ever, where its service signs no time. So many repeated ones of a webhook are
// written down in 60 s; each of the others is a message.
const REPEATED_A_MINUTE = 100;
const MINUTE_MS = 60_000;

const NOTE = `
  WITH noted AS (
  INSERT INTO inbound_receipts (id, environment_id, inbound_webhook_id, is_repeated, is_sample, event_id, message_id, expires_at)
  SELECT u.id, u.environment_id, u.webhook_id, u.is_repeated, u.is_sample, u.event_id, u.message_id,
    now() + make_interval(days => c.retention_days)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[], $6::boolean[], $7::text[], $8::text[], $9::text[])
    AS u (id, environment_id, channel_id, webhook_id, is_repeated, is_sample, event_id, message_id, recent_from)
  JOIN channels c ON c.id = u.channel_id
  WHERE NOT u.is_repeated OR (
    SELECT count(*) FROM (
      SELECT FROM inbound_receipts r WHERE r.inbound_webhook_id = u.webhook_id AND r.is_repeated AND r.id > u.recent_from
      LIMIT ${REPEATED_A_MINUTE}) AS recent) < ${REPEATED_A_MINUTE}
  RETURNING environment_id, inbound_webhook_id, is_repeated
  )
  INSERT INTO inbound_stat_parts (environment_id, inbound_webhook_id, code)
  SELECT environment_id, inbound_webhook_id, CASE WHEN is_repeated THEN ${INBOUND_CODES.repeated} ELSE ${INBOUND_CODES.received} END FROM noted`;

/**
 * Writes down and counts the requests of external services that these messages came with; without any it asks nothing. A repeated one
 * names the first message of its event. These rows and the messages are in one transaction.
 */
export async function noteInboundReceipts(
  connection: Pick<PoolClient, 'query'>,
  publications: readonly Publication[],
  repeated: Repeated,
): Promise<void> {
  const receipts = publications.flatMap(({ environmentId, channelId, messages }) =>
    messages.flatMap(({ id, receipt }) => {
      if (receipt === undefined) return [];
      const first = repeated.get(id)?.messageId;
      return [{ ...receipt, environmentId, channelId, messageId: first ?? id, isRepeated: first !== undefined }];
    }),
  );
  if (receipts.length === 0) return;
  await connection.query({
    name: 'note-inbound-receipts',
    text: NOTE,
    values: [
      receipts.map(({ id }) => id),
      receipts.map(({ environmentId }) => environmentId),
      receipts.map(({ channelId }) => channelId),
      receipts.map(({ webhookId }) => webhookId),
      receipts.map(({ isRepeated }) => isRepeated),
      receipts.map(({ isSample }) => isSample),
      receipts.map(({ eventId }) => eventId ?? null),
      receipts.map(({ messageId }) => messageId),
      receipts.map(({ id }) => aMinuteBefore(id)),
    ],
  });
}

/** The lowest id of the minute before, so that the index finds the recent ones. */
function aMinuteBefore(id: string): string {
  const at = timeOfId('inboundReceipt', id)?.getTime() ?? 0;
  return lowestIdAt('inboundReceipt', new Date(at - MINUTE_MS));
}
