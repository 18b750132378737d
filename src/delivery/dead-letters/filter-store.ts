import {
  along,
  alongAll,
  alongEventTypes,
  createValues,
  eventTypeIs,
  idBounds,
  isNarrowing,
  risingIdBounds,
  type Values,
  type Walk,
} from '../../platform/db/sql/walk.ts';
import { statusRange } from '../../kernel/values/http.ts';
import type { IdRange } from '../../kernel/values/instant.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import {
  DEAD_LETTER_KINDS,
  DEAD_LETTER_REASONS,
  DEAD_LETTER_STATUSES,
  type DeadLetterKind,
  type DeadLetterReason,
  type DeadLetterStatus,
  type ErrorClass,
} from '../../kernel/words/statuses.ts';

/** Filter of dead letters, in lists and bulk replays. `eventType` is an exact type or a pattern such as `order.*`. */
export type DeadLetterFilter = {
  environmentId: string;
  channelId?: string | undefined;
  subscriptionId?: string | undefined;
  messageId?: string | undefined;
  workflowId?: string | undefined;
  eventType?: string | undefined;
  kind?: DeadLetterKind | undefined;
  reason?: DeadLetterReason | undefined;
  errorClass?: ErrorClass | undefined;
  /** HTTP status of the last response: `503`, one of `500-503`, or `5xx` for its whole class. */
  errorStatus?: string | undefined;
  /** Any of these. */
  status?: readonly DeadLetterStatus[] | undefined;
  /** Bounds of failedAt, which is the time in the id. */
  ids?: IdRange;
  /** Bounds of the creation time of the delivery, which is the time in its id. */
  deliveryIds?: IdRange | undefined;
};

export type Statement = { text: string; values: string[] };

// SQL: a number as a value. The driver passes only strings.
const number = (value: number, { add }: Values): string => `${add(String(value))}::int`;

/** SQL: the conditions on a dead letter `d`. */
function conditions(filter: Partial<DeadLetterFilter>, values: Values): string[] {
  const is = (column: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`d.${column} = ${values.add(value)}`];
  return [
    ...is('environment_id', filter.environmentId),
    ...is('channel_id', filter.channelId),
    ...is('subscription_id', filter.subscriptionId),
    ...is('message_id', filter.messageId),
    ...is('workflow_id', filter.workflowId),
    ...is('kind', filter.kind),
    ...is('reason', filter.reason),
    ...is('error_class', filter.errorClass),
    ...(filter.errorStatus === undefined ? [] : [statusIs(filter.errorStatus, values)]),
    ...(filter.status === undefined ? [] : [`d.status IN (${filter.status.map((one) => values.add(one)).join(', ')})`]),
    ...eventTypeIs(filter.eventType, values),
    ...(filter.deliveryIds?.from === undefined ? [] : [`d.delivery_id >= ${values.add(filter.deliveryIds.from)}`]),
    ...(filter.deliveryIds?.before === undefined ? [] : [`d.delivery_id < ${values.add(filter.deliveryIds.before)}`]),
  ];
}

function statusIs(errorStatus: string, values: Values): string {
  const { least, most } = statusRange(errorStatus);
  return `d.error_status BETWEEN ${number(least, values)} AND ${number(most, values)}`;
}

const within = ({ ids = {} }: DeadLetterFilter, values: Values): string[] => {
  const bounds = idBounds(values, ids);
  return [`d.id >= ${bounds.from}`, `d.id < ${bounds.before}`];
};

/** SQL that counts the matching dead letters. */
export function selectCount(filter: DeadLetterFilter): Statement {
  const values = createValues();
  const where = [...conditions(filter, values), ...within(filter, values)];
  return {
    text: `SELECT count(*)::int AS count FROM dead_letters d WHERE ${where.join(' AND ')}`,
    values: values.values,
  };
}

/** SQL for the oldest `limit` ids after `position`: the next ones of a bulk replay. For `findAlong`. */
export function selectNext(filter: DeadLetterFilter, position: string | undefined, limit: number): Statement {
  const values = createValues();
  const bounds = risingIdBounds(values, filter.ids ?? {}, position);
  const walk = { table: 'dead_letters', bounds, limit, isRising: true };
  return { text: chooseWalk(filter, values, walk), values: values.values };
}

/** SQL for the ids of a page, newest first, one more than the page holds. For `findAlong`. */
export function selectPage(filter: DeadLetterFilter, page: PageRequest): Statement {
  const values = createValues();
  const walk = { table: 'dead_letters', bounds: idBounds(values, filter.ids ?? {}, page.after), limit: page.limit + 1 };
  return { text: chooseWalk(filter, values, walk), values: values.values };
}

