import type { DatabaseTransaction } from '../../platform/db/client.ts';
import { along, createValues, idBounds, queryAlong, type Values, type Walk } from '../../platform/db/sql/walk.ts';
import { CIRCUIT_OPEN_MS } from '../../kernel/rules/circuit.ts';
import { statusRange } from '../../kernel/values/http.ts';
import { SLOW_MS } from '../../kernel/rules/resource-bounds.ts';
import { FAULTS } from '../../kernel/words/outcomes.ts';
import type { IdRange } from '../../kernel/values/instant.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { DeliveryStatus, ErrorClass } from '../../kernel/words/statuses.ts';
import { HELD_REASONS } from './held.ts';

/** Filters of deliveries by values that no index has, or has for some rows only: rows are looked at one by one. */
export type UnindexedFilter = {
  errorClass?: ErrorClass | undefined;
  /** `503`, or `5xx` for all of its class. */
  errorStatus?: string | undefined;
  minLatencyMs?: number | undefined;
  held?: 'true' | 'false' | undefined;
};
type Filter = UnindexedFilter & {
  environmentId: string;
  subscriptionId?: string | undefined;
  replayId?: string | undefined;
  status?: readonly DeliveryStatus[] | undefined;
  ids?: IdRange;
};

/**
 * Ids of a page, newest first, one more than asked for. `lookedTo`: rows were looked at down to this id, and the page ends there
 * although it is not full.
 */
export type FoundIds = { ids: string[]; lookedTo?: string };

// Rows looked at for a page, of each of up to three walks: 5,000 rows of a table of 10 million take some 50 ms. Most pages fill among
// the first 200.
const LOOKS = [200, 5_000];
const TABLE = 'deliveries';

export const isUnindexed = ({ errorClass, errorStatus, minLatencyMs, held }: UnindexedFilter): boolean =>
  [errorClass, errorStatus, minLatencyMs, held].some((value) => value !== undefined);

/** SQL: the condition of the index of replays, which a comparison of rows does not imply. */
export const OF_REPLAY = 'd.replay_id IS NOT NULL';

const words = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');

// The class as the API shows it: a fault of ours that holds the delivery, else the failure of its last attempt.
const ERROR_CLASS = `CASE WHEN d.due_at IS NOT NULL AND d.held_reason IN (${words(FAULTS)}) THEN 'internal'
  ELSE (SELECT a.error_class FROM attempts a WHERE a.delivery_id = d.id AND a.number = d.attempts) END`;

// `deliveryStandingOf` (held.ts) in SQL; a test compares them. A circuit holds what is due before its next probe. Behind the end of the
// policy held.ts compares with the last failed probe instead, which is before the next one and behind the due time as well.
const heldAt = (
  now: string,
): string => `(d.due_at IS NOT NULL AND d.holder IS NULL AND (d.carrier IS NULL OR d.due_at > ${now})
  AND ((d.held_since IS NOT NULL AND coalesce(d.held_reason IN (${words(HELD_REASONS)}), false)) OR EXISTS (
    SELECT FROM subscriptions s WHERE s.id = d.subscription_id
      AND (s.app_suspended_at IS NOT NULL OR s.status <> 'active' OR (s.circuit_opened_at IS NOT NULL AND s.circuit_probe_at IS NOT NULL
        AND least(s.circuit_probe_at, s.circuit_opened_at + interval '${CIRCUIT_OPEN_MS} ms') > d.due_at)))))`;

/**
 * Statuses that these filters can match. A delivery that waits to be tried has a failure behind it after a replay alone, or
 * while a fault of ours holds it. A backlog of such is not gone through for other failures, unless it is asked for.
 */
export function statusesOf({ status, errorClass, errorStatus, held }: Filter): readonly DeliveryStatus[] {
  const isOfFailure = errorClass !== undefined || errorStatus !== undefined;
  const isWithPending = errorClass === 'internal' || status?.includes('pending') === true || !isOfFailure;
  const all: readonly DeliveryStatus[] = [
    ...(isWithPending ? (['pending'] as const) : []),
    'retrying',
    ...(held === 'true' ? [] : (['failed'] as const)),
    ...(isOfFailure || held === 'true' ? [] : (['delivered'] as const)),
  ];
  return all.filter((one) => status === undefined || status.includes(one));
}

function statusIsOf(errorStatus: string, add: Values['add']): string[] {
  const { least, most } = statusRange(errorStatus);
  return [`d.response_status BETWEEN ${add(String(least))}::int AND ${add(String(most))}::int`];
}

