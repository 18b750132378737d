import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import type { DeadLetter as DeadLetterRow } from '../../platform/db/generated/client.ts';
import { findAlong, readFound } from '../../platform/db/sql/walk.ts';
import { timeOfId, lowestIdAt } from '../../kernel/values/ids.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { DeadLetterKind, DeadLetterReason, DeadLetterStatus, ErrorClass } from '../../kernel/words/statuses.ts';
import { type DeadLetterFilter, selectPage } from './filter-store.ts';
import type { DeadLetter, DeadLetterGroups } from './schema.ts';

/** Maximum number of open dead letters that grouping examines, however many there are. */
export const MOST_EXAMINED = 10_000;
const MOST_GROUPS = 100;
/** Number of intervals in which the dead letters of a group are counted. */
const STEPS = 24;

type Row = {
  kind: string;
  subscriptionId: string | null;
  workflowId: string | null;
  reason: string;
  errorClass: string | null;
  errorStatus: number | null;
  count: number;
  firstId: string;
  lastId: string;
  steps: number[];
};

/**
 * Counts the newest open dead letters that match a filter by subscription or workflow, reason, error class and response
 * status.
 */
export async function findGroups(
  db: DatabaseTransaction,
  filter: Omit<DeadLetterFilter, 'status'>,
): Promise<DeadLetterGroups> {
  const { text, values } = selectPage({ ...filter, status: ['open'] }, { limit: MOST_EXAMINED, after: undefined });
  const found = await findAlong(db, text, { values });
  const examined = found.slice(0, MOST_EXAMINED);
  const [newest, oldest] = [examined[0], examined.at(-1)];
  if (newest === undefined || oldest === undefined) return { groups: [], examined: 0, isExact: true };
  const [from, until] = [failedAt(oldest), failedAt(newest)];
  const begins = Array.from({ length: STEPS }, (_, step) =>
    lowestIdAt('deadLetter', new Date(from.getTime() + ((until.getTime() + 1 - from.getTime()) * step) / STEPS)),
  );
  const rows = await db.$queryRaw<Row[]>`
    SELECT d.kind, d.subscription_id AS "subscriptionId", d.workflow_id AS "workflowId", d.reason, d.error_class AS "errorClass",
      d.error_status AS "errorStatus", count(*)::int AS count, min(d.id) AS "firstId", max(d.id) AS "lastId",
      array_agg(width_bucket(d.id, ${begins}::text[])) AS steps
    FROM dead_letters d WHERE d.id = ANY(${examined})
    GROUP BY d.kind, d.subscription_id, d.workflow_id, d.reason, d.error_class, d.error_status
    ORDER BY count DESC, "lastId" DESC LIMIT ${MOST_GROUPS + 1}`;
  return {
    groups: rows.slice(0, MOST_GROUPS).map(toGroup),
    from,
    until,
    examined: examined.length,
    isExact: found.length <= MOST_EXAMINED && rows.length <= MOST_GROUPS,
  };
}

const toGroup = (row: Row): DeadLetterGroups['groups'][number] => ({
  // Only this service writes these columns, with values of the unions in src/kernel/words/statuses.ts.
  kind: row.kind as DeadLetterKind,
  ...(row.subscriptionId !== null && { subscriptionId: row.subscriptionId }),
  ...(row.workflowId !== null && { workflowId: row.workflowId }),
  reason: row.reason as DeadLetterReason,
  ...(row.errorClass !== null && { errorClass: row.errorClass as ErrorClass }),
  ...(row.errorStatus !== null && { errorStatus: row.errorStatus }),
  count: row.count,
  firstFailedAt: failedAt(row.firstId),
  lastFailedAt: failedAt(row.lastId),
  lastId: row.lastId,
  counts: countsOf(row.steps),
});

function countsOf(steps: readonly number[]): number[] {
  const counts = Array.from({ length: STEPS }, () => 0);
  for (const step of steps) counts[step - 1] = (counts[step - 1] ?? 0) + 1;
  return counts;
}

function failedAt(id: string): Date {
  const at = timeOfId('deadLetter', id);
  if (at === undefined) throw new Error(`${id} is not the id of a dead letter`);
  return at;
}

/** Returns dead letters, newest first, one more than the page holds. */
export async function listDeadLetters(
  db: DatabaseTransaction,
  filter: DeadLetterFilter,
  page: PageRequest,
): Promise<DeadLetter[]> {
  const { text, values } = selectPage(filter, page);
  const rows = await readFound(
    () => findAlong(db, text, { values }),
    (ids) => db.deadLetter.findMany({ where: { id: { in: ids } }, orderBy: { id: 'desc' } }),
  );
  return rows.map(toDeadLetter);
}

export async function findDeadLetter(
  db: Pick<DatabaseReader, 'deadLetter'>,
  environmentId: string,
  id: string,
): Promise<DeadLetter | undefined> {
  const row = await db.deadLetter.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : toDeadLetter(row);
}

function toDeadLetter(row: DeadLetterRow): DeadLetter {
  return {
    id: row.id,
    // Only this service writes these columns, with values of the unions in src/kernel/words/statuses.ts.
    kind: row.kind as DeadLetterKind,
    status: row.status as DeadLetterStatus,
    ...(row.channelId !== null && { channelId: row.channelId }),
    ...(row.messageId !== null && { messageId: row.messageId }),
    ...(row.subscriptionId !== null && { subscriptionId: row.subscriptionId }),
    ...(row.deliveryId !== null && { deliveryId: row.deliveryId }),
    ...(row.workflowId !== null && { workflowId: row.workflowId }),
    ...(row.runId !== null && { runId: row.runId }),
    ...(row.stepId !== null && { stepId: row.stepId }),
    ...(row.iteration !== null && row.iteration !== '' && { iteration: row.iteration }),
    ...(row.eventType !== null && { eventType: row.eventType }),
    reason: row.reason as DeadLetterReason,
    lastError: {
      ...(row.errorClass !== null && { class: row.errorClass as ErrorClass }),
      ...(row.errorCode !== null && { code: row.errorCode }),
      ...(row.errorMessage !== null && { message: row.errorMessage }),
      ...(row.errorStatus !== null && { status: row.errorStatus }),
    },
    attempts: row.attempts,
    // Lists sort and filter by this time. The column has the time of its transaction, which an outage may have delayed.
    failedAt: timeOfId('deadLetter', row.id) ?? row.failedAt,
    ...(row.replayedAt !== null && { replayedAt: row.replayedAt }),
    ...(row.replayedBy !== null && { replayedBy: row.replayedBy }),
  };
}
