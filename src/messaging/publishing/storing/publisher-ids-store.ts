import type { PoolClient } from 'pg';
import { KEPT_FOR } from '../../../api/idempotency/kept-answers.ts';
import type { CancelReason } from '../../../kernel/words/statuses.ts';
import type { Publication } from '../../messages/publication.ts';

/** By id of a new message: the earlier message that its publisher's id stands for, and whether that one says the same. */
export type Repeated = ReadonlyMap<string, { messageId: string; isSame: boolean }>;

type Claimed = { channelId: string; publisherId: string; messageId: string; hash: Buffer };

// SQL: whoever cancels a message may schedule it anew under its id. Asked about none but ids that are taken.
const WAS_CANCELLED = `EXISTS (
       SELECT FROM scheduled_messages s WHERE s.id = p.message_id AND s.cancel_reason = '${'requested' satisfies CancelReason}')`;

/**
 * Reserves the publisher's ids of these messages; without any it asks nothing. Returns those that stand for an earlier message.
 * Two transactions with the same ids wait for each other; taken in one order, so that neither waits for the other in turn.
 */
export async function claimPublisherIds(
  connection: Pick<PoolClient, 'query'>,
  publications: readonly Publication[],
): Promise<Repeated> {
  const wanted = publications
    .flatMap(({ environmentId, channelId, messages }) =>
      messages.flatMap(({ id: messageId, publisher }) =>
        publisher === undefined
          ? []
          : [{ environmentId, channelId, publisherId: publisher.id, messageId, hash: publisher.hash }],
      ),
    )
    .toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  if (wanted.length === 0) return new Map();
  const names = [
    wanted.map(({ environmentId }) => environmentId),
    wanted.map(({ channelId }) => channelId),
    wanted.map(({ publisherId }) => publisherId),
  ];
  const { rows: claimed } = await connection.query<{ messageId: string }>(
    `INSERT INTO publisher_ids AS p (environment_id, channel_id, publisher_id, message_id, hash, expires_at)
     SELECT u.*, now() + ${KEPT_FOR} FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[]) AS u
     ON CONFLICT (environment_id, channel_id, publisher_id) DO UPDATE
     SET message_id = EXCLUDED.message_id, hash = EXCLUDED.hash, expires_at = EXCLUDED.expires_at
     WHERE p.expires_at <= now() OR ${WAS_CANCELLED}
     RETURNING message_id AS "messageId"`,
    [...names, wanted.map(({ messageId }) => messageId), wanted.map(({ hash }) => hash)],
  );
  if (claimed.length === wanted.length) return new Map();
  // A statement of its own sees what the one before has waited for.
  const { rows: standing } = await connection.query<Claimed>(
    `SELECT p.channel_id AS "channelId", p.publisher_id AS "publisherId", p.message_id AS "messageId", p.hash
     FROM unnest($1::text[], $2::text[], $3::text[]) AS u (environment_id, channel_id, publisher_id)
     JOIN publisher_ids p USING (environment_id, channel_id, publisher_id)`,
    names,
  );
  const standingFor = new Map(standing.map((row) => [nameOf(row), row]));
  const repeated = new Map<string, { messageId: string; isSame: boolean }>();
  for (const one of wanted) {
    const first = standingFor.get(nameOf(one));
    if (first !== undefined && first.messageId !== one.messageId)
      repeated.set(one.messageId, { messageId: first.messageId, isSame: first.hash.equals(one.hash) });
  }
  return repeated;
}

/** A publisher's id is visible ASCII, so a space ends it. */
const nameOf = ({ channelId, publisherId }: Pick<Claimed, 'channelId' | 'publisherId'>): string =>
  `${publisherId} ${channelId}`;
