import type { DatabaseTransaction } from '../db/client.ts';
import { along, type Bounds, createValues, queryAlong, type Values } from '../db/sql/walk.ts';
import { lowestIdAt } from '../kernel/values/ids.ts';
import type { DeliveryStatus } from '../kernel/words/statuses.ts';
import type { Span } from './span.ts';

/**
 * The most deliveries that are counted for one answer, the newest first. Each is an entry of an index, and 100,000 take about 0.1 s
 * (docs/decisions.md, Figures). Several subscriptions share them.
 */
export const MOST_DELIVERIES_COUNTED = 100_000;

/** So many deliveries of an environment or a subscription in one state, created in one step of the span, and the oldest of them. */
export type CountedDeliveries = {
  ofId: string;
  step: number;
  status: DeliveryStatus;
  count: number;
  oldestId: string;
};

/** `cutAt`: id of the oldest delivery that was counted, where older ones of the span may have been left out. */
export type DeliveryCounts = { counted: CountedDeliveries[]; cutAt: string | undefined };

/** Whose deliveries are counted, and along which index: (`column`, id, status). */
type Owners = { column: 'environment_id' | 'subscription_id'; ids: readonly string[] };

type Counting = { environmentId: string; owners: Owners; span: Span; most: number; from?: string };

/** The present states of deliveries of the environment that were created in the span: the newest 100,000. */
export async function countOfEnvironment(
  transaction: DatabaseTransaction,
  environmentId: string,
  span: Span,
): Promise<DeliveryCounts> {
  const most = MOST_DELIVERIES_COUNTED;
  const owners = { column: 'environment_id', ids: [environmentId] } as const;
  const counted = await count(transaction, { environmentId, owners, span, most });
  return { counted, cutAt: cutOf(counted, most) };
}

/** The same of one channel: no index has them by channel, so those of each of its subscriptions are counted, deleted ones included. */
export async function countOfChannel(
  transaction: DatabaseTransaction,
  { environmentId, channelId }: { environmentId: string; channelId: string },
  span: Span,
): Promise<DeliveryCounts> {
  const ids = await findBusy(transaction, { environmentId, channelId, span });
  if (ids.length === 0) return { counted: [], cutAt: undefined };
  const owners = { column: 'subscription_id', ids } as const;
  const most = mostOfEach(ids.length);
  const counted = await count(transaction, { environmentId, owners, span, most });
  const cuts = [...byOwnerOf(counted).values()].flatMap((each) => cutOf(each, most) ?? []);
  if (cuts.length === 0) return { counted, cutAt: undefined };
  // A subscription that was not counted to its end says nothing about earlier times, so all of them are counted from the same time on.
  const from = cuts.reduce((one, other) => (one > other ? one : other));
  return { counted: await count(transaction, { environmentId, owners, span, most, from }), cutAt: from };
}

/** The same of each of these subscriptions of the environment, each by itself. */
export async function countOfSubscriptions(
  transaction: DatabaseTransaction,
  { environmentId, subscriptionIds }: { environmentId: string; subscriptionIds: readonly string[] },
  span: Span,
): Promise<Map<string, DeliveryCounts>> {
  const found = new Map(subscriptionIds.map((id): [string, DeliveryCounts] => [id, { counted: [], cutAt: undefined }]));
  if (subscriptionIds.length === 0) return found;
  const most = mostOfEach(subscriptionIds.length);
  const owners = { column: 'subscription_id', ids: subscriptionIds } as const;
  const rows = await count(transaction, { environmentId, owners, span, most });
  for (const [id, counted] of byOwnerOf(rows)) found.set(id, { counted, cutAt: cutOf(counted, most) });
  return found;
}

const mostOfEach = (owners: number): number => Math.max(1, Math.floor(MOST_DELIVERIES_COUNTED / owners));

function byOwnerOf(counted: readonly CountedDeliveries[]): Map<string, CountedDeliveries[]> {
  const byOwner = new Map<string, CountedDeliveries[]>();
  for (const each of counted) byOwner.set(each.ofId, [...(byOwner.get(each.ofId) ?? []), each]);
  return byOwner;
}

/** The oldest of an owner's counted deliveries, if their number is the bound: there may be more. */
function cutOf(counted: readonly CountedDeliveries[], most: number): string | undefined {
  const sum = counted.reduce((before, each) => before + each.count, 0);
  if (sum < most) return undefined;
  return counted.map(({ oldestId }) => oldestId).reduce((one, other) => (one < other ? one : other));
}

const boundsOf = ({ since, until }: Span, { add }: Values, from = lowestIdAt('delivery', since)): Bounds => ({
  from: add(from),
  before: add(lowestIdAt('delivery', until)),
});

/** The subscriptions of a channel with a delivery in the span: one step down an index for each. */
export async function findBusy(
  transaction: DatabaseTransaction,
  { environmentId, channelId, span }: { environmentId: string; channelId: string; span: Span },
): Promise<string[]> {
  const values = createValues();
  const newest = along({
    table: 'deliveries',
    columns: ['subscription_id'],
    at: ['s.id'],
    bounds: boundsOf(span, values),
    limit: 1,
  });
  const rows = await queryAlong<{ id: string }>(
    transaction,
    `SELECT s.id FROM subscriptions s CROSS JOIN LATERAL (${newest}) AS newest
     WHERE s.environment_id = ${values.add(environmentId)} AND s.channel_id = ${values.add(channelId)}`,
    values,
  );
  return rows.map(({ id }) => id);
}

/**
 * Counts the newest `most` deliveries of each owner by step and state. The id has the time of creation, and the index has the state
 * behind it, so that a delivery counts as what it is now: one that was retried or replayed, once.
 */
function count(
  transaction: DatabaseTransaction,
  { environmentId, owners, span, most, from }: Counting,
): Promise<CountedDeliveries[]> {
  const values = createValues();
  const newest = along({
    table: 'deliveries',
    columns: [owners.column],
    at: ['w.id'],
    bounds: boundsOf(span, values, from),
    where: [`d.environment_id = ${values.add(environmentId)}`],
    limit: most,
    beside: 'd.status',
  });
  const steps: string[] = [];
  for (let at = span.since.getTime(); at < span.until.getTime(); at += span.stepMs)
    steps.push(lowestIdAt('delivery', new Date(at)));
  // Sub-selects: each text is split once, and not for each row.
  const listOf = (texts: readonly string[]): string => `(SELECT string_to_array(${values.add(texts.join(','))}, ','))`;
  return queryAlong<CountedDeliveries>(
    transaction,
    `SELECT w.id AS "ofId", width_bucket(d.id, ${listOf(steps)}) - 1 AS step, d.status, count(*)::int AS count, min(d.id) AS "oldestId"
     FROM unnest(${listOf(owners.ids)}) AS w (id) CROSS JOIN LATERAL (${newest}) AS d
     GROUP BY 1, 2, 3`,
    values,
  );
}
