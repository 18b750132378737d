import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { along, type Bounds, createValues, queryAlong, type Values } from '../../platform/db/sql/walk.ts';
import { lowestIdAt } from '../../kernel/values/ids.ts';
import type { DeliveryStatus } from '../../kernel/words/statuses.ts';
import type { Span } from './span.ts';

/**
 * Maximum deliveries counted per response, newest first; several subscriptions share the limit. Each one costs reading
 * an index entry, or two if there are steps.
 */
export const MOST_DELIVERIES_COUNTED = 50_000;
/** Maximum steps times subscriptions counted for one channel, because each needs its own index scan. */
const MOST_STEPS_COUNTED = 10_000;

/**
 * Number of deliveries of an environment or subscription in one state, created in one step of the span, and the oldest
 * one.
 */
export type CountedDeliveries = {
  ofId: string;
  step: number;
  status: DeliveryStatus;
  count: number;
  oldestId: string;
};

/**
 * `isExact`: all deliveries of the span were counted. `hasSteps`: the deliveries of each step were counted separately.
 */
export type DeliveryCounts = { counted: CountedDeliveries[]; isExact: boolean; hasSteps: boolean };

/** Whose deliveries to count and by which index: (`column`, id, status). */
type Owners = { environmentId: string; column: 'environment_id' | 'subscription_id'; ids: readonly string[] };

/** Counts deliveries of the environment created in the span, by their current state. */
export const countOfEnvironment = (
  transaction: DatabaseTransaction,
  environmentId: string,
  span: Span,
): Promise<DeliveryCounts> =>
  countBySteps(transaction, { environmentId, column: 'environment_id', ids: [environmentId] }, span);

/** Counts deliveries of one subscription, like `countOfEnvironment`. */
export const countOfSubscription = (
  transaction: DatabaseTransaction,
  { environmentId, subscriptionId }: { environmentId: string; subscriptionId: string },
  span: Span,
): Promise<DeliveryCounts> =>
  countBySteps(transaction, { environmentId, column: 'subscription_id', ids: [subscriptionId] }, span);

/**
 * Counts deliveries of one channel. There is no index by channel, so those of all its subscriptions are counted,
 * including deleted ones.
 */
export async function countOfChannel(
  transaction: DatabaseTransaction,
  { environmentId, channelId }: { environmentId: string; channelId: string },
  span: Span,
): Promise<DeliveryCounts> {
  const ids = await findBusy(transaction, { environmentId, channelId, span });
  return countBySteps(transaction, { environmentId, column: 'subscription_id', ids }, span);
}

/** Counts deliveries of each of these subscriptions separately, without steps. */
export async function countOfSubscriptions(
  transaction: DatabaseTransaction,
  { environmentId, subscriptionIds }: { environmentId: string; subscriptionIds: readonly string[] },
  span: Span,
): Promise<Map<string, DeliveryCounts>> {
  const counts = new Map(
    subscriptionIds.map((id): [string, DeliveryCounts] => [id, { counted: [], isExact: true, hasSteps: false }]),
  );
  if (subscriptionIds.length === 0) return counts;
  const owners = { environmentId, column: 'subscription_id', ids: subscriptionIds } as const;
  const [since, until] = [lowestIdAt('delivery', span.since), lowestIdAt('delivery', span.until)];
  const most = shareOf(owners);
  for (const row of await count(transaction, owners, [since, until], most)) counts.get(row.ofId)?.counted.push(row);
  for (const each of counts.values())
    each.isExact = each.counted.reduce((sum, { count: some }) => sum + some, 0) < most;
  return counts;
}

/**
 * Counts the newest deliveries of all owners together, back to the same time for each. Otherwise the numbers for
 * earlier steps would lack the owners that were not counted that far.
 */
async function countBySteps(transaction: DatabaseTransaction, owners: Owners, span: Span): Promise<DeliveryCounts> {
  if (owners.ids.length === 0) return { counted: [], isExact: true, hasSteps: true };
  const bounds: string[] = [];
  for (let at = span.since.getTime(); at <= span.until.getTime(); at += span.stepMs)
    bounds.push(lowestIdAt('delivery', new Date(at)));
  const [since = '', until = ''] = [bounds[0], bounds.at(-1)];
  const cut = await findCut(transaction, owners, { since, until });
  const hasSteps = owners.ids.length * bounds.length <= MOST_STEPS_COUNTED;
  // Ids have a fixed length, so no id sorts between an id and the same id plus one character.
  const from = cut === undefined ? since : `${cut}0`;
  const steps = (hasSteps ? bounds : [since, until]).map((bound) => (bound < from ? from : bound));
  const counted = await count(transaction, owners, steps, MOST_DELIVERIES_COUNTED);
  return { counted, isExact: cut === undefined, hasSteps };
}

