import type { PoolClient } from 'pg';
import type { DatabaseReader, DatabaseTransaction } from '../../platform/db/client.ts';
import type { Message as MessageRow, ScheduledMessage } from '../../platform/db/generated/client.ts';
import { IN_ORDER, type RunSql } from '../../platform/db/sql/commit-order.ts';
import {
  along,
  alongEventTypes,
  createValues,
  findAlong,
  idBounds,
  isNarrowing,
  readFound,
} from '../../platform/db/sql/walk.ts';
import { ExactJson } from '../../kernel/values/exact-json.ts';
import { isId, isTimeGiven } from '../../kernel/values/ids.ts';
import type { IdRange } from '../../kernel/values/instant.ts';
import type { PageRequest } from '../../kernel/values/page.ts';
import { traceIdOf } from '../../kernel/values/trace-context.ts';
import type { CancelReason, DeliverySummary } from '../../kernel/words/statuses.ts';
import type { Message, TracedMessage } from './schema.ts';

export { findCommittedBehind, findCommitOrder, findPositionSince } from '../../platform/db/sql/commit-order.ts';

/**
 * Whether the channel exists or was deleted: messages of a deleted channel stay readable until their retention ends.
 */
export async function channelExists(
  db: DatabaseTransaction,
  environmentId: string,
  channelId: string,
): Promise<boolean> {
  return (await db.channel.count({ where: { id: channelId, environmentId } })) > 0;
}

/** Filter of a channel's messages. `eventType` is an exact type or a pattern; publishedAt is the time in the id. */
export type MessageFilter = { environmentId: string; channelId: string; eventType?: string | undefined; ids?: IdRange };

/**
 * Bytes of payloads per page: 8 MiB. A page is in memory three times, as rows, text and bytes, and a caller may read 20
 * at once. Messages of publishers have at most 256 KiB, those of inbound webhooks 1 MiB.
 */
const PAGE_BYTES = 8 * 1_048_576;
/** This many messages never exceed it, whoever has sent them. */
const SURELY_FITTING = 8;

/**
 * Returns the first of these ids, in order, whose payloads have at most 8 MiB together. At least one, unless none of
 * the rows exists any more.
 */
export async function fittingOf(
  db: DatabaseTransaction,
  ids: string[],
  table: 'messages' | 'scheduled_messages' = 'messages',
): Promise<string[]> {
  if (ids.length <= SURELY_FITTING) return ids;
  // The size of a payload that is stored out of line is known without decompressing it.
  const rows = await db.$queryRawUnsafe<{ id: string }[]>(
    `SELECT s.id FROM (
      SELECT m.id, w.place, coalesce(octet_length(m.payload), 0) AS bytes,
        sum(coalesce(octet_length(m.payload), 0)) OVER (ORDER BY w.place) AS so_far
      FROM unnest($1::text[]) WITH ORDINALITY AS w (id, place) JOIN ${table} m ON m.id = w.id) AS s
    WHERE s.so_far - s.bytes < $2 ORDER BY s.place`,
    ids,
    PAGE_BYTES,
  );
  return rows.map(({ id }) => id);
}

/**
 * Returns messages of a channel, newest first, one more than the page holds, or fewer if their payloads exceed 8 MiB
 * together. In that case `lookedTo` is the last message of the page, and more follow.
 */
export async function listMessages(
  db: DatabaseTransaction,
  filter: MessageFilter,
  page: PageRequest,
): Promise<{ messages: Message[]; lookedTo: string | undefined }> {
  const { environmentId, channelId, eventType } = filter;
  const values = createValues();
  const bounds = idBounds(values, filter.ids ?? {}, page.after);
  const where = [`d.environment_id = ${values.add(environmentId)}`];
  const walk = { table: 'messages', bounds, where, limit: page.limit + 1 };
  const owner = values.add(channelId);
  const text = isNarrowing(eventType)
    ? alongEventTypes(values, { ...walk, owners: `SELECT ${owner} AS id`, of: 'channel_id', pattern: eventType })
    : along({ ...walk, columns: ['channel_id'], at: [owner] });
  let lookedTo: string | undefined;
  const rows = await readFound(
    async () => {
      const ids = await findAlong(db, text, values);
      const fitting = await fittingOf(db, ids);
      lookedTo = fitting.length < ids.length ? fitting.at(-1) : undefined;
      return fitting;
    },
    (ids) => db.message.findMany({ where: { id: { in: ids } }, orderBy: { id: 'desc' } }),
  );
  return { messages: await withDeliveryStatus(db, rows), lookedTo };
}

/**
 * Returns a function that runs statements about the commit order in this transaction, which from now on scans indexes
 * in their order.
 */
export async function runInOrder(db: DatabaseTransaction): Promise<RunSql> {
  for (const setting of IN_ORDER.split('; ')) await db.$executeRawUnsafe(setting);
  return (text, values) => db.$queryRawUnsafe(text, ...values);
}

/** Returns these published messages, newest first, without those that retention has removed. */
export async function findMessages(
  db: DatabaseTransaction,
  environmentId: string,
  ids: readonly string[],
): Promise<Message[]> {
  const rows = await db.message.findMany({ where: { id: { in: [...ids] }, environmentId }, orderBy: { id: 'desc' } });
  return withDeliveryStatus(db, rows);
}

/** Only an id whose time was set in advance can belong to a scheduled message, which saves a query for all others. */
export const mayWait = (messageId: string): boolean => isId('message', messageId) && isTimeGiven(messageId);

/**
 * Returns a message, published or not. Searches scheduled ones first, so that a message published in between is found
 * in the second place.
 */
