import type { DatabaseTransaction } from '../../platform/db/client.ts';
import {
  along,
  alongAll,
  alongEventTypes,
  type Bounds,
  createValues,
  eventTypeIs,
  findAlong,
  idBounds,
  isNarrowing,
  queryAlong,
  type Values,
} from '../../platform/db/sql/walk.ts';
import type { IdRange } from '../../kernel/values/instant.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../kernel/words/statuses.ts';
import {
  findUnindexed,
  type FoundIds,
  isUnindexed,
  OF_REPLAY,
  unindexedConditions,
  type UnindexedFilter,
} from './unindexed-store.ts';

/** Filter of delivery lists. `eventType` is a literal or a beginning such as `order.*`. */
export type DeliveryFilter = UnindexedFilter & {
  environmentId: string;
  channelId?: string | undefined;
  subscriptionId?: string | undefined;
  messageId?: string | undefined;
  eventType?: string | undefined;
  /** The replay that was the last to make them due. */
  replayId?: string | undefined;
  /** Any of these. */
  status?: readonly DeliveryStatus[] | undefined;
  /** Bounds of createdAt, which is the time in the id. */
  ids?: IdRange;
};

/** Ids of deliveries, newest first, one more than asked for; fewer where so many were looked at that the page ends. */
export async function findDeliveryIds(
  db: DatabaseTransaction,
  filter: DeliveryFilter,
  page: PageRequest,
  now: Date,
): Promise<FoundIds> {
  const values = createValues();
  const search = { values, bounds: idBounds(values, filter.ids ?? {}, page.after), limit: page.limit + 1 };
  if (filter.messageId === undefined) {
    if (isUnindexed(filter)) {
      const conditions = (own: Values): string[] => [
        ...narrowing(filter, own),
        ...unindexedConditions(filter, own, now),
      ];
      return findUnindexed(db, filter, page, conditions);
    }
    return { ids: (await findUnfinished(db, filter, page)) ?? (await findAlong(db, select(filter, search), values)) };
  }
  const text = ofMessage(filter, search, { messageId: filter.messageId, now });
  const rows = await db.$queryRawUnsafe<{ id: string }[]>(text, ...values.values);
  return { ids: rows.map(({ id }) => id) };
}

type Search = { values: Values; bounds: Bounds; limit: number };

const TABLE = 'deliveries';

// Waiting deliveries of an environment that are looked through for those of a subscription or a channel.
const MOST_WAITING = 5_000;

/**
 * Deliveries of a subscription or a channel that wait, and the failed or retrying ones that are asked for beside them: each of both have
 * an index. Undefined for other filters, and where the waiting ones are not found so.
 */
