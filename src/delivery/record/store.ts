import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import type { Attempt as AttemptRow, Delivery as DeliveryRow } from '../../platform/db/generated/client.ts';
import { readFound } from '../../platform/db/sql/walk.ts';
import { faultMessage, FAULTS } from '../../kernel/words/outcomes.ts';
import { type HoldingSubscription, deliveryStandingOf } from './held.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type {
  AttemptOutcome,
  DeliveryStatus,
  ErrorClass,
  FailureReason,
  SubscriptionStatus,
} from '../../kernel/words/statuses.ts';
import { type DeliveryFilter, findDeliveryIds } from './list-store.ts';
import type { Attempt, Delivery, DeliveryResponse, SentRequest } from './schema.ts';
import type { TraceContext } from '../../kernel/values/trace-context.ts';
import { timestampOf, webhookHeaders } from './webhook-headers.ts';

type Reader = Pick<DatabaseReader, 'delivery' | 'subscription' | '$queryRaw'>;
type DeliveryError = NonNullable<Delivery['error']>;

/**
 * Deliveries newest first, one more than asked for. `lookedTo`: the page ends there, full or not (unindexed-store.ts). Without `hasBodies`
 * no body of an answer is read: a hundred of them are up to 1.6 MB.
 */
export async function listDeliveries(
  db: DatabaseTransaction,
  filter: DeliveryFilter,
  page: PageRequest & { hasBodies?: boolean },
  now: Date,
): Promise<{ deliveries: Delivery[]; lookedTo: string | undefined }> {
  let lookedTo: string | undefined;
  const rows = await readFound(
    async () => {
      const found = await findDeliveryIds(db, filter, page, now);
      ({ lookedTo } = found);
      return found.ids;
    },
    (ids) => findRows(db, ids, page),
  );
  return { deliveries: await toDeliveries(db, rows, now), lookedTo };
}

async function findRows(
  db: Reader,
  ids: string[],
  { hasBodies = true }: { hasBodies?: boolean },
): Promise<DeliveryRow[]> {
  const those = { where: { id: { in: ids } }, orderBy: { id: 'desc' } } as const;
  if (hasBodies) return db.delivery.findMany(those);
  const rows = await db.delivery.findMany({ ...those, omit: { responseBody: true } });
  return rows.map((row) => ({ ...row, responseBody: null }));
}

export async function findDelivery(
  db: Reader,
  environmentId: string,
  id: string,
  now: Date,
): Promise<Delivery | undefined> {
  const row = await db.delivery.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : (await toDeliveries(db, [row], now))[0];
}

/** The holder of a delivery and the error of its last attempt are in other rows: one query each for a whole page. */
async function toDeliveries(db: Reader, rows: DeliveryRow[], now: Date): Promise<Delivery[]> {
  const [holders, errors] = [await holdersOf(db, rows), await lastErrorsOf(db, rows)];
  return rows.map((row) => {
    // Only this service writes the column, from DELIVERY_STATUSES.
    const delivery = { ...row, status: row.status as DeliveryStatus };
    const { nextRetryAt, held } = deliveryStandingOf(delivery, holders.get(row.subscriptionId), now);
    const error = faultOf(row) ?? errors.get(row.id);
    return toDelivery({ ...row, nextRetryAt }, { ...(held && { held }), ...(error && { error }) });
  });
}

async function holdersOf(db: Reader, rows: DeliveryRow[]): Promise<Map<string, HoldingSubscription>> {
  const waiting = new Set(rows.filter((row) => row.dueAt !== null).map((row) => row.subscriptionId));
  if (waiting.size === 0) return new Map();
  const found = await db.subscription.findMany({
    where: { id: { in: [...waiting] } },
    select: {
      id: true,
      status: true,
      statusChangedAt: true,
      appSuspendedAt: true,
      updatedAt: true,
      timeoutMs: true,
      resumedAt: true,
      circuitOpenedAt: true,
      circuitProbeAt: true,
      circuitProbeFailedAt: true,
    },
  });
  return new Map(
    found.map(({ id, status, statusChangedAt, updatedAt, ...rest }) => [
      id,
      {
        ...rest,
        // Only this service writes the column, from SUBSCRIPTION_STATUSES.
        status: status as SubscriptionStatus,
        // A process of an older version changes a status without its time; the last change is the closest time there is.
        statusChangedAt: statusChangedAt ?? updatedAt,
      },
    ]),
  );
}

