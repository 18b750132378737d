import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import type { Subscription as SubscriptionRow, Prisma } from '../../platform/db/generated/client.ts';
import { findByName } from '../../platform/db/sql/name-look.ts';
import { toCircuit } from '../../kernel/rules/circuit.ts';
import { disabledReasonOf, FAILING_FROM, failingFrom } from '../../kernel/rules/failing.ts';
import { UNITS_OF_A_FILTER } from '../filters/expressions/units.ts';
import type { NamedRows, PageRequest } from '../../kernel/values/page.ts';
import type { RetryPolicy } from '../../kernel/contract/retry-policy.ts';
import type { ChannelStatus, SubscriptionStatus } from '../../kernel/words/statuses.ts';
import type { Subscription, Concurrency } from './schema.ts';
import type { SealedSigningSecret } from '../../platform/outbound/sign.ts';
import { ADAPTIVE_CONCURRENCY } from '../../kernel/rules/resource-bounds.ts';

/** Every query here is limited to one environment, or to a row found in it, and ignores deleted subscriptions. */
type Db = DatabaseTransaction;

/** What a change of a subscription needs of its channel. */
type ChannelOf = { id: string; status: ChannelStatus; isSystem: boolean };
type Nullable = {
  owner?: string | null;
  filter?: string | null;
  filterUnits?: number | null;
  maxConcurrency?: number | null;
  rateLimit?: number | null;
};
export type NewSubscription = Omit<
  Subscription,
  | 'circuit'
  | 'concurrency'
  | 'warnings'
  | 'secretUnreadableSince'
  | 'statusChangedAt'
  | 'disabledReason'
  | 'owner'
  | 'filter'
  | 'maxConcurrency'
  | 'rateLimit'
  | 'createdAt'
  | 'updatedAt'
> &
  Nullable & { environmentId: string; appSuspendedAt: Date | null };
export type SubscriptionChange = Partial<
  Pick<
    Subscription,
    'name' | 'webhookUrl' | 'eventTypes' | 'headers' | 'timeoutMs' | 'maxRetryAfter' | 'circuitBreaker'
  >
> &
  Nullable & { retryPolicy?: Partial<RetryPolicy> };

const channelFor =
  (lock: 'SHARE' | 'NO KEY UPDATE') =>
  async (db: Db, environmentId: string, id: string): Promise<ChannelOf | undefined> => {
    const rows = await db.$queryRawUnsafe<ChannelOf[]>(
      `SELECT id, status, kind = 'system' AS "isSystem" FROM channels
       WHERE id = $1 AND environment_id = $2 AND deleted_at IS NULL FOR ${lock}`,
      id,
      environmentId,
    );
    return rows[0];
  };

/** Returns a channel that is not deleted, with a shared lock until the transaction ends. */
export const shareChannel = channelFor('SHARE');

/**
 * A stronger lock, for changes that increment the channel's version: two of them with shared locks would deadlock.
 * Publishing does not wait for it. Taken before the lock of the subscription, as when the channel is deleted.
 */
export const lockChannel = channelFor('NO KEY UPDATE');

/** Publications are checked against filters and their event types (publishing/configs/config-store.ts). */
export async function raiseConfigVersion(db: Db, channelId: string): Promise<void> {
  await db.$executeRaw`UPDATE channels SET config_version = config_version + 1 WHERE id = ${channelId}`;
}

/**
 * Returns the total units of the different filters of a channel, except for one filter and one subscription, which are
 * about to change. Call it while holding the lock of the channel. A filter whose units have not been counted yet counts
 * with the maximum.
 */
export async function unitsOfOthers(db: Db, channelId: string, but: { filter: string; id: string }): Promise<number> {
  const [row] = await db.$queryRaw<{ units: number }[]>`
    SELECT coalesce(sum(units), 0)::float8 AS units FROM (
      SELECT max(coalesce(filter_units, ${UNITS_OF_A_FILTER})) AS units FROM subscriptions
      WHERE channel_id = ${channelId} AND deleted_at IS NULL AND filter IS NOT NULL AND filter <> ${but.filter} AND id <> ${but.id}
      GROUP BY filter) AS different`;
  return row?.units ?? 0;
}

