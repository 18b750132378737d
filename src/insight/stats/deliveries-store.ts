import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { along, type Bounds, createValues, queryAlong, type Values } from '../../platform/db/sql/walk.ts';
import { lowestIdAt } from '../../kernel/values/ids.ts';
import type { DeliveryStatus } from '../../kernel/words/statuses.ts';
import type { Span } from './span.ts';

/**
 * The most deliveries that are counted for one answer, the newest first; several subscriptions share them. Each is an entry of an index
 * that is read, twice where there are steps (decision 31).
 */
export const MOST_DELIVERIES_COUNTED = 50_000;
/** The most steps of subscriptions that are counted for one channel: each is a step down the index. */
const MOST_STEPS_COUNTED = 10_000;

/** So many deliveries of an environment or a subscription in one state, created in one step of the span, and the oldest of them. */
export type CountedDeliveries = {
  ofId: string;
  step: number;
  status: DeliveryStatus;
  count: number;
  oldestId: string;
};

/** `isExact`: none of the span was left out. `hasSteps`: the deliveries of each step were counted by themselves. */
export type DeliveryCounts = { counted: CountedDeliveries[]; isExact: boolean; hasSteps: boolean };

/** Whose deliveries are counted, and along which index: (`column`, id, status). */
type Owners = { environmentId: string; column: 'environment_id' | 'subscription_id'; ids: readonly string[] };

/** The present states of deliveries of the environment that were created in the span. */
export const countOfEnvironment = (
  transaction: DatabaseTransaction,
  environmentId: string,
  span: Span,
): Promise<DeliveryCounts> =>
  countBySteps(transaction, { environmentId, column: 'environment_id', ids: [environmentId] }, span);

/** The same of one subscription of it. */
export const countOfSubscription = (
  transaction: DatabaseTransaction,
  { environmentId, subscriptionId }: { environmentId: string; subscriptionId: string },
  span: Span,
): Promise<DeliveryCounts> =>
  countBySteps(transaction, { environmentId, column: 'subscription_id', ids: [subscriptionId] }, span);

/** The same of one channel: no index has them by channel, so those of each of its subscriptions are counted, deleted ones included. */
export async function countOfChannel(
  transaction: DatabaseTransaction,
  { environmentId, channelId }: { environmentId: string; channelId: string },
  span: Span,
): Promise<DeliveryCounts> {
  const ids = await findBusy(transaction, { environmentId, channelId, span });
  return countBySteps(transaction, { environmentId, column: 'subscription_id', ids }, span);
}

/** The same of each of these subscriptions, each by itself and without its steps. */
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
 * Counts the newest deliveries of all owners together, back to the same time for each: an owner that was not counted to the beginning of
 * the span would say nothing about earlier times.
 */
async function countBySteps(transaction: DatabaseTransaction, owners: Owners, span: Span): Promise<DeliveryCounts> {
  if (owners.ids.length === 0) return { counted: [], isExact: true, hasSteps: true };
  const bounds: string[] = [];
  for (let at = span.since.getTime(); at <= span.until.getTime(); at += span.stepMs)
    bounds.push(lowestIdAt('delivery', new Date(at)));
  const [since = '', until = ''] = [bounds[0], bounds.at(-1)];
  const cut = await findCut(transaction, owners, { since, until });
  const hasSteps = owners.ids.length * bounds.length <= MOST_STEPS_COUNTED;
  // Ids have one length: nothing lies between one and the same with a character more.
  const from = cut === undefined ? since : `${cut}0`;
  const steps = (hasSteps ? bounds : [since, until]).map((bound) => (bound < from ? from : bound));
  const counted = await count(transaction, owners, steps, MOST_DELIVERIES_COUNTED);
  return { counted, isExact: cut === undefined, hasSteps };
}

const shareOf = ({ ids }: Owners): number => Math.max(1, Math.floor(MOST_DELIVERIES_COUNTED / ids.length));

/** The subscriptions of a channel with a delivery in the span: one step down an index for each. */
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

/** SQL: a walk through the deliveries of each owner `w`, newest first. */
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
    // Beside a walk along the environment PostgreSQL would take it for the condition of the index, and read all of the environment.
    where: column === 'environment_id' ? [] : [`d.environment_id = ${values.add(environmentId)}`],
    limit,
    ...(beside !== undefined && { beside }),
  });

// Sub-selects: each text is split once, and not for each row.
const listOf = ({ add }: Values, texts: readonly string[]): string =>
  `(SELECT string_to_array(${add(texts.join(','))}, ','))`;

/** The newest delivery that is not counted any more, of all owners; undefined if each has no more than its share of the bound. */
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
 * Counts the newest `most` deliveries of each owner and step by their state. The id has the time of creation, and the index has the state
 * behind it, so that a delivery counts once, as what it is now. A step is a walk of its own: finding the step of each row by
 * `width_bucket` took three times as long.
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