/** A fault of ours that holds the delivery. Such a fault is no attempt: the receiver has not failed. */
function faultOf({ dueAt, heldReason, heldSent }: DeliveryRow): DeliveryError | undefined {
  const fault = dueAt === null ? undefined : FAULTS.find((each) => each === heldReason);
  return fault && { class: 'internal', message: faultMessage(fault, heldSent === true) };
}

// One look into the unique index of attempts for each delivery, however many attempts there are.
async function lastErrorsOf(db: Reader, rows: DeliveryRow[]): Promise<Map<string, DeliveryError>> {
  const failed = rows.filter(({ status, attempts }) => status !== 'delivered' && attempts > 0);
  if (failed.length === 0) return new Map();
  const found = await db.$queryRaw<{ id: string; class: ErrorClass; message: string | null }[]>`
    SELECT d.id, a.error_class AS class, a.error_message AS message
    FROM unnest(${failed.map(({ id }) => id)}::text[], ${failed.map(({ attempts }) => attempts)}::int[]) AS d (id, number)
    CROSS JOIN LATERAL (
      SELECT error_class, error_message FROM attempts WHERE delivery_id = d.id AND number = d.number LIMIT 1
    ) AS a
    WHERE a.error_class IS NOT NULL`;
  return new Map(
    found.map(({ id, class: errorClass, message }) => [id, { class: errorClass, message: message ?? '' }]),
  );
}

