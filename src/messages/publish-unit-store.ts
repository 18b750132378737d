import type { Pool, PoolClient } from 'pg';
import { KEPT_FOR, keepAnswer, type KeptAnswer, type KeyedRequest, KeyTakenError } from '../db/idempotency-keys.ts';
import { inTransaction } from '../db/transaction.ts';
import { ApiError } from '../shared/api-error.ts';
import type { NewDelivery } from '../shared/hand-over.ts';
import { type Publication, type Stored, storePublications } from './publish-store.ts';
import { isScheduled, storeScheduled } from './scheduled-store.ts';

/** What one request publishes, to one channel or several: all or nothing, with the ids and the key it is known by. */
export type PublishUnit = {
  publications: readonly Publication[];
  /**
   * Told what the transaction has stored, before the commit: what it throws rolls all of it back. What it returns is kept
   * under the Idempotency-Key in the same transaction.
   */
  settle: (outcome: UnitOutcome) => Promise<{ request: KeyedRequest; answer: KeptAnswer } | undefined>;
};

export type UnitOutcome = {
  /** In the order of the publications; undefined where every message had been published before. */
  stored: readonly (Stored | undefined)[];
  /** By id of a message of this request: the message that its publisher's id stands for, and whether it says the same. */
  repeated: ReadonlyMap<string, { messageId: string; isSame: boolean }>;
};

// Another process publishes under the same key or id at this moment: it takes milliseconds, or it is in trouble. A session
// that has stopped in the middle (a frozen process) is ended by PostgreSQL, so that it blocks its key no longer than this.
const PATIENCE = `SET LOCAL lock_timeout = '5s'; SET LOCAL idle_in_transaction_session_timeout = '20s'`;
const LOCK_NOT_AVAILABLE = '55P03';
const RETRY_AFTER_SECONDS = 1;

/** Stores a unit in one transaction. The new deliveries are to be handed over once it has returned: they are committed then. */
export async function storeUnit(
  pool: Pool,
  { publications, settle }: PublishUnit,
  holder: string | undefined,
): Promise<{ taken: NewDelivery[]; hasUntaken: boolean }> {
  try {
    return await inTransaction(pool, async (connection) => {
      await connection.query(PATIENCE);
      const repeated = await claimPublisherIds(connection, publications);
      const fresh = publications.map((publication) => ({
        ...publication,
        messages: publication.messages.filter(({ id }) => !repeated.has(id)),
      }));
      const toStore = fresh.filter(({ messages }) => messages.length > 0);
      const [toPublish, toSchedule] = [toStore.filter((one) => !isScheduled(one)), toStore.filter(isScheduled)];
      const { stored, taken, hasUntaken } =
        toPublish.length === 0
          ? { stored: [], taken: [], hasUntaken: false }
          : await storePublications(connection, toPublish, holder);
      const scheduled = toSchedule.length === 0 ? [] : await storeScheduled(connection, toSchedule);
      const storedOf = new Map([
        ...toPublish.map((publication, index) => [publication, stored[index]] as const),
        ...toSchedule.map((publication, index) => [publication, scheduled[index]] as const),
      ]);
      const kept = await settle({ stored: fresh.map((publication) => storedOf.get(publication)), repeated });
      // Last, so that nobody waits for this row longer than for the commit: of two that publish under one key at the same
      // moment the later one finds it taken here, and all it has stored is undone.
      if (kept !== undefined && !(await keepAnswer(connection, kept.request, kept.answer))) throw new KeyTakenError();
      return { taken, hasUntaken };
    });
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === LOCK_NOT_AVAILABLE) {
      throw new ApiError('CONFLICT', 'The same is being published by another request', {
        retryAfter: RETRY_AFTER_SECONDS,
        cause: failure,
      });
    }
    throw failure;
  }
}

type Claimed = { channelId: string; publisherId: string; messageId: string; hash: Buffer };

/**
 * Reserves the publisher's ids of these messages. Returns those that stand for an earlier message, by the id of the new one.
 * Two transactions with the same ids wait for each other; taken in one order, so that neither waits for the other in turn.
 */
async function claimPublisherIds(
  connection: PoolClient,
  publications: readonly Publication[],
): Promise<Map<string, { messageId: string; isSame: boolean }>> {
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
     WHERE p.expires_at <= now()
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
