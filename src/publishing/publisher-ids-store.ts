import type { Pool, PoolClient } from 'pg';
import { KEPT_FOR, keepAnswers, KeyTakenError, type ToKeep } from '../idempotency/kept-answers.ts';
import { inTransaction } from '../db/transaction.ts';
import type { NewDelivery } from './hand-over.ts';
import type { CancelReason } from '../kernel/statuses.ts';
import { type Publication, type Stored, storePublications } from './store.ts';
import { isScheduled, storeScheduled } from '../scheduling/store.ts';

/** The messages of one request, to one channel or several: all or nothing, with the ids and the key it is known by. */
export type PublishUnit = {
  publications: readonly Publication[];
  /**
   * Told what the transaction has stored, before the commit: what it throws refuses the unit. Its result is kept under the Idempotency-Key in the same transaction. Told again when the transaction had to be made again: the last time counts.
   */
  settle: (outcome: UnitOutcome) => Promise<ToKeep | undefined>;
};

export type UnitOutcome = {
  /** In the order of the publications; undefined where every message had been published before. */
  stored: readonly (Stored | undefined)[];
  /** By id of a message of this request: the message that its publisher's id stands for, and whether it says the same. */
  repeated: ReadonlyMap<string, { messageId: string; isSame: boolean }>;
};

/** How long a unit waits for another process that is publishing under the same key or id. */
export type Patience = '250ms' | '5s';
// A session that has stopped in the middle (a frozen process) is ended by PostgreSQL, so that it blocks its key no longer.
const beginWith = (patience: Patience): string =>
  `SET LOCAL lock_timeout = '${patience}'; SET LOCAL idle_in_transaction_session_timeout = '20s'`;
const LOCK_NOT_AVAILABLE = '55P03';

/** Another process was publishing under the same key or id for longer than the unit's patience. Nothing of it was stored. */
export class HeldElsewhereError extends Error {
  override readonly name = 'HeldElsewhereError';
}

/** Outcome of a group of units. `refusals` stand in the order of the units: why one was not stored, undefined where it was. */
export type StoredUnits = Made & { refusals: readonly (Error | undefined)[] };
type Made = { taken: NewDelivery[]; hasUntaken: boolean };

/** Units that stand in the way of their group's transaction, with what each is refused for. */
class UnitsRefused extends Error {
  override readonly name = 'UnitsRefused';
  readonly refusals: ReadonlyMap<PublishUnit, Error>;
  constructor(refusals: ReadonlyMap<PublishUnit, Error>) {
    super('Units of a group are refused');
    this.refusals = refusals;
  }
}

/**
 * Stores units in one transaction, but for those that are refused: each unit is stored whole or not at all, whatever becomes
 * of the others. A unit that would have to wait longer than `patience` is refused with HeldElsewhereError. The new deliveries
 * are to be handed over once it has returned: they are committed then. Throws what cannot be laid to one of several units.
 */
export async function storeUnits(
  pool: Pool,
  units: readonly PublishUnit[],
  { holder, patience }: { holder: string | undefined; patience: Patience },
): Promise<StoredUnits> {
  const refusals = new Map<PublishUnit, Error>();
  const withRefusals = (made: Made): StoredUnits => ({ ...made, refusals: units.map((unit) => refusals.get(unit)) });
  for (;;) {
    const left = units.filter((unit) => !refusals.has(unit));
    const [first] = left;
    if (first === undefined) return withRefusals({ taken: [], hasUntaken: false });
    try {
      return withRefusals(await storeTogether(pool, left, { holder, patience }));
    } catch (failure) {
      if (failure instanceof UnitsRefused) for (const [unit, refusal] of failure.refusals) refusals.set(unit, refusal);
      else if (!isLockTimeout(failure)) throw failure;
      else if (left.length === 1)
        refusals.set(first, new HeldElsewhereError('Held by another process', { cause: failure }));
      else {
        const made: Made = { taken: [], hasUntaken: false };
        for (const unit of left) {
          const alone = await storeUnits(pool, [unit], { holder, patience });
          const [refusal] = alone.refusals;
          if (refusal !== undefined) refusals.set(unit, refusal);
          made.taken.push(...alone.taken);
          made.hasUntaken ||= alone.hasUntaken;
        }
        return withRefusals(made);
      }
    }
  }
}