/** Attempts of one delivery, newest first, one more than asked for. */
export async function listAttempts(db: DatabaseTransaction, deliveryId: string, page: PageRequest): Promise<Attempt[]> {
  const rows = await db.attempt.findMany({
    where: { deliveryId, ...(page.after !== undefined && { id: { lt: page.after } }) },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  const requests = await findSentRequests(db, deliveryId, rows);
  return rows.map((row) => toAttempt(row, requests.get(row.id)));
}

/** An attempt has no environment of its own: that of its delivery holds. */
export async function findAttempt(
  db: DatabaseTransaction,
  environmentId: string,
  id: string,
): Promise<Attempt | undefined> {
  const row = await db.attempt.findUnique({ where: { id } });
  if (row === null || (await db.delivery.count({ where: { id: row.deliveryId, environmentId } })) === 0)
    return undefined;
  const requests = await findSentRequests(db, row.deliveryId, [row]);
  return toAttempt(row, requests.get(id));
}

export const isMessageErased = async (db: DatabaseTransaction, messageId: string): Promise<boolean> =>
  (await db.message.count({ where: { id: messageId, erasedAt: { not: null } } })) > 0;

/** A message and a subscription that it is to go to. */
type Pair = { messageId: string; channelId: string; subscriptionId: string };

/** Reasons for which a message does not go to a subscription of its channel. */
type Obstacle = 'no subscription' | 'test of another' | 'erased' | { underWay: string };

/** The reason why a message was not made due for a subscription. Undefined when nothing stands in its way any more. */
export async function findObstacle(
  db: DatabaseTransaction,
  { messageId, channelId, subscriptionId }: Pair,
): Promise<Obstacle | undefined> {
  if ((await db.subscription.count({ where: { id: subscriptionId, channelId, deletedAt: null } })) === 0)
    return 'no subscription';
  const message = await db.message.findUnique({
    where: { id: messageId },
    select: { erasedAt: true, onlySubscriptionId: true },
  });
  if ((message?.onlySubscriptionId ?? subscriptionId) !== subscriptionId) return 'test of another';
  if (message?.erasedAt !== null) return 'erased';
  const delivery = await db.delivery.findUnique({
    where: { messageId_subscriptionId: { messageId, subscriptionId } },
    select: { id: true },
  });
  return delivery === null ? undefined : { underWay: delivery.id };
}

const response = (row: {
  responseStatus: number | null;
  responseBody: string | null;
  responseLatencyMs: number | null;
}): DeliveryResponse | undefined =>
  row.responseStatus === null
    ? undefined
    : { status: row.responseStatus, body: row.responseBody ?? '', latencyMs: row.responseLatencyMs ?? 0 };

function toDelivery(row: DeliveryRow, seen: Pick<Delivery, 'held' | 'error'>): Delivery {
  const answer = response(row);
  return {
    id: row.id,
    messageId: row.messageId,
    subscriptionId: row.subscriptionId,
    ...(row.eventType !== null && { eventType: row.eventType }),
    // Only this service writes the column, from DELIVERY_STATUSES.
    status: row.status as DeliveryStatus,
    attempts: row.attempts,
    policyAttempts: row.policyAttempts,
    ...(row.lastAttemptAt !== null && { lastAttemptAt: row.lastAttemptAt }),
    ...(row.nextRetryAt !== null && { nextRetryAt: row.nextRetryAt }),
    ...(answer !== undefined && { response: answer }),
    ...seen,
    // Only this service writes the column, from FAILURE_REASONS.
    ...(row.failureReason !== null && { reason: row.failureReason as FailureReason }),
    // Lists sort and filter by this time. The column has the beginning of its transaction, some ms earlier.
    createdAt: timeOfId('delivery', row.id) ?? row.createdAt,
  };
}

function toAttempt(row: AttemptRow, request: SentRequest | undefined): Attempt {
  const answer = response(row);
  return {
    id: row.id,
    deliveryId: row.deliveryId,
    number: row.number,
    startedAt: row.startedAt,
    durationMs: row.durationMs,
    // Written by record.ts from the unions of src/kernel/words/statuses.ts; headers by the sender, a Record<string, string>.
    outcome: row.outcome as AttemptOutcome,
    ...(row.errorClass !== null && { errorClass: row.errorClass as ErrorClass }),
    ...(row.errorMessage !== null && { errorMessage: row.errorMessage }),
    ...(request !== undefined && { request }),
    ...(answer !== undefined && {
      response: { ...answer, headers: (row.responseHeaders ?? {}) as Record<string, string> },
    }),
    temporalWorkflowId: row.carrier,
  };
}

/** In the place of a secret, or of something that nobody has kept. */
const MASK = '***';

type Form = { version: number; url: string; headers: Record<string, string> | null };
type Message = { id: string; hops: number } & TraceContext;

/**
 * The requests of attempts of one delivery, by the attempt's id. Headers of the message and of the time follow from the record: nobody
 * writes them for each attempt. The key that signed may be gone since, so the signature is masked, and so is the parent-id of a trace.
 * An attempt has no request where its form is unknown.
 */
async function findSentRequests(
  db: DatabaseTransaction,
  deliveryId: string,
  attempts: readonly AttemptRow[],
): Promise<Map<string, SentRequest>> {
  const versions = [...new Set(attempts.flatMap(({ requestVersion }) => requestVersion ?? []))];
  if (versions.length === 0) return new Map();
  const [message] = await db.$queryRaw<Message[]>`
    SELECT m.id, coalesce(m.hops, 0) AS hops, m.traceparent, m.tracestate
    FROM deliveries d JOIN messages m ON m.id = d.message_id WHERE d.id = ${deliveryId}`;
  const forms = await db.$queryRaw<Form[]>`
    SELECT v.version, v.url, v.headers FROM deliveries d JOIN request_versions v ON v.subscription_id = d.subscription_id
    WHERE d.id = ${deliveryId} AND v.version = ANY (${versions}::int[])`;
  if (message === undefined) return new Map();
  const formOf = new Map(forms.map((form) => [form.version, form]));
  return new Map(
    attempts.flatMap(({ id, requestVersion, startedAt }) => {
      const form = requestVersion === null ? undefined : formOf.get(requestVersion);
      return form === undefined ? [] : [[id, toSentRequest(form, message, startedAt)]];
    }),
  );
}

function toSentRequest(form: Form, message: Message, startedAt: Date): SentRequest {
  const { id, hops, traceparent, tracestate } = message;
  return {
    version: form.version,
    method: 'POST',
    url: form.url,
    headers: webhookHeaders(
      { id, hops, trace: { traceparent, tracestate } },
      { custom: form.headers, timestamp: timestampOf(startedAt), signature: MASK, newParentId: () => MASK },
    ),
  };
}