const shareOf = ({ ids }: Owners): number => Math.max(1, Math.floor(MOST_DELIVERIES_COUNTED / ids.length));

/** Returns the subscriptions of a channel with a delivery in the span, with one index lookup for each. */
export async function findBusy(
  transaction: DatabaseTransaction,
  { environmentId, channelId, span }: { environmentId: string; channelId: string; span: Span },
): Promise<string[]> {
  const values = createValues();
  const bounds = {
    from: values.add(lowestIdAt('delivery', span.since)),
    before: values.add(lowestIdAt('delivery', span.until)),
  };
  const newest = along({ table: 'deliveries', columns: ['subscription_id'], at: ['s.id'], bounds, limit: 1 });
  const rows = await queryAlong<{ id: string }>(
    transaction,
    `SELECT s.id FROM subscriptions s CROSS JOIN LATERAL (${newest}) AS newest
     WHERE s.environment_id = ${values.add(environmentId)} AND s.channel_id = ${values.add(channelId)}`,
    values,
  );
  return rows.map(({ id }) => id);
}

/** SQL: an index scan of the deliveries of each owner `w`, newest first. */
const newestOf = (
  values: Values,
  { environmentId, column }: Owners,
  { bounds, limit, beside }: { bounds: Bounds; limit: number; beside?: string },
): string =>
  along({
    table: 'deliveries',
    columns: [column],
    at: ['w.id'],
    bounds,
    // With an index scan by environment, this condition would make PostgreSQL use it as the index condition and read
    // the whole environment.
    where: column === 'environment_id' ? [] : [`d.environment_id = ${values.add(environmentId)}`],
    limit,
    ...(beside !== undefined && { beside }),
  });

// Sub-selects, so that each text is split once and not for each row.
const listOf = ({ add }: Values, texts: readonly string[]): string =>
  `(SELECT string_to_array(${add(texts.join(','))}, ','))`;

/**
 * Returns the newest delivery, across all owners, that is not counted any more; undefined if each owner is within its
 * share of the limit.
 */
async function findCut(
  transaction: DatabaseTransaction,
  owners: Owners,
  { since, until }: { since: string; until: string },
): Promise<string | undefined> {
  const values = createValues();
  const bounds = { from: values.add(since), before: values.add(until) };
  const next = `${newestOf(values, owners, { bounds, limit: 1 })} OFFSET ${shareOf(owners)}`;
  const [row] = await queryAlong<{ id: string | null }>(
    transaction,
    `SELECT max(d.id) AS id FROM unnest(${listOf(values, owners.ids)}) AS w (id) CROSS JOIN LATERAL (${next}) AS d`,
    values,
  );
  return row?.id ?? undefined;
}

/**
 * Counts the newest `most` deliveries of each owner and step by state. The id contains the creation time and the index
 * has the state after it, so a delivery counts once, with its current state. Each step is a separate index scan:
 * computing the step of each row with `width_bucket` took three times as long.
 */
function count(
  transaction: DatabaseTransaction,
  owners: Owners,
  steps: readonly string[],
  most: number,
): Promise<CountedDeliveries[]> {
  const values = createValues();
  const bounds = { from: 's.since', before: 's.until' };
  const newest = newestOf(values, owners, { bounds, limit: most, beside: 'd.status' });
  return queryAlong<CountedDeliveries>(
    transaction,
    `SELECT w.id AS "ofId", s.step::int - 1 AS step, d.status, count(*)::int AS count, min(d.id) AS "oldestId"
     FROM unnest(${listOf(values, owners.ids)}) AS w (id)
     CROSS JOIN unnest(${listOf(values, steps.slice(0, -1))}, ${listOf(values, steps.slice(1))}) WITH ORDINALITY AS s (since, until, step)
     CROSS JOIN LATERAL (${newest}) AS d
     GROUP BY 1, 2, 3`,
    values,
  );
}
