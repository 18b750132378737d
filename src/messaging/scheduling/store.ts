import type { DatabaseTransaction } from '../../platform/db/client.ts';
import {
  along,
  alongEventTypes,
  createValues,
  findAlong,
  isNarrowing,
  readFound,
  risingIdBounds,
} from '../../platform/db/sql/walk.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import type { CancelReason, ScheduleStatus } from '../../kernel/words/statuses.ts';
import type { Message } from '../messages/schema.ts';
import { fittingOf, type MessageFilter, toWaitingMessage } from '../messages/store.ts';

/**
 * Returns scheduled or cancelled messages of a channel, soonest first, one more than the page holds, or fewer if their
 * payloads exceed 8 MiB together. In that case `lookedTo` is the last message of the page, and more follow. deliverAt
 * is the time in the id.
 */
export async function listScheduled(
  db: DatabaseTransaction,
  filter: MessageFilter & { status: ScheduleStatus },
  { hasPayloads, ...page }: PageRequest & { hasPayloads: boolean },
): Promise<{ messages: Message[]; lookedTo: string | undefined }> {
  const { environmentId, channelId, eventType, status } = filter;
  const values = createValues();
  const bounds = risingIdBounds(values, filter.ids ?? {}, page.after);
  const isCancelled = `d.cancelled_at IS ${status === 'cancelled' ? 'NOT ' : ''}NULL`;
  const where = [isCancelled, `d.environment_id = ${values.add(environmentId)}`];
  const walk = { table: 'scheduled_messages', bounds, where, limit: page.limit + 1, isRising: true };
  const owner = values.add(channelId);
  const text = isNarrowing(eventType)
    ? alongEventTypes(values, { ...walk, owners: `SELECT ${owner} AS id`, of: 'channel_id', pattern: eventType })
    : along({ ...walk, columns: ['channel_id'], at: [owner] });
  let lookedTo: string | undefined;
  const rows = await readFound(
    async () => {
      const ids = await findAlong(db, text, values);
      const fitting = hasPayloads ? await fittingOf(db, ids, 'scheduled_messages') : ids;
      lookedTo = fitting.length < ids.length ? fitting.at(-1) : undefined;
      return fitting;
    },
    (ids) =>
      db.scheduledMessage.findMany({
        // Not read if not requested: large values are stored outside their rows.
        omit: { payload: !hasPayloads, metadata: !hasPayloads },
        where: { id: { in: ids } },
        orderBy: { id: 'asc' },
      }),
  );
  const messages = rows.map((row) =>
    toWaitingMessage({ ...row, payload: row.payload ?? null, metadata: row.metadata ?? null }),
  );
  return { messages, lookedTo };
}

/**
 * Cancels a waiting message. Returns false if it is published, already cancelled, or does not exist. Waits if it is
 * just being published.
 */
export async function cancelScheduled(
  db: DatabaseTransaction,
  environmentId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const { count } = await db.scheduledMessage.updateMany({
    where: { id, environmentId, cancelledAt: null },
    data: { cancelledAt: now, cancelReason: 'requested' satisfies CancelReason, dueAt: null },
  });
  return count === 1;
}