/** All of these units, or UnitsRefused with those that cannot be stored. */
async function storeTogether(
  pool: Pool,
  units: readonly PublishUnit[],
  { holder, patience }: { holder: string | undefined; patience: Patience },
): Promise<Made> {
  return inTransaction(pool, async (connection) => {
    await connection.query(beginWith(patience));
    const publications = units.flatMap((unit) => unit.publications);
    const repeated = await claimPublisherIds(connection, publications);
    const { storedOf, ...made } = await storeFresh(connection, publications, repeated, holder);
    const refusals = new Map<PublishUnit, Error>();
    const kept = new Map<PublishUnit, ToKeep>();
    for (const unit of units) {
      try {
        const stored = unit.publications.map((publication) => storedOf.get(publication));
        const answer = await unit.settle({ stored, repeated });
        if (answer !== undefined) kept.set(unit, answer);
      } catch (refusal) {
        refusals.set(unit, refusal instanceof Error ? refusal : new Error(String(refusal)));
      }
    }
    // Last, so that nobody waits for these rows longer than for the commit: of two that publish under one key at the same
    // moment the later one finds it taken here, and all it has stored is undone.
    if (refusals.size === 0 && kept.size > 0) {
      const free = await keepAnswers(connection, [...kept.values()]);
      for (const [unit, { request }] of kept) if (!free.has(request)) refusals.set(unit, new KeyTakenError());
    }
    if (refusals.size > 0) throw new UnitsRefused(refusals);
    return made;
  });
}

/**
 * Stores the messages that had not been published before, and had not to be. A publication without such messages has no result.
 */
async function storeFresh(
  connection: PoolClient,
  publications: readonly Publication[],
  repeated: UnitOutcome['repeated'],
  holder: string | undefined,
): Promise<Made & { storedOf: ReadonlyMap<Publication, Stored | undefined> }> {
  const toStore = publications.flatMap((publication) => {
    const messages = publication.messages.filter(
      ({ id, unlessKnown }) => !repeated.has(id) && unlessKnown === undefined,
    );
    return messages.length === 0 ? [] : [{ publication, fresh: { ...publication, messages } }];
  });
  const toPublish = toStore.filter(({ fresh }) => !isScheduled(fresh));
  const toSchedule = toStore.filter(({ fresh }) => isScheduled(fresh));
  const nothing = { stored: [], taken: [], hasUntaken: false };
  const { stored, ...made } = await (toPublish.length === 0
    ? nothing
    : storePublications(
        connection,
        toPublish.map(({ fresh }) => fresh),
        holder,
      ));
  const scheduled = await (toSchedule.length === 0
    ? []
    : storeScheduled(
        connection,
        toSchedule.map(({ fresh }) => fresh),
      ));
  const storedOf = new Map([
    ...toPublish.map(({ publication }, index) => [publication, stored[index]] as const),
    ...toSchedule.map(({ publication }, index) => [publication, scheduled[index]] as const),
  ]);
  return { storedOf, ...made };
}

const isLockTimeout = (failure: unknown): boolean =>
  failure instanceof Error && 'code' in failure && failure.code === LOCK_NOT_AVAILABLE;

type Claimed = { channelId: string; publisherId: string; messageId: string; hash: Buffer };

// SQL: whoever cancels a message may schedule it anew under its id. Asked about none but ids that are taken.
const WAS_CANCELLED = `EXISTS (
       SELECT FROM scheduled_messages s WHERE s.id = p.message_id AND s.cancel_reason = '${'requested' satisfies CancelReason}')`;

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