async function findUnfinished(
  db: DatabaseTransaction,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<string[] | undefined> {
  const { status = [], replayId } = filter;
  if (replayId !== undefined || isOfAll(filter) || !status.includes('pending') || status.includes('delivered'))
    return undefined;
  const waiting = await findWaiting(db, filter, page);
  const missed = status.filter(isMissed);
  if (waiting === undefined || missed.length === 0) return waiting;
  const values = createValues();
  const search = { values, bounds: idBounds(values, filter.ids ?? {}, page.after), limit: page.limit + 1 };
  const others = await findAlong(db, bySubscription({ ...filter, status: missed }, search), values);
  // One that is tried between both looks would be there twice.
  return [...new Set([...waiting, ...others])].toSorted().toReversed().slice(0, search.limit);
}

/**
 * Waiting deliveries of a subscription or a channel, among those of the whole environment. Undefined when the newest 5,000 are not all
 * and do not fill the page: then the backlog of others is longer than most subscriptions' deliveries.
 */
async function findWaiting(
  db: DatabaseTransaction,
  filter: DeliveryFilter,
  page: PageRequest,
): Promise<string[] | undefined> {
  const values = createValues();
  const fits = narrowing(filter, values).join(' AND ');
  const newest = along({
    table: TABLE,
    columns: ['environment_id', 'status'],
    at: [values.add(filter.environmentId), literal('pending')],
    bounds: idBounds(values, filter.ids ?? {}, page.after),
    where: [`d.status <> 'delivered'`],
    limit: MOST_WAITING,
    beside: `(${fits}) AS fits`,
  });
  const text = `WITH newest AS MATERIALIZED (${newest})
    SELECT (SELECT count(*)::int FROM newest) AS looked,
      ARRAY(SELECT n.id FROM newest n WHERE n.fits ORDER BY n.id DESC LIMIT ${page.limit + 1}) AS ids`;
  const [{ looked, ids } = { looked: 0, ids: [] }] = await queryAlong<{ looked: number; ids: string[] }>(
    db,
    text,
    values,
  );
  return looked < MOST_WAITING || ids.length > page.limit ? ids : undefined;
}

/**
 * Each filter reads only the rows it names, however many others are stored. A message has few deliveries. Failed, retrying and waiting
 * deliveries have indexes of their own, and so have those of replays. The newest of each subscription, and of each of its event types,
 * are at hand with their status behind the id. That serves the rest: delivered ones, and those that wait behind a backlog.
 */
function select(filter: DeliveryFilter, search: Search): string {
  const { eventType, status, replayId } = filter;
  if (replayId !== undefined) return byReplay(filter, search, replayId);
  if (isOfAll(filter) && status !== undefined && !status.includes('delivered')) return byStatus(filter, search, status);
  if (!isOfAll(filter) || isNarrowing(eventType)) return bySubscription(filter, search);
  const at = [search.values.add(filter.environmentId)];
  return along({ ...search, table: TABLE, columns: ['environment_id'], at, where: statusIs(status) });
}

const isOfAll = ({ channelId, subscriptionId }: DeliveryFilter): boolean =>
  channelId === undefined && subscriptionId === undefined;

const isMissed = (status: DeliveryStatus): boolean => status === 'failed' || status === 'retrying';

// SQL: one of our own words as a literal. Only then does PostgreSQL see which partial index has it.
const literal = (status: DeliveryStatus): string => `'${status}'`;

const statusIs = (statuses: readonly DeliveryStatus[] | undefined): string[] =>
  statuses === undefined ? [] : [`d.status IN (${statuses.map(literal).join(', ')})`];

/** SQL: rows `w` with these statuses, as `status`. */
const eachOf = (statuses: readonly DeliveryStatus[]): string =>
  `(VALUES ${statuses.map((status) => `(${literal(status)})`).join(', ')}) v (status)`;

const columnIs = (column: string, value: string | undefined, { add }: Values): string[] =>
  value === undefined ? [] : [`d.${column} = ${add(value)}`];

/** Conditions on each row, whichever index leads to it. */
export const narrowing = (
  { channelId, subscriptionId, replayId, eventType }: DeliveryFilter,
  values: Values,
): string[] => [
  ...columnIs('channel_id', channelId, values),
  ...columnIs('subscription_id', subscriptionId, values),
  ...columnIs('replay_id', replayId, values),
  ...eventTypeIs(eventType, values),
];

// MATERIALIZED: for a message with thousands of deliveries PostgreSQL would look for the newest among all of the environment.
function ofMessage(
  filter: DeliveryFilter,
  { values, bounds, limit }: Search,
  { messageId, now }: { messageId: string; now: Date },
): string {
  const where = [
    ...columnIs('message_id', messageId, values),
    ...columnIs('environment_id', filter.environmentId, values),
    ...statusIs(filter.status),
    ...narrowing(filter, values),
    ...(isUnindexed(filter) ? unindexedConditions(filter, values, now) : []),
  ];
  return `
    WITH found AS MATERIALIZED (SELECT d.id FROM ${TABLE} d WHERE ${where.join(' AND ')})
    SELECT d.id FROM found d WHERE d.id >= ${bounds.from} AND d.id < ${bounds.before} ORDER BY d.id DESC LIMIT ${limit}`;
}

/** By status, over the whole environment. */
function byStatus(filter: DeliveryFilter, search: Search, statuses: readonly DeliveryStatus[]): string {
  const walk = {
    ...search,
    table: TABLE,
    columns: ['environment_id', 'status'],
    at: [search.values.add(filter.environmentId), 'w.status'],
    where: [`d.status <> 'delivered'`, ...narrowing(filter, search.values)],
  };
  return `WITH walks AS (SELECT v.status FROM ${eachOf(statuses)}), ${alongAll('walks', walk)}`;
}

/** Deliveries that one replay was the last to make due: a walk for each status. */
function byReplay(filter: DeliveryFilter, search: Search, replayId: string): string {
  const { add } = search.values;
  const walk = {
    ...search,
    table: TABLE,
    columns: ['environment_id', 'replay_id', 'status'],
    at: [add(filter.environmentId), add(replayId), 'w.status'],
    where: [OF_REPLAY, ...narrowing({ ...filter, replayId: undefined }, search.values)],
  };
  return `WITH walks AS (SELECT v.status FROM ${eachOf(filter.status ?? DELIVERY_STATUSES)}), ${alongAll('walks', walk)}`;
}

/**
 * Walks along the deliveries of each subscription, deleted ones included: of a channel, of the whole environment, or of the named one.
 */
function bySubscription(filter: DeliveryFilter, { values, bounds, limit }: Search): string {
  const { channelId, subscriptionId, eventType, status } = filter;
  const conditions = [
    `s.environment_id = ${values.add(filter.environmentId)}`,
    ...(channelId === undefined ? [] : [`s.channel_id = ${values.add(channelId)}`]),
    ...(subscriptionId === undefined ? [] : [`s.id = ${values.add(subscriptionId)}`]),
  ];
  const owners = `SELECT s.id FROM subscriptions s WHERE ${conditions.join(' AND ')}`;
  const walk = { table: TABLE, bounds, limit, where: statusIs(status) };
  if (status?.every(isMissed) === true) {
    const where = [`d.status <> 'delivered'`, `d.status <> 'pending'`, ...eventTypeIs(eventType, values)];
    const missed = { ...walk, columns: ['subscription_id', 'status'], at: ['w.id', 'w.status'], where };
    const walks = `SELECT o.id, v.status FROM (${owners}) o CROSS JOIN ${eachOf(status)}`;
    return `WITH walks AS (${walks}), ${alongAll('walks', missed)}`;
  }
  if (isNarrowing(eventType))
    return alongEventTypes(values, { ...walk, owners, of: 'subscription_id', pattern: eventType });
  return `WITH walks AS (${owners}), ${alongAll('walks', { ...walk, columns: ['subscription_id'], at: ['w.id'] })}`;
}
