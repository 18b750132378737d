import type { PoolClient } from 'pg';
import type { Publication } from '../../messages/publication.ts';
import type { Repeated } from './publisher-ids-store.ts';

// SQL: providers try a failed request again for up to three days (Stripe), and give it the same id.
const KNOWN_FOR = `interval '72 hours'`;

type Wanted = { webhookId: string; eventId: string; environmentId: string; messageId: string };

/**
 * Reserves the ids that external services gave the events of these messages; without any it asks nothing. Returns those that stand for
 * an earlier message, whatever that one says: a provider that sends an event again may word it anew. Two transactions with the same ids
 * wait for each other, in one order; of two messages of this transaction the first one has the id.
 */
export async function claimInboundEvents(
  connection: Pick<PoolClient, 'query'>,
  publications: readonly Publication[],
): Promise<Repeated> {
  const firstOf = new Map<string, Wanted>();
  const wanted = publications.flatMap(({ environmentId, messages }) =>
    messages.flatMap(({ id: messageId, inbound }) =>
      inbound === undefined ? [] : [{ ...inbound, environmentId, messageId }],
    ),
  );
  for (const one of wanted) if (!firstOf.has(nameOf(one))) firstOf.set(nameOf(one), one);
  const distinct = [...firstOf.values()].toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  if (distinct.length === 0) return new Map();
  const names = [distinct.map(({ webhookId }) => webhookId), distinct.map(({ eventId }) => eventId)];
  const { rows: claimed } = await connection.query<{ messageId: string }>(
    `INSERT INTO inbound_events AS e (inbound_webhook_id, event_id, environment_id, message_id, expires_at)
     SELECT u.*, now() + ${KNOWN_FOR} FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS u
     ON CONFLICT (inbound_webhook_id, event_id) DO UPDATE
     SET message_id = EXCLUDED.message_id, expires_at = EXCLUDED.expires_at
     WHERE e.expires_at <= now()
     RETURNING message_id AS "messageId"`,
    [...names, distinct.map(({ environmentId }) => environmentId), distinct.map(({ messageId }) => messageId)],
  );
  const standing = new Map(distinct.map((one) => [nameOf(one), one.messageId]));
  if (claimed.length < distinct.length) {
    // A statement of its own sees what the one before has waited for.
    const { rows } = await connection.query<Omit<Wanted, 'environmentId'>>(
      `SELECT e.inbound_webhook_id AS "webhookId", e.event_id AS "eventId", e.message_id AS "messageId"
       FROM unnest($1::text[], $2::text[]) AS u (inbound_webhook_id, event_id)
       JOIN inbound_events e USING (inbound_webhook_id, event_id)`,
      names,
    );
    for (const row of rows) standing.set(nameOf(row), row.messageId);
  }
  const repeated = new Map<string, { messageId: string; isSame: boolean }>();
  for (const one of wanted) {
    const messageId = standing.get(nameOf(one)) ?? one.messageId;
    if (messageId !== one.messageId) repeated.set(one.messageId, { messageId, isSame: true });
  }
  return repeated;
}

/** An id of a webhook holds no space. */
const nameOf = ({ webhookId, eventId }: Pick<Wanted, 'webhookId' | 'eventId'>): string => `${webhookId} ${eventId}`;
