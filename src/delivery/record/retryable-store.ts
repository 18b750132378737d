import { type Bounds, createValues, risingIdBounds, type Values } from '../../platform/db/sql/walk.ts';
import type { DeliveryStatus } from '../../kernel/words/statuses.ts';
import { type DeliveryFilter, narrowing } from './list-store.ts';
import { IS_RETRYABLE } from './statements/due-again.ts';
import { statusesOf, unindexedConditions, walksOf } from './unindexed-store.ts';

/** Row of `selectRetryable`: `count` deliveries were found, `ids` are the oldest of them. `lookedTo`: rows behind it were not looked at. */
export type FoundRetryable = { count: number; ids: string[]; lookedTo: string | null };

/**
 * Statuses of the deliveries that a bulk retry with this filter takes. A delivered one is sent again only by its status: a retry of
 * everything must not repeat what has arrived.
 */
export const retriedStatuses = (filter: DeliveryFilter): readonly DeliveryStatus[] =>
  statusesOf(filter).filter((status) => status !== 'delivered' || filter.status?.includes('delivered') === true);

/**
 * A statement made of walks, oldest first: deliveries behind `position` that match the filter and may be retried, among the next `looks`
 * rows of each walk, so that it is as long as this whatever is stored. For `queryAlong`. Undefined where no status can match.
 */
export function selectRetryable(
  filter: DeliveryFilter,
  { position, looks, limit, now }: { position?: string | undefined; looks: number; limit: number; now: Date },
): { text: string; values: string[] } | undefined {
  const statuses = retriedStatuses(filter);
  if (statuses.length === 0) return undefined;
  const values = createValues();
  const bounds = risingIdBounds(values, filter.ids ?? {}, position);
  const fits = `(${conditionsOf(filter, statuses, values, now).join(') AND (')})`;
  const look = { bounds, limit: looks, isRising: true, fits, statuses };
  const walks =
    filter.messageId === undefined ? walksOf(filter, values, look) : [ofMessage(values.add(filter.messageId), look)];
  const each = walks.map((walk, index) => `(SELECT ${index} AS walk, w.id, w.fits FROM (${walk}) w)`);
  // A walk that went on to its limit says nothing of the rows behind its last one, so no other one is believed there.
  const text = `WITH looked AS MATERIALIZED (${each.join(' UNION ALL ')}), ending AS (
      SELECT min(id) AS id FROM (SELECT max(id) AS id FROM looked GROUP BY walk HAVING count(*) = ${looks}) AS ends
    ), fitting AS MATERIALIZED (
      SELECT l.id FROM looked l, ending e WHERE l.fits AND (e.id IS NULL OR l.id <= e.id)
    )
    SELECT (SELECT id FROM ending) AS "lookedTo", (SELECT count(*)::int FROM fitting) AS count,
      ARRAY(SELECT f.id FROM fitting f ORDER BY f.id LIMIT ${limit}) AS ids`;
  return { text, values: values.values };
}

/** SQL: what must hold for a delivery `d`, whichever walk leads to it. */
const conditionsOf = (
  filter: DeliveryFilter,
  statuses: readonly DeliveryStatus[],
  values: Values,
  now: Date,
): string[] => [
  `d.environment_id = ${values.add(filter.environmentId)}`,
  `d.status IN (${statuses.map((status) => `'${status}'`).join(', ')})`,
  ...narrowing(filter, values),
  IS_RETRYABLE,
  'EXISTS (SELECT FROM subscriptions s WHERE s.id = d.subscription_id AND s.deleted_at IS NULL)',
  // Somebody has decided that it is not worth another try.
  `d.status <> 'failed' OR NOT EXISTS (
    SELECT FROM dead_letters l WHERE l.delivery_id = d.id AND l.round = d.round AND l.status = 'discarded')`,
  ...unindexedConditions(filter, values, now),
];

// MATERIALIZED: for a message with thousands of deliveries PostgreSQL would look for the oldest among all of the environment.
const ofMessage = (
  messageId: string,
  { bounds, limit, fits }: { bounds: Bounds; limit: number; fits: string },
): string => `
    WITH found AS MATERIALIZED (SELECT d.id, ${fits} AS fits FROM deliveries d WHERE d.message_id = ${messageId})
    SELECT f.id, f.fits FROM found f WHERE f.id >= ${bounds.from} AND f.id < ${bounds.before} ORDER BY f.id LIMIT ${limit}`;
