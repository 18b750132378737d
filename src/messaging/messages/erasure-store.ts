import type { PoolClient } from 'pg';
import { isAnswerTo, WITHOUT_PAYLOAD } from '../../api/idempotency/kept-answers.ts';
import { TIME_IS_GIVEN } from '../../platform/db/sql/commit-order.ts';
import type { EraseDeliveries } from '../delivery-changes.ts';
import { mayWait } from './store.ts';

/** Runs work in one transaction as the tenant. */
export type Transact = <T>(work: (connection: PoolClient) => Promise<T>) => Promise<T>;
/** Notified of an erasure, in its transaction. */
type Tell = (connection: PoolClient) => Promise<void>;
/** What else happens in the transaction of an erasure. */
type Along = { tell: Tell; eraseDeliveries: EraseDeliveries };

/**
 * `agoMs`: how long ago it was erased. `wasAboutToBeSent`: a process may have read it for a request that has not
 * started yet.
 */
export type Erased = { agoMs: number; wasAboutToBeSent: boolean };

// A group of up to 100 results of one broadcast is recorded in no particular order and could deadlock with us. Give way
// well before PostgreSQL would abort one of the two (deadlock_timeout, 1 s), and start again.
const LOCK_TIMEOUT_MS = 200;
// Six seconds: longer than any statement of the service locks a delivery, except for deleting a large subscription.
const TRIES = 30;
// SQL: a scheduled message may have been accepted at any time before it was published.
const ACCEPTED_AT_THE_EARLIEST = `CASE WHEN ${TIME_IS_GIVEN} THEN '-infinity' ELSE m.published_at END`;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

// Lock the message before its deliveries, in the same order as retry, replay and late results.
const LOCK_MESSAGE = `
  SELECT (extract(epoch FROM clock_timestamp() - erased_at) * 1000)::float8 AS "agoMs"
  FROM messages WHERE id = $1 AND environment_id = $2 FOR UPDATE`;

const LOCK_DELIVERIES = `
  SELECT due_at IS NOT NULL AND (holder IS NOT NULL OR carrier IS NOT NULL) AS "isTaken"
  FROM deliveries WHERE message_id = $1 ORDER BY id FOR UPDATE`;

// After the deliveries, each as a statement of its own, which sees what was recorded while the previous ones waited for
// a lock.
const ERASE = [
  // The response to its publish, if it is stored for an Idempotency-Key. It was stored in the same transaction.
  `UPDATE idempotency_keys k SET body = ${WITHOUT_PAYLOAD} FROM messages m
   WHERE m.id = $1 AND ${isAnswerTo('m', { from: ACCEPTED_AT_THE_EARLIEST, until: 'm.published_at' })}`,
  // Last, so that its time is close to the commit.
  `UPDATE messages SET payload = NULL, metadata = NULL, erased_at = clock_timestamp() WHERE id = $1`,
];

async function erase(
  connection: PoolClient,
  environmentId: string,
  id: string,
  { tell, eraseDeliveries }: Along,
): Promise<Erased | undefined> {
  await connection.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const { rows } = await connection.query<{ agoMs: number | null }>(LOCK_MESSAGE, [id, environmentId]);
  const [message] = rows;
  if (message === undefined) return undefined;
  // The request that erased it may still be waiting for attempts that were about to start.
  if (message.agoMs !== null) return { agoMs: message.agoMs, wasAboutToBeSent: true };
  const deliveries = await connection.query<{ isTaken: boolean }>(LOCK_DELIVERIES, [id]);
  await eraseDeliveries(connection, id);
  for (const statement of ERASE) await connection.query(statement, [id]);
  await tell(connection);
  return { agoMs: 0, wasAboutToBeSent: deliveries.rows.some(({ isTaken }) => isTaken) };
}

/**
 * Removes all content of a message from the database in one transaction and ends what is unfinished: deliveries become
 * `failed` with the reason `erased`, and open dead letters are discarded. Returns undefined if there is no such
 * message, and `busy` if its deliveries could not be locked for six seconds, in which case nothing was changed.
 */
export async function eraseMessage(
  transact: Transact,
  environmentId: string,
  id: string,
  along: Along,
): Promise<Erased | 'busy' | undefined> {
  for (let count = 1; count <= TRIES; count += 1) {
    try {
      return await transact((connection) => erase(connection, environmentId, id, along));
    } catch (error) {
      if (!isLockedOut(error)) throw error;
    }
  }
  return 'busy';
}

const isLockedOut = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK);

// Includes its response if it is stored for an Idempotency-Key; it was stored in the same transaction.
const ERASE_WAITING = `
  WITH erased AS (
    UPDATE scheduled_messages SET payload = NULL, metadata = NULL, due_at = NULL, erased_at = coalesce(erased_at, now()),
      cancel_reason = coalesce(cancel_reason, 'erased'), cancelled_at = coalesce(cancelled_at, now())
    WHERE id = $1 AND environment_id = $2
    RETURNING id, environment_id, created_at
  ), answer AS (
    UPDATE idempotency_keys k SET body = ${WITHOUT_PAYLOAD} FROM erased m
    WHERE ${isAnswerTo('m', { from: 'm.created_at', until: 'm.created_at' })}
  )
  SELECT FROM erased`;

/** Erases a scheduled or cancelled message, and cancels it. Returns false if it is published or does not exist. */
export async function eraseWaiting(
  transact: Transact,
  environmentId: string,
  id: string,
  tell: Tell,
): Promise<boolean> {
  if (!mayWait(id)) return false;
  return transact(async (connection) => {
    const { rowCount } = await connection.query(ERASE_WAITING, [id, environmentId]);
    if (rowCount === 1) await tell(connection);
    return rowCount === 1;
  });
}