export async function insertSubscription(
  db: Db,
  { retryPolicy, ...subscription }: NewSubscription,
  secret: SealedSigningSecret,
  now: Date,
): Promise<Subscription> {
  const row = await db.subscription.create({
    data: { ...subscription, ...retryPolicy, statusChangedAt: now, createdAt: now, updatedAt: now },
  });
  await insertSecret(db, subscription.id, secret, now);
  return toSubscription(row, now);
}

export async function findSubscription(
  db: Pick<DatabaseReader, 'subscription'>,
  environmentId: string,
  id: string,
  now: Date,
): Promise<Subscription | undefined> {
  const row = await db.subscription.findFirst({ where: { id, environmentId, deletedAt: null } });
  return row === null ? undefined : toSubscription(row, now);
}

type Filter = {
  channelId?: string;
  owner?: string;
  status?: SubscriptionStatus;
  failing?: 'true' | 'false';
  ids?: string[];
};

/**
 * Returns the subscriptions of a page, newest first, and one more if there is one. Subscriptions of a deleted channel
 * are deleted too.
 */
export async function findSubscriptions(
  db: Pick<DatabaseReader, 'subscription'>,
  environmentId: string,
  { limit, after }: PageRequest,
  { failing, ids, ...filter }: Filter,
  now: Date,
): Promise<Subscription[]> {
  const id = { ...(ids !== undefined && { in: ids }), ...(after !== undefined && { lt: after }) };
  const rows = await db.subscription.findMany({
    where: { environmentId, deletedAt: null, ...filter, ...failingIs(failing, now).where, id },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  return rows.map((row) => toSubscription(row, now));
}

/** Returns the ids of the subscriptions of a page whose name, or host of the URL, contains the given part. */
export function findSubscriptionsNamed(
  db: Db,
  environmentId: string,
  page: PageRequest,
  { channelId, owner, status, failing, ids, part }: Filter & { part: string },
  now: Date,
): Promise<NamedRows> {
  const columns = { channel_id: channelId, owner, status };
  const { condition } = failingIs(failing, now);
  return findByName(db, { list: 'subscriptions', environmentId, part, ids, columns, condition }, page);
}

/** Reads a subscription and locks it and its secrets until the transaction ends. */
export async function lockSubscription(
  db: Db,
  environmentId: string,
  id: string,
  now: Date,
): Promise<Subscription | undefined> {
  await db.$queryRaw`SELECT id FROM subscriptions WHERE id = ${id} AND environment_id = ${environmentId} FOR UPDATE`;
  return findSubscription(db, environmentId, id, now);
}

export async function updateSubscription(
  db: Db,
  id: string,
  { retryPolicy, ...columns }: SubscriptionChange,
  now: Date,
): Promise<void> {
  // Failures at another URL say nothing about the new one. Turning off the circuit breaker does not reset the failures.
  const closed = columns.circuitBreaker === false ? CIRCUIT_CLOSED : {};
  const health = columns.webhookUrl === undefined ? closed : HEALTHY;
  const data = { ...columns, ...retryPolicy, ...health, updatedAt: now };
  await db.subscription.update({ where: { id }, data });
}

/** Pausing only changes the status: deliveries that are claimed or in progress check it at their next attempt. */
export async function setPaused(db: Db, environmentId: string, id: string, now: Date): Promise<void> {
  await setStatus(db, environmentId, id, 'paused', now);
}

/**
 * Activates a subscription, within a transaction. Returns true if it was not active before; a trigger then notifies
 * workers at the commit, and its held deliveries are due. Pausing and resuming does not end a series of failures; only
 * a successful delivery or another URL does. The circuit closes, and the periods that lead to a permanent failure or to
 * `disabled` start at `resumedAt`. A subscription that the service has disabled starts with a clean record.
 */
export async function setActive(db: Db, environmentId: string, id: string, now: Date): Promise<boolean> {
  await db.subscription.updateMany({ where: { id, environmentId, status: 'disabled' }, data: { failingSince: null } });
  if (!(await setStatus(db, environmentId, id, 'active', now))) return false;
  await db.subscription.update({ where: { id }, data: { ...CIRCUIT_CLOSED, resumedAt: now } });
  return true;
}

const CIRCUIT_CLOSED = { circuitOpenedAt: null, circuitProbeAt: null, circuitProbeFailedAt: null };
const HEALTHY = { failingSince: null, ...CIRCUIT_CLOSED };

async function setStatus(
  db: Db,
  environmentId: string,
  id: string,
  status: SubscriptionStatus,
  now: Date,
): Promise<boolean> {
  const { count } = await db.subscription.updateMany({
    where: { id, environmentId, deletedAt: null, status: { not: status } },
    data: { status, statusChangedAt: now, updatedAt: now },
  });
  return count > 0;
}

export async function markSubscriptionDeleted(db: Db, id: string, now: Date): Promise<void> {
  await db.subscription.update({ where: { id }, data: { deletedAt: now, updatedAt: now } });
}

/**
 * Returns the secret that signs: the one without an expiry. Rotation, which locks the subscription, leaves exactly one.
 */
export async function findCurrentSecret(
  db: Db,
  subscriptionId: string,
): Promise<(SealedSigningSecret & { createdAt: Date }) | undefined> {
  const row = await db.subscriptionSecret.findFirst({
    where: { subscriptionId, expiresAt: null },
    orderBy: { id: 'desc' },
    select: { id: true, ciphertext: true, createdAt: true },
  });
  return row ?? undefined;
}

/** Returns when the secrets that still sign in addition to the current one were created and expire, newest first. */
export async function findOlderSecrets(
  db: Db,
  subscriptionId: string,
  now: Date,
): Promise<{ createdAt: Date; expiresAt: Date }[]> {
  const rows = await db.subscriptionSecret.findMany({
    where: { subscriptionId, expiresAt: { gt: now } },
    orderBy: { id: 'desc' },
    select: { createdAt: true, expiresAt: true },
  });
  // The condition excludes the one without an expiry.
  return rows.flatMap(({ createdAt, expiresAt }) => (expiresAt === null ? [] : [{ createdAt, expiresAt }]));
}

/**
 * Makes `secret` the current one. Older ones end at `overlapUntil` at the latest; expired ones are deleted with their
 * key material. Call it while holding the lock of the subscription.
 */
export async function replaceSecret(
  db: Db,
  subscriptionId: string,
  secret: SealedSigningSecret,
  { now, overlapUntil }: { now: Date; overlapUntil: Date },
): Promise<void> {
  await db.subscriptionSecret.updateMany({
    where: { subscriptionId, OR: [{ expiresAt: null }, { expiresAt: { gt: overlapUntil } }] },
    data: { expiresAt: overlapUntil },
  });
  await db.subscriptionSecret.deleteMany({ where: { subscriptionId, expiresAt: { lte: now } } });
  await insertSecret(db, subscriptionId, secret, now);
  // Dispatchers release the deliveries that waited for it. The subscription itself has not changed, so updatedAt stays.
  await db.$executeRaw`
    UPDATE subscriptions SET secret_unreadable_since = NULL
    WHERE id = ${subscriptionId} AND secret_unreadable_since IS NOT NULL`;
}

async function insertSecret(db: Db, subscriptionId: string, secret: SealedSigningSecret, now: Date): Promise<void> {
  await db.subscriptionSecret.create({ data: { ...secret, subscriptionId, createdAt: now } });
}

function toSubscription(row: SubscriptionRow, now: Date): Subscription {
  const disabledReason = disabledReasonOf(row);
  return {
    id: row.id,
    channelId: row.channelId,
    name: row.name,
    ...(row.owner !== null && { owner: row.owner }),
    webhookUrl: row.webhookUrl,
    // Both columns are only written with validated values.
    status: row.status as SubscriptionStatus,
    ...(row.statusChangedAt !== null && { statusChangedAt: row.statusChangedAt }),
    ...(disabledReason !== undefined && { disabledReason }),
    eventTypes: row.eventTypes,
    ...(row.filter !== null && { filter: row.filter }),
    retryPolicy: toRetryPolicy(row),
    headers: (row.headers ?? {}) as Record<string, string>,
    timeoutMs: row.timeoutMs,
    maxRetryAfter: row.maxRetryAfter,
    ...(row.maxConcurrency !== null && { maxConcurrency: row.maxConcurrency }),
    ...(row.rateLimit !== null && { rateLimit: row.rateLimit }),
    circuitBreaker: row.circuitBreaker,
    circuit: toCircuit({ openedAt: row.circuitOpenedAt, probeAt: row.circuitProbeAt }, now),
    ...(row.secretUnreadableSince !== null && { secretUnreadableSince: row.secretUnreadableSince }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

const toRetryPolicy = ({ maxRetries, initialDelay, maxDelay, backoffMultiplier }: RetryPolicy): RetryPolicy => ({
  maxRetries,
  initialDelay,
  maxDelay,
  backoffMultiplier,
});

type Sums = { limit: number | null; inFlight: number | null; latencyMs: number | null };

/**
 * Sums up the reports of all live workers on a subscription (delivery/limits/concurrency-store.ts). A worker that has
 * not sent to it recently counts with its share of the initial limit. With maxConcurrency, that is the limit, however
 * it is divided.
 */
export async function findConcurrency(
  db: Pick<DatabaseReader, '$queryRaw'>,
  { id, maxConcurrency }: Pick<Subscription, 'id' | 'maxConcurrency'>,
): Promise<Concurrency> {
  const { start } = ADAPTIVE_CONCURRENCY;
  const [sums] = await db.$queryRaw<Sums[]>`
    SELECT round(sum(coalesce(c."limit", ${start}::float8 / living.workers)))::int AS limit,
      sum(c.in_flight)::int AS "inFlight", round(avg(c.latency_ms))::int AS "latencyMs"
    FROM (SELECT id, count(*) OVER () AS workers FROM incarnations WHERE expires_at > now()) AS living
    LEFT JOIN subscription_concurrency c ON c.subscription_id = ${id} AND c.incarnation_id = living.id`;
  const latencyMs = sums?.latencyMs ?? undefined;
  return {
    limit: maxConcurrency ?? sums?.limit ?? start,
    inFlight: sums?.inFlight ?? 0,
    ...(latencyMs !== undefined && { latencyMs }),
  };
}

// Subscriptions that need attention: their receiver is failing, or next to nothing is sent until something is changed.
const failingAt = (now: Date): Prisma.SubscriptionWhereInput => ({
  OR: [
    { status: 'disabled' },
    { failingSince: { not: null, lte: failingFrom(now) }, failingAttempts: { gte: FAILING_FROM.attempts } },
    { circuitOpenedAt: { not: null } },
    { secretUnreadableSince: { not: null } },
  ],
});
const FAILING_SQL = `(n.status = 'disabled'
  OR (n.failing_since IS NOT NULL AND n.failing_since <= now() - interval '${FAILING_FROM.ms} ms'
    AND n.failing_attempts >= ${FAILING_FROM.attempts})
  OR n.circuit_opened_at IS NOT NULL OR n.secret_unreadable_since IS NOT NULL)`;

/** Returns the condition for these subscriptions or for the others: for Prisma, and as SQL on a row `n`. */
function failingIs(
  failing: 'true' | 'false' | undefined,
  now: Date,
): {
  where: Prisma.SubscriptionWhereInput;
  condition: string | undefined;
} {
  if (failing === undefined) return { where: {}, condition: undefined };
  const isFailing = failing === 'true';
  const where = failingAt(now);
  return { where: isFailing ? where : { NOT: where }, condition: isFailing ? FAILING_SQL : `NOT ${FAILING_SQL}` };
}
