import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import type { DeadLetter as DeadLetterRow } from '../../platform/db/generated/client.ts';
import { findAlong, readFound } from '../../platform/db/sql/walk.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { DeadLetterKind, DeadLetterReason, DeadLetterStatus, ErrorClass } from '../../kernel/words/statuses.ts';
import { type DeadLetterFilter, selectPage } from './filter-store.ts';
import type { DeadLetter } from './schema.ts';

/** Dead letters newest first, one more than asked for. */
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
    // Only this service writes these columns, from the unions of src/kernel/words/statuses.ts.
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
