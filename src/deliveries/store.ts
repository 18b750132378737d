import type { Database, DatabaseTransaction } from '../db/client.ts';
import type { Attempt as AttemptRow, Delivery as DeliveryRow } from '../db/generated/client.ts';
import { readFound } from '../db/walk.ts';
import { timeOfId } from '../shared/ids.ts';
import type { PageRequest } from '../shared/page.ts';
import type { AttemptOutcome, DeliveryStatus, ErrorClass } from '../shared/statuses.ts';
import { type DeliveryFilter, findDeliveryIds } from './list-store.ts';
import { withNextRetries } from './next-retries.ts';
import type { Attempt, Delivery, DeliveryResponse } from './schema.ts';

/** Deliveries newest first, one more than asked for. */
export async function listDeliveries(db: Database, filter: DeliveryFilter, page: PageRequest): Promise<Delivery[]> {
  const rows = await readFound(
    () => findDeliveryIds(db, filter, page),
    (ids) => db.delivery.findMany({ where: { id: { in: ids } }, orderBy: { id: 'desc' } }),
  );
  return (await withNextRetries(db, rows)).map(toDelivery);
}

export async function findDelivery(db: Database, environmentId: string, id: string): Promise<Delivery | undefined> {
  const row = await db.delivery.findFirst({ where: { id, environmentId } });
  const [shown] = await withNextRetries(db, row === null ? [] : [row]);
  return shown === undefined ? undefined : toDelivery(shown);
}

/** Attempts of one delivery, newest first, one more than asked for. */
export async function listAttempts(db: Database, deliveryId: string, page: PageRequest): Promise<Attempt[]> {
  const rows = await db.attempt.findMany({
    where: { deliveryId, ...(page.after !== undefined && { id: { lt: page.after } }) },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  return rows.map(toAttempt);
}

/**
 * Makes one delivery due again under a fresh policy, as the subscription has it now, and closes its open dead letter.
 * False when the delivery waits for its first try anyway, its subscription is deleted or its message erased.
 */
export async function makeDueAgain(db: DatabaseTransaction, deliveryId: string, requestedBy: string): Promise<boolean> {
  // Kept from being erased, or removed by retention, until this is committed: before its delivery, as both of them lock.
  const messages = await db.$queryRaw<unknown[]>`
    SELECT m.id FROM deliveries AS d JOIN messages AS m ON m.id = d.message_id
    WHERE d.id = ${deliveryId} AND m.erased_at IS NULL FOR SHARE OF m`;
  if (messages.length === 0) return false;
  const changed = await db.$executeRaw`
    UPDATE deliveries AS d
    SET status = 'pending', round = d.round + 1, policy_attempts = 0, policy_started_at = now(), due_at = now(), holder = NULL, carrier = NULL,
        next_retry_at = NULL, last_chance_until = NULL, failure_reason = NULL, max_retries = s.max_retries, initial_delay = s.initial_delay,
        max_delay = s.max_delay, backoff_multiplier = s.backoff_multiplier
    FROM subscriptions AS s
    WHERE d.id = ${deliveryId} AND s.id = d.subscription_id AND s.deleted_at IS NULL AND d.status <> 'pending'`;
  if (changed === 0) return false;
  await db.deadLetter.updateMany({
    where: { deliveryId, status: 'open' },
    data: { status: 'replayed', replayedAt: new Date(), replayedBy: requestedBy },
  });
  return true;
}

export const isMessageErased = async (db: Database, messageId: string): Promise<boolean> =>
  (await db.message.count({ where: { id: messageId, erasedAt: { not: null } } })) > 0;

/** Ends what is unfinished of deleted subscriptions: failed, with that reason, and no dead letter (DESIGN §4 "delete"). */
export async function endUnfinished(db: DatabaseTransaction, subscriptionIds: string[]): Promise<void> {
  await db.delivery.updateMany({
    where: { subscriptionId: { in: subscriptionIds }, dueAt: { not: null } },
    data: {
      status: 'failed',
      failureReason: 'subscription_deleted',
      dueAt: null,
      nextRetryAt: null,
      holder: null,
      carrier: null,
    },
  });
}

const response = (row: {
  responseStatus: number | null;
  responseBody: string | null;
  responseLatencyMs: number | null;
}): DeliveryResponse | undefined =>
  row.responseStatus === null
    ? undefined
    : { status: row.responseStatus, body: row.responseBody ?? '', latencyMs: row.responseLatencyMs ?? 0 };

export function toDelivery(row: DeliveryRow): Delivery {
  const answer = response(row);
  return {
    id: row.id,
    messageId: row.messageId,
    subscriptionId: row.subscriptionId,
    // Only this service writes the column, from DELIVERY_STATUSES.
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    ...(row.lastAttemptAt !== null && { lastAttemptAt: row.lastAttemptAt }),
    ...(row.nextRetryAt !== null && { nextRetryAt: row.nextRetryAt }),
    ...(answer !== undefined && { response: answer }),
    ...(row.failureReason !== null && { reason: row.failureReason }),
    // By this time it is listed and filtered; the column has the beginning of its transaction, some ms earlier.
    createdAt: timeOfId('delivery', row.id) ?? row.createdAt,
  };
}

function toAttempt(row: AttemptRow): Attempt {
  const answer = response(row);
  return {
    id: row.id,
    deliveryId: row.deliveryId,
    number: row.number,
    startedAt: row.startedAt,
    durationMs: row.durationMs,
    // Written by record.ts from the unions of src/shared/statuses.ts; headers by the sender, a Record<string, string>.
    outcome: row.outcome as AttemptOutcome,
    ...(row.errorClass !== null && { errorClass: row.errorClass as ErrorClass }),
    ...(row.errorMessage !== null && { errorMessage: row.errorMessage }),
    ...(answer !== undefined && {
      response: { ...answer, headers: (row.responseHeaders ?? {}) as Record<string, string> },
    }),
    carrier: row.carrier,
  };
}