/** SQL: the conditions of these filters on a delivery `d`. */
export function unindexedConditions(filter: Filter, { add }: Values, now: Date): string[] {
  const { errorClass, errorStatus, minLatencyMs, held } = filter;
  const statuses = statusesOf(filter);
  const standing = held === undefined ? '' : heldAt(`${add(now.toISOString())}::timestamptz`);
  return [
    statuses.length === 0 ? 'false' : `d.status IN (${words(statuses)})`,
    ...(errorClass === undefined ? [] : [`${ERROR_CLASS} = ${add(errorClass)}`]),
    ...(errorStatus === undefined ? [] : statusIsOf(errorStatus, add)),
    ...(minLatencyMs === undefined ? [] : [`d.response_latency_ms >= ${add(String(minLatencyMs))}::int`]),
    ...(held === undefined ? [] : [held === 'true' ? standing : `NOT ${standing}`]),
  ];
}

/**
 * Ids of deliveries for which all `conditions` hold (SQL, on `d`). The rows come along the narrowest walks that have all of them, and no
 * more than 5,000 of each are looked at: a filter that little matches would read a whole table otherwise.
 */
export async function findUnindexed(
  db: DatabaseTransaction,
  filter: Filter,
  page: PageRequest,
  conditions: (values: Values) => string[],
): Promise<FoundIds> {
  let found: FoundIds = { ids: [] };
  for (const most of LOOKS) {
    found = await look(db, filter, page, conditions, most);
    if (found.ids.length > page.limit) return { ids: found.ids };
    if (found.lookedTo === undefined) return found;
  }
  return found;
}

async function look(
  db: DatabaseTransaction,
  filter: Filter,
  page: PageRequest,
  conditions: (values: Values) => string[],
  most: number,
): Promise<FoundIds> {
  const values = createValues();
  const bounds = idBounds(values, filter.ids ?? {}, page.after);
  const fits = `(${conditions(values).join(') AND (')})`;
  const walks = walksOf(filter, values, { bounds, limit: most, fits, statuses: statusesOf(filter) });
  if (walks.length === 0) return { ids: [] };
  const each = walks.map((walk, index) => `(SELECT ${index} AS walk, w.id, w.fits FROM (${walk}) w)`);
  // A walk that went on to its limit says nothing of the rows behind its last one, so no other one is believed there.
  const text = `WITH looked AS MATERIALIZED (${each.join(' UNION ALL ')}), ending AS (
      SELECT max(id) AS id FROM (SELECT min(id) AS id FROM looked GROUP BY walk HAVING count(*) = ${most}) AS ends
    )
    SELECT (SELECT id FROM ending) AS "lookedTo", ARRAY(
      SELECT l.id FROM looked l WHERE l.fits AND l.id >= coalesce((SELECT id FROM ending), '')
      ORDER BY l.id DESC LIMIT ${page.limit + 1}) AS ids`;
  const [row] = await queryAlong<{ ids: string[]; lookedTo: string | null }>(db, text, values);
  return { ids: row?.ids ?? [], ...(typeof row?.lookedTo === 'string' && { lookedTo: row.lookedTo }) };
}

type Look = Pick<Walk, 'bounds' | 'limit' | 'isRising'> & { fits: string; statuses: readonly DeliveryStatus[] };

/** The walks that have every row of these statuses which the filters may let through. `fits`: the conditions on each, as a column. */
export function walksOf(filter: Filter, values: Values, { fits, statuses, ...look }: Look): string[] {
  const { environmentId, subscriptionId, replayId, minLatencyMs } = filter;
  const here = values.add(environmentId);
  const inEnvironment = (columns: string[], at: string[], where: string[]): string =>
    along({
      ...look,
      table: TABLE,
      beside: `${fits} AS fits`,
      columns: ['environment_id', ...columns],
      at: [here, ...at],
      where,
    });
  const ofSubscription = (id: string, columns: string[], at: string[], where: string[]): string => {
    const beside = `(d.environment_id = ${here} AND ${fits}) AS fits`;
    return along({
      ...look,
      table: TABLE,
      beside,
      columns: ['subscription_id', ...columns],
      at: [values.add(id), ...at],
      where,
    });
  };
  if (replayId !== undefined)
    return statuses.map((one) =>
      inEnvironment(['replay_id', 'status'], [values.add(replayId), `'${one}'`], [OF_REPLAY]),
    );
  // With a condition that implies the one of its index, which has nothing but slow ones.
  if (minLatencyMs !== undefined) return [inEnvironment([], [], [`d.response_latency_ms >= ${SLOW_MS}`])];
  // Delivered ones have no index by status.
  if (statuses.includes('delivered'))
    return subscriptionId === undefined ? [inEnvironment([], [], [])] : [ofSubscription(subscriptionId, [], [], [])];
  const isUndelivered = `d.status <> 'delivered'`;
  return statuses.map((one) =>
    subscriptionId === undefined || one === 'pending'
      ? inEnvironment(['status'], [`'${one}'`], [isUndelivered])
      : ofSubscription(subscriptionId, ['status'], [`'${one}'`], [isUndelivered, `d.status <> 'pending'`]),
  );
}