/**
 * Scans the index that the filter narrows most: by message, subscription, workflow or channel, with or without a
 * status; or, for the whole environment, by event type, response status, error class, or kind and reason. The columns
 * of that index must not appear as conditions again, because PostgreSQL would then not use the order of the index.
 */
function chooseWalk(
  filter: DeadLetterFilter,
  values: Values,
  walk: Pick<Walk, 'table' | 'bounds' | 'limit' | 'isRising'>,
): string {
  const { environmentId, channelId, subscriptionId, messageId, workflowId, status, ids: _, ...own } = filter;
  const { eventType, kind, reason, errorClass, errorStatus, deliveryIds } = own;
  const inEnvironment = values.add(environmentId);
  const where = (left: Partial<DeadLetterFilter>, ...more: string[]): string[] => [
    ...conditions(left, values),
    ...more,
  ];
  const isHere = `d.environment_id = ${inEnvironment}`;
  const statuses = (status ?? DEAD_LETTER_STATUSES).map((one) => `('${one}')`);
  const down = (column: string, value: string, left: Partial<DeadLetterFilter>, ...more: string[]): string => {
    const each = { ...walk, where: where(left, ...more) };
    const [only, ...others] = status ?? [];
    if (only === undefined) return along({ ...each, columns: [column], at: [value] });
    const columns = [column, 'status'];
    if (others.length === 0) return along({ ...each, columns, at: [value, values.add(only)] });
    const walks = `walks (status) AS (VALUES ${statuses.join(', ')})`;
    return `WITH ${walks}, ${alongAll('walks', { ...each, columns, at: [value, 'w.status'] })}`;
  };
  if (messageId !== undefined) {
    const left = { ...own, channelId, subscriptionId, workflowId, status };
    return along({ ...walk, columns: ['message_id'], at: [values.add(messageId)], where: where(left, isHere) });
  }
  if (subscriptionId !== undefined)
    return down('subscription_id', values.add(subscriptionId), { ...own, channelId, workflowId }, isHere);
  // The condition of its partial indexes, which a row comparison does not imply.
  if (workflowId !== undefined)
    return down('workflow_id', values.add(workflowId), { ...own, channelId }, isHere, 'd.workflow_id IS NOT NULL');
  if (channelId !== undefined) return down('channel_id', values.add(channelId), own, isHere);
  // A bulk replay starts with the oldest open ones. An index by event type, kind or reason would make it skip over all
  // that were replayed before.
  const { isRising = false } = walk;
  if (isNarrowing(eventType) && !isRising) {
    const left = { ...own, eventType: undefined, status };
    const owners = `SELECT ${inEnvironment} AS id`;
    return alongEventTypes(values, { ...walk, where: where(left), owners, of: 'environment_id', pattern: eventType });
  }
  // `of`: SQL for the values of the column to match.
  const byError = (column: 'error_status' | 'error_class', of: string, left: Partial<DeadLetterFilter>): string => {
    // The condition of its partial index, which a row comparison does not imply.
    const wanted = where({ kind, reason, eventType, deliveryIds, ...left }, `d.${column} IS NOT NULL`);
    const columns = ['environment_id', column, 'status'];
    const each = { ...walk, where: wanted, columns, at: [inEnvironment, 'w.error', 'w.status'] };
    const walks = `SELECT e.error, s.status FROM ${of} e (error) CROSS JOIN (VALUES ${statuses.join(', ')}) s (status)`;
    return `WITH walks AS (${walks}), ${alongAll('walks', each)}`;
  };
  if (errorStatus !== undefined) {
    // One scan for each status of a range. A status without rows costs one index lookup.
    const { least, most } = statusRange(errorStatus);
    const all = `generate_series(${number(least, values)}, ${number(most, values)})`;
    return byError('error_status', all, { errorClass });
  }
  if (errorClass !== undefined) return byError('error_class', `(VALUES (${values.add(errorClass)}))`, {});
  if (isRising || (kind === undefined && reason === undefined))
    return down('environment_id', inEnvironment, { kind, reason, eventType, deliveryIds });
  const pairs = (kind === undefined ? DEAD_LETTER_KINDS : [kind]).flatMap((one) =>
    (reason === undefined ? DEAD_LETTER_REASONS : [reason]).map((other) => `('${one}', '${other}')`),
  );
  const columns = ['environment_id', 'kind', 'reason'];
  const each = { ...walk, where: where({ status, deliveryIds }), columns, at: [inEnvironment, 'w.kind', 'w.reason'] };
  return `WITH walks (kind, reason) AS (VALUES ${pairs.join(', ')}), ${alongAll('walks', each)}`;
}