export async function findMessage(
  db: Pick<DatabaseReader, 'scheduledMessage' | '$queryRawUnsafe'>,
  environmentId: string,
  id: string,
): Promise<TracedMessage | undefined> {
  const waiting = mayWait(id) ? await db.scheduledMessage.findFirst({ where: { id, environmentId } }) : null;
  if (waiting !== null) return { ...toWaitingMessage(waiting), ...traceOf(waiting) };
  // One statement for the message and its deliveries: with tenant isolation, a statement of its own for each would cost
  // twice as much.
  const [row] = await db.$queryRawUnsafe<(PublishedRow & Tally & Traced)[]>(FIND_PUBLISHED, id, environmentId);
  return row && { ...toMessage(row, summary(row)), ...traceOf(row) };
}

type Traced = Pick<MessageRow, 'traceparent'>;

function traceOf({ traceparent }: Traced): { traceId?: string } {
  const traceId = traceIdOf(traceparent);
  return traceId === undefined ? {} : { traceId };
}

const COLUMNS = `id, channel_id AS "channelId", event_type AS "eventType", payload, metadata, erased_at AS "erasedAt"`;
const READ_WAITING = `
  SELECT ${COLUMNS}, deliver_at AS "deliverAt", cancelled_at AS "cancelledAt", cancel_reason AS "cancelReason"
  FROM scheduled_messages WHERE id = ANY ($1::text[])`;
const PUBLISHED = `
  SELECT ${COLUMNS}, published_at AS "publishedAt", traceparent, t.unfinished, t.failed
  FROM messages m LEFT JOIN LATERAL (
    SELECT bool_or(d.due_at IS NOT NULL) AS unfinished, bool_or(d.status = 'failed') AS failed
    FROM deliveries d WHERE d.message_id = m.id
  ) t ON true`;
const READ_PUBLISHED = `${PUBLISHED} WHERE id = ANY ($1::text[])`;
const FIND_PUBLISHED = `${PUBLISHED} WHERE id = $1 AND environment_id = $2`;

/** Returns these messages by id, as the transaction of `connection` sees them. */
export async function readMessages(
  connection: Pick<PoolClient, 'query'>,
  ids: readonly string[],
): Promise<Map<string, Message>> {
  const waiting = ids.filter(mayWait);
  const waitingRows = waiting.length === 0 ? [] : (await connection.query<WaitingRow>(READ_WAITING, [waiting])).rows;
  const { rows } = await connection.query<PublishedRow & Tally>(READ_PUBLISHED, [ids]);
  const messages = [...rows.map((row) => toMessage(row, summary(row))), ...waitingRows.map(toWaitingMessage)];
  return new Map(messages.map((message) => [message.id, message]));
}

/** Aggregates over the deliveries of a message; null if there are none. */
export type Tally = { unfinished: boolean | null; failed: boolean | null };

async function withDeliveryStatus(db: Pick<DatabaseReader, '$queryRaw'>, rows: MessageRow[]): Promise<Message[]> {
  if (rows.length === 0) return [];
  const tallies = await db.$queryRaw<(Tally & { message_id: string })[]>`
    SELECT message_id, bool_or(due_at IS NOT NULL) AS unfinished, bool_or(status = 'failed') AS failed
    FROM deliveries WHERE message_id = ANY(${rows.map((row) => row.id)}) GROUP BY message_id`;
  const tallyOf = new Map(tallies.map((tally) => [tally.message_id, tally]));
  return rows.map((row) => toMessage(row, summary(tallyOf.get(row.id))));
}

/** `summariseDeliveries` of src/kernel/words/statuses.ts, from the two aggregates that PostgreSQL computes. */
export function summary(tally: Tally | undefined): DeliverySummary {
  if (tally === undefined || tally.unfinished === null) return 'unrouted';
  if (tally.unfinished) return 'pending';
  return tally.failed ? 'failed' : 'delivered';
}

type Content = 'id' | 'channelId' | 'eventType' | 'payload' | 'metadata';
type PublishedRow = Pick<MessageRow, Content | 'publishedAt' | 'erasedAt'>;
type WaitingRow = Pick<ScheduledMessage, Content | 'deliverAt' | 'cancelledAt' | 'cancelReason' | 'erasedAt'>;

/** Fields of a message, published or not. */
const contentOf = (row: Pick<MessageRow, Content>): Pick<Message, Content> => ({
  id: row.id,
  channelId: row.channelId,
  eventType: row.eventType,
  ...(row.payload !== null && { payload: new ExactJson(row.payload) }),
  // Only written with a validated Record<string, string>.
  ...(row.metadata !== null && { metadata: row.metadata as Record<string, string> }),
});

function toMessage(row: PublishedRow, deliveryStatus: DeliverySummary): Message {
  return {
    ...contentOf(row),
    publishedAt: row.publishedAt,
    ...(row.erasedAt !== null && { erasedAt: row.erasedAt }),
    deliveryStatus,
  };
}

/** Converts a scheduled or cancelled message. */
export function toWaitingMessage(row: WaitingRow): Message {
  return {
    ...contentOf(row),
    publishedAt: row.deliverAt,
    deliverAt: row.deliverAt,
    ...(row.cancelledAt !== null && { cancelledAt: row.cancelledAt }),
    // Only this service writes the column, with values of CANCEL_REASONS.
    ...(row.cancelReason !== null && { cancelReason: row.cancelReason as CancelReason }),
    ...(row.erasedAt !== null && { erasedAt: row.erasedAt }),
    deliveryStatus: row.cancelledAt === null ? 'scheduled' : 'cancelled',
  };
}
