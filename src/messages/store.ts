import type { Database } from '../db/client.ts';
import type { Message as MessageRow } from '../db/generated/client.ts';
import { along, alongEventTypes, createValues, findAlong, idBounds, isNarrowing, readFound } from '../db/walk.ts';
import { ExactJson } from '../kernel/exact-json.ts';
import type { IdRange } from '../kernel/instant.ts';
import type { PageRequest } from '../kernel/page.ts';
import type { DeliverySummary } from '../kernel/statuses.ts';
import type { Message } from './schema.ts';

/** Whether the channel was ever there: the messages of a deleted one stay readable until their retention ends. */
export async function channelExists(db: Database, environmentId: string, channelId: string): Promise<boolean> {
  return (await db.channel.count({ where: { id: channelId, environmentId } })) > 0;
}

/** The subscription's channel, for its test message. */
export async function subscriptionTarget(
  db: Database,
  environmentId: string,
  subscriptionId: string,
): Promise<{ channelId: string; status: string } | undefined> {
  const row = await db.subscription.findFirst({
    where: { id: subscriptionId, environmentId, deletedAt: null },
    select: { channelId: true, status: true },
  });
  return row ?? undefined;
}

/** Filter of a channel's messages. `eventType` is a literal or a beginning; publishedAt is the time in the id. */
export type MessageFilter = { environmentId: string; channelId: string; eventType?: string | undefined; ids?: IdRange };

/** Messages of a channel, newest first, one more than asked for. */
export async function listMessages(db: Database, filter: MessageFilter, page: PageRequest): Promise<Message[]> {
  const { environmentId, channelId, eventType } = filter;
  const values = createValues();
  const bounds = idBounds(values, filter.ids ?? {}, page.after);
  const where = [`d.environment_id = ${values.add(environmentId)}`];
  const walk = { table: 'messages', bounds, where, limit: page.limit + 1 };
  const owner = values.add(channelId);
  const text = isNarrowing(eventType)
    ? alongEventTypes(values, { ...walk, owners: `SELECT ${owner} AS id`, of: 'channel_id', pattern: eventType })
    : along({ ...walk, columns: ['channel_id'], at: [owner] });
  const rows = await readFound(
    () => findAlong(db, text, values),
    (ids) => db.message.findMany({ where: { id: { in: ids } }, orderBy: { id: 'desc' } }),
  );
  return withDeliveryStatus(db, rows);
}

export async function findMessage(db: Database, environmentId: string, id: string): Promise<Message | undefined> {
  const row = await db.message.findFirst({ where: { id, environmentId } });
  return row === null ? undefined : (await withDeliveryStatus(db, [row]))[0];
}

type Tally = { message_id: string; unfinished: boolean; failed: boolean };

async function withDeliveryStatus(db: Database, rows: MessageRow[]): Promise<Message[]> {
  if (rows.length === 0) return [];
  const tallies = await db.$queryRaw<Tally[]>`
    SELECT message_id, bool_or(due_at IS NOT NULL) AS unfinished, bool_or(status = 'failed') AS failed
    FROM deliveries WHERE message_id = ANY(${rows.map((row) => row.id)}) GROUP BY message_id`;
  const tallyOf = new Map(tallies.map((tally) => [tally.message_id, tally]));
  return rows.map((row) => toMessage(row, summary(tallyOf.get(row.id))));
}

/** `summariseDeliveries` of src/kernel/statuses.ts over the two sums that PostgreSQL makes. */
function summary(tally: Tally | undefined): DeliverySummary {
  if (tally === undefined) return 'unrouted';
  if (tally.unfinished) return 'pending';
  return tally.failed ? 'failed' : 'delivered';
}

/** Members of a message, published or not. */
export const contentOf = (
  row: Pick<MessageRow, 'id' | 'channelId' | 'eventType' | 'payload' | 'metadata'>,
): Pick<Message, 'id' | 'channelId' | 'eventType' | 'payload' | 'metadata'> => ({
  id: row.id,
  channelId: row.channelId,
  eventType: row.eventType,
  ...(row.payload !== null && { payload: new ExactJson(row.payload) }),
  // Only ever written from a validated Record<string, string>.
  ...(row.metadata !== null && { metadata: row.metadata as Record<string, string> }),
});

function toMessage(row: MessageRow, deliveryStatus: DeliverySummary): Message {
  return {
    ...contentOf(row),
    publishedAt: row.publishedAt,
    ...(row.erasedAt !== null && { erasedAt: row.erasedAt }),
    deliveryStatus,
  };
}
